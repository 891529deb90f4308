//===- tile/transpose.h - Rows become columns -----------------------------===//
//
// A warp transposes its own tile in registers: 16-bit elements by movmatrix, one
// for each 8 x 8; others by shuffles. The warps of a warpgroup hold different
// rows, so their tile goes through shared memory: it is written transposed, all
// meet, and everybody reads his rows of the result.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_TRANSPOSE_H
#define TK_TILE_TRANSPOSE_H

#include <tile/move.h>

namespace tk {

//===----------------------------------------------------------------------===//
// A warp's own
//===----------------------------------------------------------------------===//

// Elements (g, 2q) and (g, 2q + 1) of an 8 x 8 matrix become (2q, g) and (2q + 1, g).
template <typename N> TK_DEVICE void transpose_8x8(N &first, N &second) {
  const int lane = int(threadIdx.x % 32), row = lane / 4, from = lane % 4 * 8 + row / 2;
  const N even_of_first = shfl(first, from), odd_of_first = shfl(second, from);
  const N even_of_second = shfl(first, from + 4), odd_of_second = shfl(second, from + 4);
  first = row % 2 ? odd_of_first : even_of_first, second = row % 2 ? odd_of_second : even_of_second;
}

template <typename T, int rows, int cols> TK_DEVICE rt<T, cols, rows, 1> transpose(const rt<T, rows, cols, 1> &source) {
  if constexpr (is_16_bit_float<T>) {
    rt<T, cols, rows, 1> result;
#pragma unroll
    for (int m_block = 0; m_block < rows / 16; ++m_block)
#pragma unroll
      for (int group = 0; group < cols / 16; ++group) // of four matrices, those beside the diagonal change places
#pragma unroll
        for (int i = 0; i < 4; ++i)
          result.values[group][4 * m_block + (i % 2 * 2 + i / 2)] =
              movmatrix_trans(source.values[m_block][4 * group + i]);
    return result;
  } else if constexpr (is_same<T, float> || is_same<T, int>) {
    rt<T, cols, rows, 1> result;
#pragma unroll
    for (int row = 0; row < rows / 8; ++row)
#pragma unroll
      for (int col = 0; col < cols / 8; ++col) {
        const auto &from = source.values[row / 2];
        T first = from[4 * col + row % 2 * 2], second = from[4 * col + row % 2 * 2 + 1];
        transpose_8x8(first, second);
        auto &to = result.values[col / 2];
        to[4 * row + col % 2 * 2] = first, to[4 * row + col % 2 * 2 + 1] = second;
      }
    return result;
  } else { // as numbers of 32 bits, which is exact
    return convert<T>(transpose(convert<number_of<T>>(source)));
  }
}

template <typename T, int length> TK_DEVICE row_vec<T, length> transpose(const col_vec<T, length, 1> &source) {
  row_vec<T, length> result;
#pragma unroll
  for (int group = 0; group < length / 8; ++group)
#pragma unroll
    for (int odd = 0; odd < 2; ++odd)
      result.values[group][odd] = shfl(source.values[group / 2][group % 2], int(threadIdx.x % 4) * 8 + odd * 4);
  return result;
}

template <typename T, int length> TK_DEVICE col_vec<T, length, 1> transpose(const row_vec<T, length> &source) {
  const int lane = int(threadIdx.x % 32), row = lane / 4;
  col_vec<T, length, 1> result;
#pragma unroll
  for (int group = 0; group < length / 8; ++group) {
    const auto even = shfl(source.values[group][0], row / 2), odd = shfl(source.values[group][1], row / 2);
    result.values[group / 2][group % 2] = row % 2 ? odd : even;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Through shared memory, by `warpgroups` warpgroups that hold one tile or vector, this one the `index`-th part of it.
// `scratch` has room for its elements (vectors: 4 bytes each), at a multiple of 1024 bytes; `barrier` is a named
// barrier that nobody else uses meanwhile.
//===----------------------------------------------------------------------===//

// Writes a part of a tile, from row `first_row` of it on, to the transposed tile in shared memory.
template <typename T, int rows, int cols, int all_rows>
TK_DEVICE void store_transposed(st<T, cols, all_rows> tile, int first_row, const rt<T, rows, cols> &source) {
  if constexpr (is_16_bit_float<T>) {
    // Lane L gives row L % 8 of transposed matrix L / 8: columns from 8 * (L / 16) on become rows.
    const int thread = int(threadIdx.x % 128);
    // An m64 block's 64 rows become the 64 columns of a swizzle-atom column.
    static_assert(st<T, cols, all_rows>::atom_cols == 64, "rows of 64 16-bit elements are one swizzle-atom column");
    const int row = thread % 8 + thread % 32 / 16 * 8, col = first_row + thread / 32 * 16 + thread / 8 % 2 * 8;
    const uint32_t first = tile.atom(col / 64) + row * tile.mode, byte = col % 64 * 2;
#pragma unroll
    for (int m_block = 0; m_block < rows / 64; ++m_block)
#pragma unroll
      for (int group = 0; group < cols / 16; ++group) {
        const auto &r = source.values[m_block];
        stmatrix_x4_trans(first + m_block * tile.atom_bytes + group * 16 * tile.mode +
                              (byte ^ swizzle_bits<tile.mode>(first)),
                          r[4 * group], r[4 * group + 1], r[4 * group + 2], r[4 * group + 3]);
      }
  } else {
    const auto &ordered = in_order(source);
    const element_place<4> place;
#pragma unroll
    for (int m_block = 0; m_block < rows / 64; ++m_block)
#pragma unroll
      for (int i = 0; i < cols / 2; ++i) {
        const int col = first_row + place.row(m_block, i);
        const uint32_t address = tile.atom(col / tile.atom_cols) + place.col(i) * tile.mode;
        const uint32_t byte = col % tile.atom_cols * int(sizeof(T));
        store_element<T>(address + (byte ^ swizzle_bits<tile.mode>(address)), element(ordered, m_block, i));
      }
  }
}

template <int warpgroups, typename T, int rows, int cols>
TK_DEVICE auto transpose(const rt<T, rows, cols> &source, uint32_t scratch, int barrier, int index) {
  constexpr int all_rows = rows * warpgroups, part = cols / warpgroups;
  static_assert(part % 64 == 0, "each warpgroup has a multiple of 64 rows of the transposed tile");
  const st<T, cols, all_rows> tile(scratch);
  store_transposed(tile, index * rows, source);
  named_barrier_sync(barrier, 128 * warpgroups); // all of the tile is written
  const auto result = load<rt<T, part, all_rows>>(tile.template rows<part>(index * part));
  named_barrier_sync(barrier, 128 * warpgroups); // all of it is read: scratch may be written again
  return result;
}

template <int warpgroups, typename T, int rows>
TK_DEVICE row_vec<T, rows * warpgroups> transpose(const col_vec<T, rows> &source, uint32_t scratch, int barrier,
                                                  int index) {
  const sv<number_of<T>, rows * warpgroups> vector(scratch);
  store(vector.template columns<rows>(index * rows), convert<number_of<T>>(source));
  named_barrier_sync(barrier, 128 * warpgroups); // all of the vector is written
  const auto result = load<row_vec<number_of<T>, rows * warpgroups>>(vector);
  named_barrier_sync(barrier, 128 * warpgroups); // all of it is read: scratch may be written again
  return convert<T>(result);
}

template <int warpgroups, typename T, int cols>
TK_DEVICE col_vec<T, cols / warpgroups> transpose(const row_vec<T, cols> &source, uint32_t scratch, int barrier,
                                                  int index) {
  const sv<number_of<T>, cols> vector(scratch);
  if (index == 0)
    store(vector, convert<number_of<T>>(source));
  named_barrier_sync(barrier, 128 * warpgroups); // all of the vector is written
  const auto result = load<col_vec<number_of<T>, cols / warpgroups>>(
      vector.template columns<cols / warpgroups>(index * (cols / warpgroups)));
  named_barrier_sync(barrier, 128 * warpgroups); // all of it is read: scratch may be written again
  return convert<T>(result);
}

} // namespace tk

#endif // TK_TILE_TRANSPOSE_H
