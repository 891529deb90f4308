//===- tile/shared.h - Tiles in shared memory -----------------------------===//
//
// An st is a view: a shared address with the tile's shape and layout in its
// type. Taking rows or columns of it gives a view of the same memory, which
// therefore remembers the shape of the tile it lies in.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_SHARED_H
#define TK_TILE_SHARED_H

#include <tile/layout.h>
#include <tile/types.h>

namespace tk {

template <typename T, int rows_, int cols_, int tile_rows = rows_, int tile_cols = cols_> struct st {
  static constexpr int height = rows_;
  static constexpr int width = cols_;
  static constexpr swizzle mode = swizzle_of_row(tile_cols * int(sizeof(T)));
  static constexpr int strip_cols = mode / int(sizeof(T)); // columns of one strip
  static constexpr int strip_bytes = tile_rows * mode;     // from one strip to the next
  static constexpr int strips = cols_ / strip_cols;
  static constexpr int bytes = rows_ * cols_ * int(sizeof(T));

  static_assert(mode != swizzle_none, "a shared tile's rows must be a multiple of 32 bytes: widen the tile");
  static_assert(tile_rows % 8 == 0, "a shared tile's height must be a multiple of 8, one swizzle pattern");
  static_assert(cols_ % strip_cols == 0, "columns of a shared tile must be whole strips, see tile/layout.h");

  uint32_t address;

  TK_DEVICE explicit st(uint32_t address) : address(address) {}

  // The address of a strip's first byte.
  TK_DEVICE uint32_t strip(int index) const { return address + index * strip_bytes; }

  // The rows from `first` on, a multiple of 8.
  template <int count> TK_DEVICE st<T, count, cols_, tile_rows, tile_cols> rows(int first) const {
    static_assert(count <= rows_, "rows<count> takes more rows than the tile has");
    return st<T, count, cols_, tile_rows, tile_cols>(address + first * mode);
  }

  // The columns from `first` on, a multiple of strip_cols.
  template <int count> TK_DEVICE st<T, rows_, count, tile_rows, tile_cols> columns(int first) const {
    static_assert(count <= cols_, "columns<count> takes more columns than the tile has");
    return st<T, rows_, count, tile_rows, tile_cols>(strip(first / strip_cols));
  }
};

} // namespace tk

#endif // TK_TILE_SHARED_H
