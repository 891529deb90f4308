//===- tile/layout.h - How a tile lies in shared memory -------------------===//
//
// A tile is cut into columns of swizzle atoms, one after another. A swizzle-atom column is as
// wide as its swizzle spans: 128, 64 or 32 bytes; its rows follow one another.
//
//      128 x 96 bf16, rows of 192 bytes: three swizzle-atom columns with a 64-byte swizzle
//
//      columns  0 .. 31   32 .. 63   64 .. 95
//      row 0   |  64 B  | |  64 B  | |  64 B  |
//      row 1   |  64 B  | |  64 B  | |  64 B  |
//        :          :          :          :
//      address  0          8192       16384
//
// Stored plainly, the eight rows of an 8x8 matrix would lie in the same few of
// the 32 banks. The swizzle spreads them: it permutes the 16-byte chunks of a
// row by the row's index. With 128 bytes:
//
//      row 0   0 1 2 3 4 5 6 7         chunk c of row r lies at place c ^ (r % 8)
//      row 1   1 0 3 2 5 4 7 6
//      row 2   2 3 0 1 6 7 4 5         bits of the byte address:
//      row 3   3 2 1 0 7 6 5 4           9 8 7   6 5 4   3 2 1 0
//        :                               row     chunk   byte in the chunk
//      row 7   7 6 5 4 3 2 1 0            |        ^
//                                         +-- xor -+
//
// TMA writes tiles in this order and wgmma reads them, both from the address
// bits alone; code that stores with stmatrix applies the same function by hand.
// That is why every tile starts at a multiple of 1024 bytes.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_LAYOUT_H
#define TK_TILE_LAYOUT_H

#include <ptx/device.h>

namespace tk {

// The value is the span in bytes.
enum swizzle : int { swizzle_none = 16, swizzle_32 = 32, swizzle_64 = 64, swizzle_128 = 128 };

// The widest swizzle whose span divides the row: fewest swizzle-atom columns, fewest TMA copies.
TK_HOST_DEVICE constexpr swizzle swizzle_of_row(int bytes) {
  return bytes % 128 == 0 ? swizzle_128 : bytes % 64 == 0 ? swizzle_64 : bytes % 32 == 0 ? swizzle_32 : swizzle_none;
}

// The extent of the rows in a tensor map for parts of them (host/map_dimensions.h): the most rows a part has.
constexpr int part_rows = 1 << 30;

// How many elements of a vector one TMA copy moves: its length in equal parts of at most 256 and of whole 16 bytes.
TK_HOST_DEVICE constexpr int vector_box(int length, int element_bytes) {
  int parts = (length + 255) / 256;
  while (length % parts != 0 || length / parts * element_bytes % 16 != 0)
    ++parts;
  return length / parts;
}

// The bits that the swizzle xors into the address of a byte, for the row that starts at `row_address`.
template <swizzle mode> TK_DEVICE uint32_t swizzle_bits(uint32_t row_address) {
  return (row_address >> 7 & (mode / 16 - 1)) << 4;
}

} // namespace tk

#endif // TK_TILE_LAYOUT_H
