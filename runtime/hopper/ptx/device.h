//===- ptx/device.h - The few words that differ between GPU and emulator --===//
//
// Everything above the `ptx` folder compiles unchanged for the GPU and for the
// emulator, because both provide the same header names; the include path
// chooses. This header holds the common part of the others: how a device function
// is declared, and the type of a tensor map.
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_DEVICE_H
#define TK_PTX_DEVICE_H

#include <cuda.h> // CUtensorMap
#include <stdint.h>

// Always inlined: fragments passed by reference stay in registers only if no call is left.
#define TK_DEVICE __device__ __forceinline__
// For arithmetic that launchers and kernels share.
#define TK_HOST_DEVICE __host__ __device__ __forceinline__

#endif // TK_PTX_DEVICE_H
