//===- tile/warp_mma.h - MMAs of a warp's own tiles -----------------------===//
//
// D += A B^T with all three in registers, by mma.sync: 16 x 8 of D and 32 bytes
// of K in one instruction, and done when it returns. B lies as N x K; its
// fragment of 16 x 32 bytes is the operand of two instructions, which do eight
// columns of D each.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_WARP_MMA_H
#define TK_TILE_WARP_MMA_H

#include <ptx/mma.h>
#include <tile/fragment.h>

namespace tk {

template <typename A, typename B, typename N>
TK_DEVICE void mma_instruction(N (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  if constexpr (is_same<A, bf16>)
    mma_f32_bf16(d, a, b);
  else if constexpr (is_same<A, f16>)
    mma_f32_f16(d, a, b);
  else if constexpr (is_same<A, tf32>) // 32 bytes of K are one instruction's, as for the others
    mma_f32_tf32(d, a, b);
  else if constexpr (is_same<A, int8>)
    mma_s32_s8(d, a, b);
  else if constexpr (is_same<A, e4m3> && is_same<B, e4m3>)
    mma_f32_e4m3(d, a, b);
  else if constexpr (is_same<A, e4m3>)
    mma_f32_e4m3_e5m2(d, a, b);
  else if constexpr (is_same<B, e4m3>)
    mma_f32_e5m2_e4m3(d, a, b);
  else
    mma_f32_e5m2(d, a, b);
}

// By one warp.
template <typename N, int m, int n, int k, typename A, typename B>
TK_DEVICE void mma_ABt(rt<N, m, n, 1> &d, const rt<A, m, k, 1> &a, const rt<B, n, k, 1> &b) {
  static_assert(k * sizeof(A) % 32 == 0, "an MMA takes K in steps of 32 bytes: make the tiles' K a multiple of that");
  static_assert(is_same<A, B> || (is_8_bit_float<A> && is_8_bit_float<B>), "an MMA takes two operands of one type");
#pragma unroll
  for (int step = 0; step < k * int(sizeof(A)) / 32; ++step)
#pragma unroll
    for (int m_block = 0; m_block < m / 16; ++m_block) {
      const auto &rows = a.values[m_block];
      const uint32_t left[4] = {rows[4 * step], rows[4 * step + 1], rows[4 * step + 2], rows[4 * step + 3]};
#pragma unroll
      for (int eight = 0; eight < n / 8; ++eight) {
        const auto &columns = b.values[eight / 2];
        const uint32_t right[2] = {columns[4 * step + eight % 2], columns[4 * step + 2 + eight % 2]};
        mma_instruction<A, B>(d.template part<8>(m_block, 8 * eight), left, right);
      }
    }
}

} // namespace tk

#endif // TK_TILE_WARP_MMA_H
