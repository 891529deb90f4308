//===- tile/move.h - Tiles between global, shared and register memory -----===//
//
// Global <-> shared is TMA's work: one copy per strip of the shared tile, issued
// by one thread. The tensor map's box is one strip, with the tile's swizzle.
// (tile/output.h has the stores.)
// Shared <-> register is stmatrix and ldmatrix, by the whole warpgroup: one
// instruction moves 16 x 16 elements per warp.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_MOVE_H
#define TK_TILE_MOVE_H

#include <ptx/barrier.h> // who stores to shared memory and who copies on must meet,
#include <ptx/fence.h>   // and cross from one proxy to the other
#include <ptx/matrix.h>
#include <ptx/tma.h>
#include <tile/convert.h>
#include <tile/output.h>
#include <tile/ring.h>
#include <tile/shared.h>

namespace tk {

// By one thread. `origin` is the tile's first element in the tensor, slowest dimension first. The tile has landed
// when `landed` completes the phase that expects its bytes. What lies outside the tensor arrives as zeros.
template <typename T, int rows, int cols, int tile_rows, int tile_cols, int rank>
TK_DEVICE void tma_load(st<T, rows, cols, tile_rows, tile_cols> tile, const CUtensorMap &map, const int (&origin)[rank],
                        barrier landed) {
#pragma unroll
  for (int s = 0; s < tile.strips; ++s) {
    const strip_coordinates<rank> at(origin, s * tile.strip_cols);
    cp_async_bulk_tensor_load(tile.strip(s), map, at.values, landed.address);
  }
}

// The addresses one lane gives to stmatrix and ldmatrix: lane L serves row L % 16 of the warp's 16 rows and the
// left or right 16 bytes of 16 columns.
//
//      lanes  0- 7   16-23
//             8-15   24-31
//
template <typename tile> struct matrix_rows {
  uint32_t row_address; // of this lane's row in the first slab
  uint32_t xor_bits;    // of that row's swizzle; slabs are whole patterns, so it is the same in all
  uint32_t half;        // 0 or 16 bytes

  TK_DEVICE explicit matrix_rows(tile shared) {
    const uint32_t thread = threadIdx.x % 128;
    const uint32_t row = thread / 32 * 16 + thread % 16;
    row_address = shared.address + row * tile::mode;
    xor_bits = swizzle_bits<tile::mode>(row_address);
    half = thread / 16 % 2 * 16;
  }

  // Of the 16 columns from 16 * group on, in the slab.
  TK_DEVICE uint32_t at(int slab, int group) const {
    const int strip = group * 32 / tile::mode;
    const uint32_t byte = uint32_t(group * 32 % tile::mode) + half;
    return row_address + slab * 64 * tile::mode + strip * tile::strip_bytes + (byte ^ xor_bits);
  }
};

// By a warpgroup: a register tile of 16-bit elements into shared memory.
template <typename T, int rows, int cols, int tile_rows, int tile_cols>
TK_DEVICE void store(st<T, rows, cols, tile_rows, tile_cols> tile, const rt<T, rows, cols> &source) {
  static_assert(is_16_bit_float<T>, "stmatrix stores 16-bit elements: convert the register tile first");
  const matrix_rows<decltype(tile)> lane(tile);
#pragma unroll
  for (int slab = 0; slab < source.slabs; ++slab)
#pragma unroll
    for (int group = 0; group < cols / 16; ++group) {
      const auto &r = source.values[slab];
      stmatrix_x4(lane.at(slab, group), r[4 * group], r[4 * group + 1], r[4 * group + 2], r[4 * group + 3]);
    }
}

// By a warpgroup: a float register tile, rounded to the shared tile's type.
template <typename T, int rows, int cols, int tile_rows, int tile_cols>
TK_DEVICE void store(st<T, rows, cols, tile_rows, tile_cols> tile, const rt<float, rows, cols> &source) {
  store(tile, convert<T>(source));
}

// By a warpgroup: a shared tile of 16-bit elements into registers.
template <typename T, int rows, int cols, int tile_rows, int tile_cols>
TK_DEVICE void load(rt<T, rows, cols> &result, st<T, rows, cols, tile_rows, tile_cols> tile) {
  static_assert(is_16_bit_float<T>, "ldmatrix loads 16-bit elements");
  const matrix_rows<decltype(tile)> lane(tile);
#pragma unroll
  for (int slab = 0; slab < result.slabs; ++slab)
#pragma unroll
    for (int group = 0; group < cols / 16; ++group) {
      auto &r = result.values[slab];
      ldmatrix_x4(lane.at(slab, group), r[4 * group], r[4 * group + 1], r[4 * group + 2], r[4 * group + 3]);
    }
}

} // namespace tk

#endif // TK_TILE_MOVE_H
