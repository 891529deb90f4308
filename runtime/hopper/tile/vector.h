//===- tile/vector.h - Register vectors -----------------------------------===//
//
// A vector lies along a register tile: a col_vec has one value per row, a
// row_vec one per column. Each thread holds the values that belong to its
// elements of the tile (see tile/fragment.h), so that combining a tile with a
// vector moves nothing between threads:
//
//      col_vec     rows r and r + 8 of each slab: two registers per slab, the
//                  same in the four threads of a quad
//      row_vec     columns c and c + 1 of each eight: two registers per eight
//                  columns, the same in the eight quads of a warp and in all warps
//
// Values of 16-bit types are rounded, but held as floats: a vector is small, and
// what it meets is float.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_VECTOR_H
#define TK_TILE_VECTOR_H

#include <tile/fragment.h>

namespace tk {

template <typename T> struct vector_register {
  using type = T;
};
template <> struct vector_register<bf16> {
  using type = float;
};
template <> struct vector_register<f16> {
  using type = float;
};

// Extents are those of a tile; the one that a vector lacks is 0.
template <typename T, int rows_> struct col_vec {
  using element = T;
  using reg = typename vector_register<T>::type;
  static constexpr int height = rows_;
  static constexpr int width = 0;
  static constexpr int slabs = rows_ / 64;
  static_assert(rows_ > 0 && rows_ % 64 == 0,
                "a warpgroup's col_vec has a multiple of 64 values, as its tiles have rows");

  reg values[slabs][2];

  // All values are `value`.
  TK_DEVICE void fill(reg value) {
#pragma unroll
    for (int slab = 0; slab < slabs; ++slab)
      values[slab][0] = values[slab][1] = value;
  }
};

template <typename T, int cols_> struct row_vec {
  using element = T;
  using reg = typename vector_register<T>::type;
  static constexpr int height = 0;
  static constexpr int width = cols_;
  static_assert(cols_ > 0 && cols_ % 8 == 0, "a row_vec has a multiple of 8 values, as tiles have columns");

  reg values[cols_ / 8][2];

  // All values are `value`.
  TK_DEVICE void fill(reg value) {
#pragma unroll
    for (int group = 0; group < cols_ / 8; ++group)
      values[group][0] = values[group][1] = value;
  }
};

} // namespace tk

#endif // TK_TILE_VECTOR_H
