//===- tile/output.h - Stores that end exactly at a tensor's edge ---------===//
//
// A TMA store drops what lies beyond the tensor's high edges, but along the rows
// it does so in whole 16 bytes: a row of 100 bf16 (200 bytes) is written up to
// byte 208. Those bytes may be another tensor's, if this one is some columns of
// a wider one. (Measured on an H200: every width that is not a multiple of 8
// bf16 overwrote its neighbours with zeros.)
//
// So the tensor map of an output covers the columns that are whole 16 bytes, and
// the up to seven columns behind them are stored by ordinary instructions, from
// the same shared tile, one row per thread:
//
//      | 16 bytes | 16 bytes | ... | 16 bytes | 6 bytes |
//      |------------ tma_store ---------------| 4 + 2: store_row_ends
//
// Only tiles at the right edge have such columns; for all others store_row_ends is
// a compare. It has no loop and no branch that differs between threads: with one,
// ptxas gives up uniform registers in the whole tile loop.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_OUTPUT_H
#define TK_TILE_OUTPUT_H

#include <ptx/memory.h>
#include <ptx/tma.h>
#include <tile/shared.h>

namespace tk {

// Coordinates of a strip as TMA wants them, fastest dimension first; `origin` lists the slowest first.
template <int rank> struct strip_coordinates {
  int values[rank];

  TK_DEVICE strip_coordinates(const int (&origin)[rank], int column) {
#pragma unroll
    for (int i = 0; i < rank; ++i)
      values[i] = origin[rank - 1 - i];
    values[0] += column;
  }
};

// A tensor that a kernel writes, as the launcher describes it.
struct output_map {
  CUtensorMap whole;  // the columns in whole 16 bytes
  void *data;         // of the tensor's first element
  int extents[4];     // all elements, slowest dimension first
  int64_t strides[4]; // bytes
};

// The first `bytes` bytes of the 16 in four registers; both are even and less than 16.
TK_DEVICE void store_part(char *to, int bytes, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3) {
  if (bytes & 8) {
    st_global_v2_b32(to, r0, r1);
    to += 8, r0 = r2, r1 = r3;
  }
  if (bytes & 4) {
    st_global_b32(to, r0);
    to += 4, r0 = r1;
  }
  if (bytes & 2)
    st_global_b16(to, uint16_t(r0));
}

// The tensor's columns in whole 16 bytes.
template <typename T> TK_DEVICE int whole_columns(int columns) { return columns & ~(16 / int(sizeof(T)) - 1); }

// By one thread, which then commits, after the tile's writers have fenced and met: the tile's memory may be reused
// after bulk_wait_read. Stores the tile's part of the tensor, up to its last whole 16 bytes.
template <typename T, int rows, int cols, int tile_rows, int tile_cols, int rank>
TK_DEVICE void tma_store(const output_map &map, const int (&origin)[rank],
                         st<T, rows, cols, tile_rows, tile_cols> tile) {
#pragma unroll
  for (int s = 0; s < tile.strips; ++s) {
    const strip_coordinates<rank> at(origin, s * tile.strip_cols);
    if (at.values[0] < whole_columns<T>(map.extents[rank - 1]))
      cp_async_bulk_tensor_store(map.whole, at.values, tile.strip(s));
  }
}

// By a warpgroup, after the tile's writers have met: the tile's memory may be reused once these threads have met
// again. Stores what tma_store leaves of the tensor's rows.
template <typename T, int rows, int cols, int tile_rows, int tile_cols, int rank>
TK_DEVICE void store_row_ends(const output_map &map, const int (&origin)[rank],
                              st<T, rows, cols, tile_rows, tile_cols> tile) {
  constexpr int size = int(sizeof(T));
  const int columns = map.extents[rank - 1], whole = whole_columns<T>(columns);
  const int first = whole - origin[rank - 1]; // in the tile
  if (whole == columns || first < 0 || first >= cols)
    return;

  const int bytes = (columns - whole) * size;
  const uint32_t strip = tile.strip(first / tile.strip_cols), in_strip = first % tile.strip_cols * size;
  char *to = static_cast<char *>(map.data) + int64_t(whole) * size;
#pragma unroll
  for (int i = 0; i < rank - 1; ++i)
    to += origin[i] * map.strides[i];
#pragma unroll
  for (int begin = 0; begin < rows; begin += 128) {
    const int row = begin + int(threadIdx.x % 128);
    if (row < rows && origin[rank - 2] + row < map.extents[rank - 2]) { // neither below the tile nor the tensor
      const uint32_t row_address = strip + row * tile.mode;
      uint32_t r0, r1, r2, r3;
      ld_shared_v4_b32(row_address + (in_strip ^ swizzle_bits<tile.mode>(row_address)), r0, r1, r2, r3);
      store_part(to + row * map.strides[rank - 2], bytes, r0, r1, r2, r3);
    }
  }
}

} // namespace tk

#endif // TK_TILE_OUTPUT_H
