//===- ptx/pdl.h - Programmatic dependent launch --------------------------===//
//
// A kernel launched with the programmatic-serialization attribute may start
// while the kernel before it in the stream still runs.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-griddepcontrol
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_PDL_H
#define TK_PTX_PDL_H

#include <ptx/device.h>

namespace tk {

// griddepcontrol.wait: blocks until the kernels this one depends on have finished and their writes are visible.
TK_DEVICE void griddepcontrol_wait() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

// griddepcontrol.launch_dependents: once every block has said so or ended, the next kernel may start.
TK_DEVICE void griddepcontrol_launch_dependents() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

} // namespace tk

#endif // TK_PTX_PDL_H
