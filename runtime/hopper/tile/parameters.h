//===- tile/parameters.h - Parameters that a launcher passes to a kernel --===//
//
// Beside tensor maps and numbers. A launcher that is no CUDA code includes this,
// too, so nothing here needs an instruction.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_PARAMETERS_H
#define TK_TILE_PARAMETERS_H

#include <ptx/device.h>

namespace tk {

// A tensor that a kernel writes, as the launcher describes it.
struct output_map {
  CUtensorMap whole;  // the columns in whole 16 bytes
  void *data;         // of the tensor's first element
  int extents[4];     // all elements, slowest dimension first
  int64_t strides[4]; // bytes
};

// A tensor as the launcher describes it; dimensions count from the slowest.
template <typename T, int rank> struct gl {
  void *data;
  int extents[rank];
  int64_t strides[rank]; // bytes

  // Whether this place is in the tensor.
  TK_DEVICE bool holds(const int (&at)[rank]) const {
    bool inside = true;
#pragma unroll
    for (int i = 0; i < rank; ++i)
      inside = inside && unsigned(at[i]) < unsigned(extents[i]);
    return inside;
  }
  TK_DEVICE char *address(const int (&at)[rank]) const {
    char *result = static_cast<char *>(data);
#pragma unroll
    for (int i = 0; i < rank; ++i)
      result += at[i] * strides[i];
    return result;
  }
};

// Two words in global memory, 0 before and after a launch: the tiles taken after the first two of each block, and the
// blocks that have taken their last (tile/scheduler.h). In the static order the words are no launch's own, and the
// numbers taken from them are not used: a take under a condition would be waited for at once (on an H200, 7 us of 38
// for causal attention on 256 tiles).
struct tile_counter {
  uint32_t *words;
  bool is_static;

  // The tile's number, but for two of each block, which are not taken. Who adds them at once waits for
  // the memory at once.
  TK_DEVICE uint32_t take() const;

  // By one thread of each block, when it takes no more. The last one leaves zeros for the next launch.
  TK_DEVICE void finish() const;
};

} // namespace tk

#endif // TK_TILE_PARAMETERS_H
