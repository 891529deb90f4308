//===- tile/shared.h - Tiles and vectors in shared memory -----------------===//
//
// An st is a view: a shared address with the tile's shape and layout in its
// type. Taking rows or columns of it gives a view of the same memory, which
// therefore remembers the shape of the tile it lies in. Columns that are less
// than a swizzle-atom column begin inside it: the address then points there as if nothing were
// swizzled, and the swizzle is applied to what an access adds up to.
//
// An sv is a vector: its elements follow one another, without a swizzle.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_SHARED_H
#define TK_TILE_SHARED_H

#include <tile/layout.h>
#include <tile/types.h>

namespace tk {

// Columns of ones that may stand beside a right operand: an MMA adds up the left operand's rows in them. Eight is
// the step of an instruction's N.
constexpr int columns_of_ones = 8;

// A tile with columns of ones after its last swizzle-atom column, as an operand: `tile`'s are a swizzle-atom column
// apart, so a swizzle-atom column after them must hold ones (shared_ring_with_ones).
template <typename tile> struct beside_ones : tile {
  static constexpr int width = tile::width + columns_of_ones;
  TK_DEVICE explicit beside_ones(const tile &view) : tile(view) {}
};

template <typename T, int rows_, int cols_, int tile_rows = rows_, int tile_cols = cols_> struct st {
  using element = T;
  static constexpr int height = rows_;
  static constexpr int width = cols_;
  static constexpr swizzle mode = swizzle_of_row(tile_cols * int(sizeof(T)));
  static constexpr int atom_cols = mode / int(sizeof(T)); // columns of one swizzle-atom column
  static constexpr int atom_bytes = tile_rows * mode;     // from one swizzle-atom column to the next
  static constexpr bool is_narrow = cols_ < atom_cols;    // a part of one swizzle-atom column
  static constexpr int atoms = is_narrow ? 1 : cols_ / atom_cols;
  static constexpr int bytes = rows_ * cols_ * int(sizeof(T));

  static_assert(mode != swizzle_none, "a shared tile's rows must be a multiple of 32 bytes: widen the tile");
  static_assert(tile_rows % 8 == 0, "a shared tile's height must be a multiple of 8, one swizzle pattern");
  static_assert(
      is_narrow ? atom_cols % cols_ == 0 : cols_ % atom_cols == 0,
      "columns of a shared tile must be whole swizzle-atom columns or an equal part of one, see tile/layout.h");

  uint32_t address;
  uint32_t sixteenths; // the address in units of 16 bytes, of which wgmma descriptors are made

  TK_DEVICE explicit st(uint32_t address) : address(address), sixteenths(address >> 4) {}

  // The tile that lies `bytes` further on, a multiple of 16: a stage of a ring. Both forms of the address are stepped,
  // for a shift of the sum would stand between the wait for a stage and the MMA that reads it.
  TK_DEVICE st further(int bytes) const {
    st result(address + bytes);
    result.sixteenths = sixteenths + bytes / 16;
    return result;
  }

  TK_DEVICE beside_ones<st> with_ones() const { return beside_ones<st>(*this); }

  // The address of a swizzle-atom column's first byte.
  TK_DEVICE uint32_t atom(int index) const { return address + index * atom_bytes; }

  // The rows from `first` on, a multiple of 8.
  template <int count> TK_DEVICE st<T, count, cols_, tile_rows, tile_cols> rows(int first) const {
    static_assert(count <= rows_, "rows<count> takes more rows than the tile has");
    return st<T, count, cols_, tile_rows, tile_cols>(address + first * mode);
  }

  // The columns from `first` on: a multiple of `count`, or of atom_cols.
  template <int count> TK_DEVICE st<T, rows_, count, tile_rows, tile_cols> columns(int first) const {
    static_assert(count <= cols_, "columns<count> takes more columns than the tile has");
    return st<T, rows_, count, tile_rows, tile_cols>(atom(first / atom_cols) + first % atom_cols * int(sizeof(T)));
  }
};

template <typename T, int length_> struct sv {
  using element = T;
  static constexpr int length = length_;
  static constexpr int bytes = length * int(sizeof(T));
  static_assert(bytes % 16 == 0, "a shared vector is a multiple of 16 bytes, which is what TMA copies");

  // The box of one TMA copy: at most 256 elements, in whole 16 bytes.
  static constexpr int box = vector_box(length, int(sizeof(T)));

  uint32_t address;

  TK_DEVICE explicit sv(uint32_t address) : address(address) {}

  // The elements from `first` on.
  template <int count> TK_DEVICE sv<T, count> columns(int first) const {
    static_assert(count <= length, "columns<count> takes more elements than the vector has");
    return sv<T, count>(address + first * int(sizeof(T)));
  }
};

} // namespace tk

#endif // TK_TILE_SHARED_H
