//===- tile/fragment.h - Register tiles -----------------------------------===//
//
// An rt is the part of a register tile that one thread holds. The tile belongs
// to a warpgroup; it is cut into slabs of 64 rows, and within a slab every
// product instruction uses the same layout:
//
//      register       0  1  2  3   4  5  6  7   ...
//      row         r  r  r+8 r+8   r  r  r+8 r+8        r = 16 * (t / 32) + (t % 32) / 4
//      column      c c+1  c c+1   c+8 ...                c = 2 * (t % 4)
//
// where t is the thread's index in the warpgroup. So eight more columns are
// four more registers, and a slice of columns is a slice of the array. Sixteen-
// bit types hold two neighbours of a row in one register, low half first; that
// is the layout in which a product takes its A operand from registers.
//
// Indices must be constants once loops are unrolled, or the array leaves the
// registers.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_FRAGMENT_H
#define TK_TILE_FRAGMENT_H

#include <ptx/device.h>
#include <tile/types.h>

namespace tk {

// What one register of a fragment holds: one 32-bit value or a pair of 16-bit ones.
template <typename T> struct fragment_register {
  using type = T;
  static constexpr int elements = 1;
};
template <> struct fragment_register<bf16> {
  using type = uint32_t;
  static constexpr int elements = 2;
};
template <> struct fragment_register<f16> {
  using type = uint32_t;
  static constexpr int elements = 2;
};

template <typename T, int rows_, int cols_> struct rt {
  using element = T;
  using reg = typename fragment_register<T>::type;
  static constexpr int height = rows_;
  static constexpr int width = cols_;
  static constexpr int slabs = rows_ / 64;
  static constexpr int registers = cols_ / 2 / fragment_register<T>::elements; // of one slab

  static_assert(rows_ > 0 && rows_ % 64 == 0,
                "a warpgroup's register tile has a multiple of 64 rows: use more rows or fewer warpgroups");
  static_assert(cols_ > 0 && cols_ % 8 == 0, "a register tile's width must be a multiple of 8 columns");

  reg values[slabs][registers];

  // Sets all elements.
  TK_DEVICE void fill(T value) {
    static_assert(fragment_register<T>::elements == 1, "only tiles of 32-bit elements are filled with a value");
#pragma unroll
    for (int slab = 0; slab < slabs; ++slab)
#pragma unroll
      for (int i = 0; i < registers; ++i)
        values[slab][i] = value;
  }

  // The rows from `first` on, a multiple of 64 that is constant once loops are unrolled.
  template <int count> TK_DEVICE rt<T, count, cols_> rows(int first) const {
    static_assert(count <= rows_, "rows<count> takes more rows than the tile has");
    rt<T, count, cols_> slice;
#pragma unroll
    for (int slab = 0; slab < rt<T, count, cols_>::slabs; ++slab)
#pragma unroll
      for (int i = 0; i < registers; ++i)
        slice.values[slab][i] = values[first / 64 + slab][i];
    return slice;
  }

  // The columns from `first` on, a multiple of 8 that is constant once loops are unrolled.
  template <int count> TK_DEVICE rt<T, rows_, count> columns(int first) const {
    static_assert(count <= cols_, "columns<count> takes more columns than the tile has");
    rt<T, rows_, count> slice;
    const int offset = first / 2 / fragment_register<T>::elements;
#pragma unroll
    for (int slab = 0; slab < slabs; ++slab)
#pragma unroll
      for (int i = 0; i < rt<T, rows_, count>::registers; ++i)
        slice.values[slab][i] = values[slab][offset + i];
    return slice;
  }

  // The registers of `count` columns of one slab, in place: the operand of one product instruction.
  template <int count> TK_DEVICE reg (&part(int slab, int first))[count / 2 / fragment_register<T>::elements] {
    constexpr int n = count / 2 / fragment_register<T>::elements;
    return reinterpret_cast<reg(&)[n]>(values[slab][first / 2 / fragment_register<T>::elements]);
  }
};

} // namespace tk

#endif // TK_TILE_FRAGMENT_H
