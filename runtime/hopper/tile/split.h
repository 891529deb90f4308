//===- tile/split.h - Factors as the sum of two bf16 ----------------------===//
//
// To scale a column of a bf16 tile by a float and round again takes five instructions for two elements: two
// conversions, two multiplications, one conversion back. With the factor as the sum of two bf16,
//
//      factor = high + low      high = bf16(factor), low = bf16(factor - high)
//      x * factor = fma(x, high, x * low)
//
// it takes two, which compute pairs. The product is right to 2^-17 of itself before it is rounded to the 8 bits of a
// bf16. An infinite element may become NaN.
//
// Somebody else than those that multiply has to make the two, or nothing is gained: a scanner warp, of a vector in its
// lanes. In shared memory they lie in fragment order (tile/fragments.h), the highs of two neighbours in one word and
// their lows in the next.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_SPLIT_H
#define TK_TILE_SPLIT_H

#include <ptx/math.h>
#include <tile/lanes.h>

namespace tk {

// Factors of a thread's columns, in pairs.
template <int length> struct split_vec {
  static_assert(length % 16 == 0, "a thread reads those of four columns");
  uint32_t high[length / 8], low[length / 8];
};

// The part of `factor` that `high` lacks; none if either is infinite.
TK_DEVICE float rest_of(float factor, float high) {
  const float rest = factor - high;
  return fabsf(rest) < fabsf(high) ? rest : 0.0f;
}

template <int length> TK_DEVICE void store_split(sv<float, length> vector, const lane_vec<float, length> &factors) {
  static_assert(length % 64 == 0, "a lane has pairs of neighbours");
#pragma unroll
  for (int i = 0; i < factors.count; i += 2) {
    const float even = factors.values[i], odd = factors.values[i + 1];
    const uint32_t high = cvt_bf16x2(even, odd);
    const uint32_t low = cvt_bf16x2(rest_of(even, bf16_low(high)), rest_of(odd, bf16_high(high)));
    st_shared_v2_b32(vector.address + place_in_fragments(int(threadIdx.x % 32) * factors.count + i) * 4, high, low);
  }
}

// load_split<split_vec<64>>(vector)
template <typename R, int length> TK_DEVICE R load_split(sv<float, length> vector) {
  R factors;
#pragma unroll
  for (int i = 0; i < length / 8; i += 2)
    ld_shared_v4_b32(vector.address + i * 32 + threadIdx.x % 4 * 16, factors.high[i], factors.low[i],
                     factors.high[i + 1], factors.low[i + 1]);
  return factors;
}

// Each column times its factor.
template <int rows, int cols, int warps>
TK_DEVICE rt<bf16, rows, cols, warps> scale_columns(const rt<bf16, rows, cols, warps> &tile,
                                                    const split_vec<cols> &factors) {
  rt<bf16, rows, cols, warps> result;
#pragma unroll
  for (int m_block = 0; m_block < result.m_blocks; ++m_block)
#pragma unroll
    for (int i = 0; i < result.registers; ++i) { // of rows r and r + 8 by turns
      const uint32_t pair = tile.values[m_block][i];
      result.values[m_block][i] = fma_bf16x2(pair, factors.high[i / 2], mul_bf16x2(pair, factors.low[i / 2]));
    }
  return result;
}

} // namespace tk

#endif // TK_TILE_SPLIT_H
