//===- tile/interleave.h - Pairs of columns: apart, together, swapped -----===//
//
// Rows of pairs (real and imaginary parts, the points of a rotary embedding) lie in
// memory as a0 b0 a1 b1 ...; even_columns and odd_columns are the tiles of all a and
// of all b, and interleave_columns(a, b) is the tile of pairs again.
//
// Of the eight pairs of sixteen columns, thread t of a quad holds pairs t and t + 4;
// of the tile of all a it holds elements 2 t and 2 t + 1 of eight:
//
//      thread of the quad    0      1      2      3
//      of pairs             0 4    1 5    2 6    3 7
//      of parts             0 1    2 3    4 5    6 7
//
// Two shuffles bring two values from one order to the other. In each of them a thread
// gives one of its values to the two threads that read it, and those are told apart
// by one bit of their index, so which value it is depends on the giver alone.
//
// Pairs of 16-bit elements travel as one register.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_INTERLEAVE_H
#define TK_TILE_INTERLEAVE_H

#include <ptx/shuffle.h>
#include <tile/map.h>

namespace tk {

// Two values of the order of pairs into that of parts, and back. All lanes of a warp take part.
template <typename value> TK_DEVICE void pairs_to_parts(value &low, value &high) {
  const int lane = int(threadIdx.x % 32), quad = lane & ~3, bit = lane % 2, other = lane / 2 % 2;
  const value near = shfl(bit ? high : low, quad + 2 * bit + other);
  const value far = shfl(bit ? low : high, quad + 2 * bit + (1 - other));
  low = other ? far : near, high = other ? near : far;
}
template <typename value> TK_DEVICE void parts_to_pairs(value &low, value &high) {
  const int lane = int(threadIdx.x % 32), quad = lane & ~3, bit = lane % 2, other = lane / 2 % 2;
  const value near = shfl(other ? high : low, quad + 2 * bit + other);
  const value far = shfl(other ? low : high, quad + 2 * (1 - bit) + other);
  low = bit ? far : near, high = bit ? near : far;
}

// The columns 2 j + odd.
template <int odd, typename T, int rows, int cols, int warps>
TK_DEVICE rt<T, rows, cols / 2, warps> every_other_column(const rt<T, rows, cols, warps> &tile) {
  static_assert(cols % 16 == 0, "a tile of pairs has a multiple of 16 columns");
  if constexpr (is_16_bit_float<T>) {
    rt<T, rows, cols / 2, warps> result;
#pragma unroll
    for (int m_block = 0; m_block < result.m_blocks; ++m_block)
#pragma unroll
      for (int i = 0; i < result.registers; ++i) { // result registers of rows r and r + 8 alternate
        uint32_t low = tile.values[m_block][i / 2 * 4 + i % 2], high = tile.values[m_block][i / 2 * 4 + i % 2 + 2];
        pairs_to_parts(low, high);
        result.values[m_block][i] = odd ? low >> 16 | (high & 0xffff0000) : (low & 0xffff) | high << 16;
      }
    return result;
  } else {
    const auto &ordered = in_order(tile);
    rt<number_of<T>, rows, cols / 2, warps> result;
#pragma unroll
    for (int m_block = 0; m_block < result.m_blocks; ++m_block)
#pragma unroll
      for (int i = 0; i < result.registers; i += 2) {
        auto low = element(ordered, m_block, i / 4 * 8 + i % 4 + odd);
        auto high = element(ordered, m_block, i / 4 * 8 + i % 4 + 4 + odd);
        pairs_to_parts(low, high);
        result.values[m_block][i] = low, result.values[m_block][i + 1] = high;
      }
    return convert<T>(result);
  }
}
template <typename X> TK_DEVICE auto even_columns(const X &tile) { return every_other_column<0>(tile); }
template <typename X> TK_DEVICE auto odd_columns(const X &tile) { return every_other_column<1>(tile); }

// The columns of `even` and `odd` interleaved.
template <typename T, int rows, int cols, int warps>
TK_DEVICE rt<T, rows, 2 * cols, warps> interleave_columns(const rt<T, rows, cols, warps> &even,
                                                          const rt<T, rows, cols, warps> &odd) {
  if constexpr (is_16_bit_float<T>) {
    rt<T, rows, 2 * cols, warps> result;
#pragma unroll
    for (int m_block = 0; m_block < result.m_blocks; ++m_block)
#pragma unroll
      for (int i = 0; i < even.registers; ++i) {
        const uint32_t a = even.values[m_block][i], b = odd.values[m_block][i];
        uint32_t low = (a & 0xffff) | b << 16, high = a >> 16 | (b & 0xffff0000);
        parts_to_pairs(low, high);
        result.values[m_block][i / 2 * 4 + i % 2] = low, result.values[m_block][i / 2 * 4 + i % 2 + 2] = high;
      }
    return result;
  } else {
    rt<number_of<T>, rows, 2 * cols, warps> result;
    auto place = [&](const auto &ordered, int first) {
#pragma unroll
      for (int m_block = 0; m_block < result.m_blocks; ++m_block)
#pragma unroll
        for (int i = 0; i < cols / 2; i += 2) {
          auto low = element(ordered, m_block, i), high = element(ordered, m_block, i + 1);
          parts_to_pairs(low, high);
          result.values[m_block][i / 4 * 8 + i % 4 + first] = low;
          result.values[m_block][i / 4 * 8 + i % 4 + 4 + first] = high;
        }
    };
    place(in_order(even), 0);
    place(in_order(odd), 1);
    return convert<T>(result);
  }
}

// The columns 1, 0, 3, 2, ...: both of a pair lie in one thread, and mostly in one register.
template <typename T, int rows, int cols, int warps>
TK_DEVICE rt<T, rows, cols, warps> swap_pairs(const rt<T, rows, cols, warps> &tile) {
  rt<T, rows, cols, warps> result;
#pragma unroll
  for (int m_block = 0; m_block < result.m_blocks; ++m_block)
#pragma unroll
    for (int i = 0; i < result.registers; ++i)
      if constexpr (sizeof(T) == 1)
        result.values[m_block][i] = prmt(tile.values[m_block][i], 0, 0x2301);
      else if constexpr (is_16_bit_float<T>)
        result.values[m_block][i] = prmt(tile.values[m_block][i], 0, 0x1032);
      else if constexpr (is_same<T, tf32>) // tile/order.h: the neighbour has the other one
        result.values[m_block][i] = shuffle_in_quad(tile.values[m_block][i], quad_lane() ^ 1);
      else
        result.values[m_block][i] = arrived(tile.values[m_block][i ^ 1]);
  return result;
}

} // namespace tk

#endif // TK_TILE_INTERLEAVE_H
