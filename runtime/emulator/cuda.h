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

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }

inline void __syncthreads(tk::emulator::place where = tk::emulator::place::current()) {
  tk::emulator::sync_threads(where);
}

inline void __syncwarp(uint32_t mask = 0xffffffff,
                       tk::emulator::place where = tk::emulator::place::current()) {
  tk::emulator::sync_warp(mask, where);
}

// The lanes of a warp tell each other. `width` cuts the warp into segments, a power of two.
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
inline T __shfl_sync(uint32_t mask, T value, int lane, int width = 32,
                     tk::emulator::place where = tk::emulator::place::current()) {
  const int self = int(threadIdx.x % 32);
  return tk_shuffle(mask, value, (self & -width) | (lane & (width - 1)), where);
}

template <typename T>
inline T __shfl_up_sync(uint32_t mask, T value, int lanes, int width = 32,
                        tk::emulator::place where = tk::emulator::place::current()) {
  const int self = int(threadIdx.x % 32);
  return tk_shuffle(mask, value, self % width < lanes ? self : self - lanes, where);
}

template <typename T>
inline T __shfl_down_sync(uint32_t mask, T value, int lanes, int width = 32,
                          tk::emulator::place where = tk::emulator::place::current()) {
  const int self = int(threadIdx.x % 32);
  return tk_shuffle(mask, value, self % width + lanes >= width ? self : self + lanes, where);
}

template <typename T>
inline T __shfl_xor_sync(uint32_t mask, T value, int bits, int width = 32,
                         tk::emulator::place where = tk::emulator::place::current()) {
  const int self = int(threadIdx.x % 32), last = self | (width - 1);
  return tk_shuffle(mask, value, (self ^ bits) > last ? self : self ^ bits, where);
}

inline uint32_t __ballot_sync(uint32_t mask, int condition,
                              tk::emulator::place where = tk::emulator::place::current()) {
  const auto lanes = tk::emulator::gather_lanes("vote.sync", mask, condition != 0, where);
  uint32_t votes = 0;
  for (int lane = 0; lane < 32; ++lane)
    votes |= lanes.of[lane] << lane;
  return votes;
}

inline int __any_sync(uint32_t mask, int condition,
                      tk::emulator::place where = tk::emulator::place::current()) {
  return __ballot_sync(mask, condition, where) != 0;
}

inline int __all_sync(uint32_t mask, int condition,
                      tk::emulator::place where = tk::emulator::place::current()) {
  return __ballot_sync(mask, !condition, where) == 0;
}

// redux.sync, of the lanes of a mask.
template <typename T, typename Combine>
inline T tk_reduce(uint32_t mask, T value, Combine combine, tk::emulator::place where) {
  const auto lanes = tk::emulator::gather_lanes("redux.sync", mask, uint32_t(value), where);
  bool first = true;
  for (int lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1) {
      value = first ? T(lanes.of[lane]) : combine(value, T(lanes.of[lane]));
      first = false;
    }
  return value;
}

#define TK_REDUCE(name, T, expression)                                                             \
  inline T name(uint32_t mask, T value,                                                            \
                tk::emulator::place where = tk::emulator::place::current()) {                      \
    return tk_reduce(mask, value, [](T a, T b) -> T { return expression; }, where);                \
  }

TK_REDUCE(__reduce_add_sync, int, int(unsigned(a) + unsigned(b)))
TK_REDUCE(__reduce_add_sync, unsigned, a + b)
TK_REDUCE(__reduce_min_sync, int, a < b ? a : b)
TK_REDUCE(__reduce_min_sync, unsigned, a < b ? a : b)
TK_REDUCE(__reduce_max_sync, int, a > b ? a : b)
TK_REDUCE(__reduce_max_sync, unsigned, a > b ? a : b)
TK_REDUCE(__reduce_and_sync, unsigned, a &b)
TK_REDUCE(__reduce_or_sync, unsigned, a | b)
TK_REDUCE(__reduce_xor_sync, unsigned, a ^ b)

#undef TK_REDUCE

#endif // TK_EMULATOR_CUDA_H
