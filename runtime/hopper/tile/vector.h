//===- tile/vector.h - Register vectors -----------------------------------===//
//
// A vector lies along a register tile: a col_vec has one value per row, a
// row_vec one per column. Each thread holds the values that belong to its
// elements of the tile (see tile/fragment.h), so that combining a tile with a
// vector moves nothing between threads:
//
//      col_vec     rows r and r + 8 of each m64 block: two registers per m64 block, the
//                  same in the four threads of a quad
//      row_vec     columns c and c + 1 of each eight: two registers per eight
//                  columns, the same in the eight quads of a warp and in all warps
//
// Values of narrow types are rounded, but kept in the type in which they are computed: a
// vector is small, and its partners are float or int.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_VECTOR_H
#define TK_TILE_VECTOR_H

#include <tile/fragment.h>

namespace tk {

// Extents are those of a tile; the one that a vector lacks is 0.
template <typename T, int rows_, int warps_ = 4> struct col_vec {
  using element = T;
  using reg = number_of<T>;
  static constexpr int height = rows_;
  static constexpr int width = 0;
  static constexpr int warps = warps_;
  static constexpr int m_block_rows = 16 * warps;
  static constexpr int m_blocks = rows_ / m_block_rows;
  static_assert(rows_ > 0 && rows_ % m_block_rows == 0,
                "a warpgroup's col_vec has a multiple of 64 values, a warp's of 16, as its tiles have rows");

  reg values[m_blocks][2];

  // All values are `value`.
  TK_DEVICE void fill(reg value) {
#pragma unroll
    for (int m_block = 0; m_block < m_blocks; ++m_block)
      values[m_block][0] = values[m_block][1] = value;
  }

  // The values from `first` on, a multiple of an m64 block that is constant once loops are unrolled.
  template <int count> TK_DEVICE col_vec<T, count, warps> part(int first) const {
    static_assert(count <= rows_, "part<count> takes more values than the vector has");
    col_vec<T, count, warps> slice;
#pragma unroll
    for (int m_block = 0; m_block < slice.m_blocks; ++m_block)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        slice.values[m_block][half] = values[first / m_block_rows + m_block][half];
    return slice;
  }
};

// In place of its tile's warps, of a vector in the lanes of one warp (tile/lanes.h).
constexpr int in_lanes = 32;
template <typename T, int length> struct lane_vec;

template <typename T, int rows> using warp_col_vec = col_vec<T, rows, 1>;

template <typename T, int cols_> struct row_vec {
  using element = T;
  using reg = number_of<T>;
  static constexpr int height = 0;
  static constexpr int width = cols_;
  static constexpr int warps = 0; // it belongs to tiles of any
  static_assert(cols_ > 0 && cols_ % 8 == 0, "a row_vec has a multiple of 8 values, as tiles have columns");

  reg values[cols_ / 8][2];

  // All values are `value`.
  TK_DEVICE void fill(reg value) {
#pragma unroll
    for (int group = 0; group < cols_ / 8; ++group)
      values[group][0] = values[group][1] = value;
  }

  // The values from `first` on, a multiple of 8 that is constant once loops are unrolled.
  template <int count> TK_DEVICE row_vec<T, count> part(int first) const {
    static_assert(count <= cols_, "part<count> takes more values than the vector has");
    row_vec<T, count> slice;
#pragma unroll
    for (int group = 0; group < count / 8; ++group)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        slice.values[group][half] = values[first / 8 + group][half];
    return slice;
  }

  // The value of group `first + chosen`, where `first` is constant once loops are unrolled and `chosen`, below 8, is
  // not. One store of the chosen value replaces eight under a condition each, for which ptxas spills though registers
  // are left.
  TK_DEVICE reg choose(int first, int chosen, int half) const {
    reg value = values[first][half];
#pragma unroll
    for (int other = 1; other < 8; ++other)
      if (first + other < cols_ / 8)
        value = chosen == other ? values[first + other][half] : value;
    return value;
  }
};

} // namespace tk

#endif // TK_TILE_VECTOR_H
