//===- cuda.h - The few CUDA words that emitted kernels use, as host C++ --===//
//
// Stands in for CUDA's own headers when a kernel is compiled for the emulator:
// qualifiers vanish, the built-in variables read the position of the running
// fiber, and a tensor map is a plain struct that the emulator reads.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CUDA_H
#define TK_EMULATOR_CUDA_H

#include <core/interface.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __grid_constant__
#define __launch_bounds__(...)
#define __restrict__ __restrict

#define threadIdx (::tk::emulator::position->thread_index)
#define blockIdx (::tk::emulator::position->block_index)
#define blockDim (::tk::emulator::position->block_extent)
#define gridDim (::tk::emulator::position->grid_extent)

inline void __syncthreads(tk::emulator::place where = tk::emulator::place::current()) {
  tk::emulator::sync_threads(where);
}

inline void __syncwarp(uint32_t mask = 0xffffffff,
                       tk::emulator::place where = tk::emulator::place::current()) {
  tk::emulator::sync_warp(mask, where);
}

template <typename T>
inline T tk_shuffle(uint32_t mask, T value, int source_lane, tk::emulator::place where) {
  static_assert(sizeof(T) == 4, "a shuffle moves 32 bits");
  uint32_t bits;
  memcpy(&bits, &value, 4);
  bits = tk::emulator::shuffle(mask, bits, source_lane, where);
  memcpy(&value, &bits, 4);
  return value;
}

template <typename T>
inline T __shfl_sync(uint32_t mask, T value, int lane,
                     tk::emulator::place where = tk::emulator::place::current()) {
  return tk_shuffle(mask, value, lane & 31, where);
}

template <typename T>
inline T __shfl_xor_sync(uint32_t mask, T value, int bits,
                         tk::emulator::place where = tk::emulator::place::current()) {
  return tk_shuffle(mask, value, int(threadIdx.x % 32) ^ bits, where);
}

#endif // TK_EMULATOR_CUDA_H
