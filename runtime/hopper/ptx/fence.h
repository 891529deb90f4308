//===- ptx/fence.h - Making writes visible to another proxy ---------------===//
//
// TMA and wgmma reach shared memory through the async proxy, ordinary loads and
// stores through the generic proxy. Neither sees the other's effects without a
// fence by the thread that wrote, before it tells anybody. And a thread that has
// read a buffer fences before it gives the buffer back to TMA: an arrival does
// not wait for its loads, and TMA does not queue behind them.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-membar
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_FENCE_H
#define TK_PTX_FENCE_H

#include <ptx/device.h>

namespace tk {

// fence.proxy.async.shared::cta: this thread's reads are done and its writes visible, to TMA and wgmma.
TK_DEVICE void fence_proxy_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// fence.mbarrier_init.release.cluster: this thread's mbarrier.init, for TMA and other blocks of the cluster.
TK_DEVICE void fence_mbarrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

} // namespace tk

#endif // TK_PTX_FENCE_H
