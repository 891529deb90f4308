//===- tile/convert.h - Register tiles of one type from another -----------===//
//
// The fragment layout is the same for all types, so a conversion moves nothing
// between threads: two neighbours of a row become one register.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_CONVERT_H
#define TK_TILE_CONVERT_H

#include <ptx/convert.h>
#include <tile/fragment.h>

namespace tk {

template <typename T> TK_DEVICE uint32_t pack(float low, float high) {
  static_assert(is_16_bit_float<T>, "only bf16 and f16 are packed in pairs");
  if constexpr (is_same<T, bf16>)
    return cvt_bf16x2(low, high);
  else
    return cvt_f16x2(low, high);
}

// Rounds to nearest even.
template <typename T, int rows, int cols> TK_DEVICE rt<T, rows, cols> convert(const rt<float, rows, cols> &source) {
  rt<T, rows, cols> result;
#pragma unroll
  for (int slab = 0; slab < result.slabs; ++slab)
#pragma unroll
    for (int i = 0; i < result.registers; ++i)
      result.values[slab][i] = pack<T>(source.values[slab][2 * i], source.values[slab][2 * i + 1]);
  return result;
}

} // namespace tk

#endif // TK_TILE_CONVERT_H
