//===- tile/fragment.h - Register tiles -----------------------------------===//
//
// An rt is the part of a register tile that one thread holds. The tile belongs
// to a warpgroup; it is cut into m64 blocks, and within an m64 block every
// MMA instruction uses the same layout:
//
//      register       0  1  2  3   4  5  6  7   ...
//      row         r  r  r+8 r+8   r  r  r+8 r+8        r = 16 * (t / 32) + (t % 32) / 4
//      column      c c+1  c c+1   c+8 ...                c = 2 * (t % 4)
//
// where t is the thread's index in the warpgroup. So eight more columns are
// four more registers, and a slice of columns is a slice of the array. Sixteen-
// bit types hold two neighbours of a row in one register, low half first; that
// is the layout in which an MMA takes its A operand from registers.
//
// Four 8-bit elements of a register, and the single one of a tf32, are those
// that an MMA takes too: of each 16 (tf32: 4) columns, thread t % 4 holds the
// t % 4-th four neighbours (the t % 4-th one). tile/order.h gets from one order
// to the other.
//
// A warp_rt belongs to one warp, with m64 blocks of 16 rows; it is laid out alike.
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

// One register of a fragment: one 32-bit value, a pair of 16-bit ones or four 8-bit ones.
template <typename T> struct fragment_register {
  using type = uint32_t;
  static constexpr int elements = 4 / int(sizeof(T));
};
template <> struct fragment_register<float> {
  using type = float;
  static constexpr int elements = 1;
};
template <> struct fragment_register<int> {
  using type = int;
  static constexpr int elements = 1;
};

// `warps` that hold the tile: the four of a warpgroup, or 1.
template <typename T, int rows_, int cols_, int warps_ = 4> struct rt {
  using element = T;
  using reg = typename fragment_register<T>::type;
  static constexpr int height = rows_;
  static constexpr int width = cols_;
  static constexpr int warps = warps_;
  static constexpr int m_block_rows = 16 * warps;
  static constexpr int m_blocks = rows_ / m_block_rows;
  static constexpr int per_register = fragment_register<T>::elements;
  static constexpr int registers = cols_ / 2 / per_register; // of one m64 block

  static_assert(rows_ > 0 && rows_ % m_block_rows == 0,
                "a warpgroup's register tile has a multiple of 64 rows, a warp's of 16: use more rows or fewer warps");
  static_assert(cols_ > 0 && cols_ % (sizeof(T) == 1 ? 16 : 8) == 0,
                "a register tile's width must be a multiple of 8 columns, of 16 for 8-bit elements");

  reg values[m_blocks][registers];

  // Sets all elements.
  TK_DEVICE void fill(T value) {
    static_assert(is_same<T, reg>, "only tiles of float and int are filled with a value");
#pragma unroll
    for (int m_block = 0; m_block < m_blocks; ++m_block)
#pragma unroll
      for (int i = 0; i < registers; ++i)
        values[m_block][i] = value;
  }

  // The rows from `first` on, a multiple of an m64 block that is constant once loops are unrolled.
  template <int count> TK_DEVICE rt<T, count, cols_, warps> rows(int first) const {
    static_assert(count <= rows_, "rows<count> takes more rows than the tile has");
    rt<T, count, cols_, warps> slice;
#pragma unroll
    for (int m_block = 0; m_block < slice.m_blocks; ++m_block)
#pragma unroll
      for (int i = 0; i < registers; ++i)
        slice.values[m_block][i] = values[first / m_block_rows + m_block][i];
    return slice;
  }

  // The columns from `first` on, a multiple of 8 (of 16 for 8-bit elements) that is constant once loops are unrolled.
  template <int count> TK_DEVICE rt<T, rows_, count, warps> columns(int first) const {
    static_assert(count <= cols_, "columns<count> takes more columns than the tile has");
    rt<T, rows_, count, warps> slice;
    const int offset = first / 2 / per_register;
#pragma unroll
    for (int m_block = 0; m_block < m_blocks; ++m_block)
#pragma unroll
      for (int i = 0; i < slice.registers; ++i)
        slice.values[m_block][i] = values[m_block][offset + i];
    return slice;
  }

  // The registers of `count` columns of one m64 block, in place: the operand of one MMA instruction.
  template <int count> TK_DEVICE reg (&part(int m_block, int first))[count / 2 / per_register] {
    constexpr int n = count / 2 / per_register;
    return reinterpret_cast<reg(&)[n]>(values[m_block][first / 2 / per_register]);
  }
};

template <typename T, int rows, int cols> using warp_rt = rt<T, rows, cols, 1>;

} // namespace tk

#endif // TK_TILE_FRAGMENT_H
