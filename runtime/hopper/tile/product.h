//===- tile/product.h - Products of tiles ---------------------------------===//
//
// mma_AB, mma_ABt, mma_AtB and mma_AtBt issue the wgmma instructions of one tile
// product, without waiting: D += A B with D in registers, B in shared memory and
// A in either. The names say how the operands lie in memory, ThunderKittens'
// way: mma_ABt takes B as N x K, mma_AtB takes A as K x M.
//
// One instruction does 64 rows, N columns and 16 of K. So a product is a loop
// over K, over slabs of 64 rows and, if N > 256, over equal parts of the width,
// K outermost, so that neighbouring instructions share what they read.
//
// A shared operand is named by a 64-bit descriptor. Between the instructions of
// a product only its low word changes, by an addition; the high word is a
// constant of the tile's type, so no 64-bit value stays alive.
//
//      low    bits 0-13   address / 16 (18 bits of address: in a cluster the higher ones name the block)
//             bits 16-29  LBO / 16
//      high   bits 0-13   SBO / 16
//             bits 30-31  swizzle: 1 = 128 bytes, 2 = 64 bytes, 3 = 32 bytes
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#asynchronous-warpgroup-level-matrix-shared-memory-layout
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_PRODUCT_H
#define TK_TILE_PRODUCT_H

#include <ptx/wgmma.h>
#include <tile/fragment.h>
#include <tile/shared.h>

namespace tk {

// A shared tile as a wgmma operand. `major` says which dimension is contiguous: k_major tiles are MN x K, mn_major
// ones K x MN.
template <typename tile, wgmma_major major> struct shared_operand {
  static constexpr int k = major == k_major ? tile::width : tile::height;
  static constexpr int mn = major == k_major ? tile::height : tile::width;
  static_assert(k % 16 == 0, "a product takes K in steps of 16: make the tiles' K a multiple of 16");

  // Eight rows of a strip, one swizzle pattern, and then the next eight. LBO is the way to the next strip when
  // strips follow one another along MN; along K the instruction never crosses a strip and ignores it.
  static constexpr uint32_t sbo = 8 * tile::mode;
  static constexpr uint32_t lbo = major == mn_major ? tile::strip_bytes : 16;
  static constexpr uint32_t layout = tile::mode == swizzle_128 ? 1 : tile::mode == swizzle_64 ? 2 : 3;
  static constexpr uint32_t high = sbo >> 4 | layout << 30;

  uint32_t low;

  TK_DEVICE explicit shared_operand(tile shared) : low((shared.address & 0x3ffff) >> 4 | lbo >> 4 << 16) {}

  // Of the 16 of K from 16 * step on, and of M or N from `first` on.
  TK_DEVICE uint64_t descriptor(int step, int first) const {
    return uint64_t(high) << 32 | (low + (offset(step, first) >> 4));
  }

  TK_DEVICE static uint32_t offset(int step, int first) {
    if (major == k_major) // `first` rows down, 32 bytes per step along the row, which may lead to another strip
      return step * 32 / tile::mode * tile::strip_bytes + step * 32 % tile::mode + first * tile::mode;
    return step * 16 * tile::mode + first / tile::strip_cols * tile::strip_bytes;
  }
};

// The width of one instruction: the largest up to `widest` that divides N into equal parts, each a multiple of
// `multiple`. 0 if there is none.
TK_HOST_DEVICE constexpr int product_width(int n, int widest, int multiple) {
  int width = 0;
  for (int w = multiple; w <= widest && w <= n; w += multiple)
    if (n % w == 0)
      width = w;
  return width;
}

template <typename T, wgmma_major a_major, wgmma_major b_major, int n>
TK_DEVICE void wgmma(float (&d)[n], uint64_t a, uint64_t b, bool accumulate) {
  if constexpr (is_same<T, bf16>)
    wgmma_f32_bf16<a_major, b_major>(d, a, b, accumulate);
  else
    wgmma_f32_f16<a_major, b_major>(d, a, b, accumulate);
}

template <typename T, wgmma_major b_major, int n>
TK_DEVICE void wgmma(float (&d)[n], const uint32_t (&a)[4], uint64_t b, bool accumulate) {
  if constexpr (is_same<T, bf16>)
    wgmma_f32_bf16<b_major>(d, a, b, accumulate);
  else
    wgmma_f32_f16<b_major>(d, a, b, accumulate);
}

// A and B in shared memory.
template <int widest, wgmma_major a_major, wgmma_major b_major, int m, int n, typename T, int a_rows, int a_cols,
          int a_tile_rows, int a_tile_cols, int b_rows, int b_cols, int b_tile_rows, int b_tile_cols>
TK_DEVICE void mma(rt<float, m, n> &d, st<T, a_rows, a_cols, a_tile_rows, a_tile_cols> a,
                   st<T, b_rows, b_cols, b_tile_rows, b_tile_cols> b, bool accumulate) {
  const shared_operand<decltype(a), a_major> a_operand(a);
  const shared_operand<decltype(b), b_major> b_operand(b);
  constexpr int width = product_width(n, widest, b_major == mn_major && n > widest ? b.strip_cols : 8);
  static_assert(is_16_bit_float<T>, "this product takes bf16 or f16 operands");
  static_assert(a_operand.mn == m, "A must have as many rows as the result: check the tile sizes");
  static_assert(b_operand.mn == n, "B must have as many columns as the result: check the tile sizes");
  static_assert(a_operand.k == b_operand.k, "A and B must have the same K: check the tile sizes");
  static_assert(width > 0, "no legal instruction width divides N into whole strips: make N a multiple of 64");
#pragma unroll
  for (int step = 0; step < a_operand.k / 16; ++step)
#pragma unroll
    for (int slab = 0; slab < d.slabs; ++slab)
#pragma unroll
      for (int first = 0; first < n; first += width)
        wgmma<T, a_major, b_major>(d.template part<width>(slab, first), a_operand.descriptor(step, slab * 64),
                                   b_operand.descriptor(step, first), accumulate || step > 0);
}

// A in registers, B in shared memory. The fragment of 16 columns is four registers, in A's order.
template <int widest, wgmma_major a_major, wgmma_major b_major, int m, int n, typename T, int k, int b_rows, int b_cols,
          int b_tile_rows, int b_tile_cols>
TK_DEVICE void mma(rt<float, m, n> &d, const rt<T, m, k> &a, st<T, b_rows, b_cols, b_tile_rows, b_tile_cols> b,
                   bool accumulate) {
  const shared_operand<decltype(b), b_major> b_operand(b);
  constexpr int width = product_width(n, widest, b_major == mn_major && n > widest ? b.strip_cols : 8);
  static_assert(is_16_bit_float<T>, "this product takes bf16 or f16 operands: convert the register tile first");
  static_assert(a_major == k_major, "A in registers is M x K: use mma_AB or mma_ABt, or put A into shared memory");
  static_assert(b_operand.mn == n, "B must have as many columns as the result: check the tile sizes");
  static_assert(b_operand.k == k, "A and B must have the same K: check the tile sizes");
  static_assert(width > 0, "no legal instruction width divides N into whole strips: make N a multiple of 64");
#pragma unroll
  for (int step = 0; step < k / 16; ++step)
#pragma unroll
    for (int slab = 0; slab < d.slabs; ++slab) {
      // In place: the product owns these registers until its wait, not a copy of them.
      const auto &fragment = reinterpret_cast<const uint32_t(&)[4]>(a.values[slab][4 * step]);
#pragma unroll
      for (int first = 0; first < n; first += width)
        wgmma<T, b_major>(d.template part<width>(slab, first), fragment, b_operand.descriptor(step, first),
                          accumulate || step > 0);
    }
}

// The products by name. `accumulate` false overwrites D instead of adding to it; D need not hold anything then.
// `widest` limits the width of one instruction: a block of 512 threads starts with 128 registers per thread, and
// ptxas fits no instruction of more than 200 columns into them (C7602), so it passes 128.

template <int widest = 256, typename D, typename A, typename B>
TK_DEVICE void mma_AB(D &d, const A &a, const B &b, bool accumulate) {
  mma<widest, k_major, mn_major>(d, a, b, accumulate);
}

template <int widest = 256, typename D, typename A, typename B>
TK_DEVICE void mma_ABt(D &d, const A &a, const B &b, bool accumulate) {
  mma<widest, k_major, k_major>(d, a, b, accumulate);
}

template <int widest = 256, typename D, typename A, typename B>
TK_DEVICE void mma_AtB(D &d, const A &a, const B &b, bool accumulate) {
  mma<widest, mn_major, mn_major>(d, a, b, accumulate);
}

template <int widest = 256, typename D, typename A, typename B>
TK_DEVICE void mma_AtBt(D &d, const A &a, const B &b, bool accumulate) {
  mma<widest, mn_major, k_major>(d, a, b, accumulate);
}

} // namespace tk

#endif // TK_TILE_PRODUCT_H
