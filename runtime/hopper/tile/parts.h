//===- tile/parts.h - Joining tiles, and single columns of them -----------===//
//
// Each thread joins its own registers. Parts that are whole registers are the
// tiles' own: rt::rows, rt::columns, col_vec::part. A single column is in one
// thread of each quad, and a shuffle gives it to all four.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_PARTS_H
#define TK_TILE_PARTS_H

#include <tile/map.h>

namespace tk {

// Side by side.
template <typename T, int rows, int a_cols, int b_cols, int warps>
TK_DEVICE auto concat_columns(const rt<T, rows, a_cols, warps> &a, const rt<T, rows, b_cols, warps> &b) {
  rt<T, rows, a_cols + b_cols, warps> result;
#pragma unroll
  for (int m_block = 0; m_block < result.m_blocks; ++m_block) {
#pragma unroll
    for (int i = 0; i < rt<T, rows, a_cols, warps>::registers; ++i)
      result.values[m_block][i] = a.values[m_block][i];
#pragma unroll
    for (int i = 0; i < rt<T, rows, b_cols, warps>::registers; ++i)
      result.values[m_block][rt<T, rows, a_cols, warps>::registers + i] = b.values[m_block][i];
  }
  return result;
}
template <typename T, int a_cols, int b_cols>
TK_DEVICE auto concat_columns(const row_vec<T, a_cols> &a, const row_vec<T, b_cols> &b) {
  row_vec<T, a_cols + b_cols> result;
#pragma unroll
  for (int group = 0; group < a_cols / 8; ++group)
    result.values[group][0] = a.values[group][0], result.values[group][1] = a.values[group][1];
#pragma unroll
  for (int group = 0; group < b_cols / 8; ++group)
    result.values[a_cols / 8 + group][0] = b.values[group][0],
                               result.values[a_cols / 8 + group][1] = b.values[group][1];
  return result;
}

// One below the other.
template <typename T, int a_rows, int b_rows, int cols, int warps>
TK_DEVICE auto concat_rows(const rt<T, a_rows, cols, warps> &a, const rt<T, b_rows, cols, warps> &b) {
  rt<T, a_rows + b_rows, cols, warps> result;
#pragma unroll
  for (int i = 0; i < result.registers; ++i) {
#pragma unroll
    for (int m_block = 0; m_block < rt<T, a_rows, cols, warps>::m_blocks; ++m_block)
      result.values[m_block][i] = a.values[m_block][i];
#pragma unroll
    for (int m_block = 0; m_block < rt<T, b_rows, cols, warps>::m_blocks; ++m_block)
      result.values[rt<T, a_rows, cols, warps>::m_blocks + m_block][i] = b.values[m_block][i];
  }
  return result;
}
template <typename T, int a_rows, int b_rows, int warps>
TK_DEVICE auto concat_rows(const col_vec<T, a_rows, warps> &a, const col_vec<T, b_rows, warps> &b) {
  col_vec<T, a_rows + b_rows, warps> result;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int m_block = 0; m_block < col_vec<T, a_rows, warps>::m_blocks; ++m_block)
      result.values[m_block][half] = a.values[m_block][half];
#pragma unroll
    for (int m_block = 0; m_block < col_vec<T, b_rows, warps>::m_blocks; ++m_block)
      result.values[col_vec<T, a_rows, warps>::m_blocks + m_block][half] = b.values[m_block][half];
  }
  return result;
}

// More than two.
template <typename A, typename B, typename... more>
TK_DEVICE auto concat_columns(const A &a, const B &b, const more &...others) {
  return concat_columns(concat_columns(a, b), others...);
}
template <typename A, typename B, typename... more>
TK_DEVICE auto concat_rows(const A &a, const B &b, const more &...others) {
  return concat_rows(concat_rows(a, b), others...);
}

// One column: column<37>(s).
template <int col, typename T, int rows, int cols, int warps>
TK_DEVICE col_vec<T, rows, warps> column(const rt<T, rows, cols, warps> &tile) {
  static_assert(col >= 0 && col < cols, "column<n> takes a column that the tile has not");
  const auto &ordered = in_order(tile);
  const int holder = (int(threadIdx.x % 32) & ~3) + col % 8 / 2;
  col_vec<T, rows, warps> result;
#pragma unroll
  for (int m_block = 0; m_block < result.m_blocks; ++m_block)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      result.values[m_block][half] = shfl(element(ordered, m_block, col / 8 * 4 + 2 * half + col % 2), holder);
  return result;
}

} // namespace tk

#endif // TK_TILE_PARTS_H
