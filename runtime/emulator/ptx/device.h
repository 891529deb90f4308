//===- ptx/device.h - How device functions are declared, for the host -----===//
//
// The emulator's counterpart of the header of the same name: what a device
// function is, and the place in the emitted text it is called from. Every
// function of this folder takes that place as a last, defaulted argument and
// hands it on to the core with its operands.
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_DEVICE_H
#define TK_PTX_DEVICE_H

#include <core/interface.h>
#include <cuda.h>
#include <stdint.h>

// Inlined as on the GPU, so that the address an operation returns to lies in the kernel itself.
#define TK_DEVICE inline __attribute__((always_inline))
#define TK_HOST_DEVICE inline __attribute__((always_inline))

namespace tk {

// Where the caller stands; only the defaulted argument of that name is ever passed.
using place = emulator::place;
#define TK_PLACE place where = place::current()

} // namespace tk

#endif // TK_PTX_DEVICE_H
