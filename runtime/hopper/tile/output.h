//===- tile/output.h - Stores that end exactly at a tensor's edge ---------===//
//
// A TMA store drops what lies beyond the tensor's high edges, but along the rows
// it does so in whole 16 bytes: a row of 100 bf16 (200 bytes) is written up to
// byte 208. Those bytes may be another tensor's, if this one is some columns of
// a wider one. (Measured on an H200: every width that is not a multiple of 8
// bf16 overwrote its neighbours with zeros.)
//
// So the tensor map of an output covers the columns that are whole 16 bytes, and
// the up to seven columns after them are stored by ordinary instructions, from
// the same shared tile, one row per thread:
//
//      | 16 bytes | 16 bytes | ... | 16 bytes | 6 bytes |
//      |------------ tma_store ---------------| 4 + 2: store_tail_columns
//
// Only tiles at the right edge have such columns; for all others store_tail_columns is
// a compare. It has no loop and no branch that differs between threads: with one,
// ptxas gives up uniform registers in the whole tile loop.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_OUTPUT_H
#define TK_TILE_OUTPUT_H

#include <ptx/atomic.h>
#include <ptx/memory.h>
#include <ptx/tma.h>
#include <ptx/widen.h>
#include <tile/parameters.h>
#include <tile/shared.h>

namespace tk {

// The bits of one element, added to the one in memory. A cache_policy may follow, here and below.
template <typename T, typename... Policy> TK_DEVICE void add_element(void *to, uint32_t bits, Policy... policy) {
  static_assert(sizeof(T) > 1, "8-bit elements cannot be added in memory: use a wider type");
  if constexpr (is_same<T, float> || is_same<T, tf32>)
    red_global_add_f32(to, as_float(bits), policy...);
  else if constexpr (is_same<T, int>)
    red_global_add_s32(to, int(bits), policy...);
  else if constexpr (is_same<T, bf16>)
    red_global_add_bf16(to, uint16_t(bits), policy...);
  else
    red_global_add_f16(to, uint16_t(bits), policy...);
}

// Coordinates of a swizzle-atom column as TMA wants them, fastest dimension first; `origin` lists the slowest first.
template <int rank> struct atom_coordinates {
  int values[rank];

  TK_DEVICE atom_coordinates(const int (&origin)[rank], int column) {
#pragma unroll
    for (int i = 0; i < rank; ++i)
      values[i] = origin[rank - 1 - i];
    values[0] += column;
  }
};

// The first `bytes` bytes of the 16 in four registers, less than 16.
template <int element_bytes, typename... Policy>
TK_DEVICE void store_part(char *to, int bytes, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3, Policy... policy) {
  if (bytes & 8) {
    st_global_v2_b32(to, r0, r1, policy...);
    to += 8, r0 = r2, r1 = r3;
  }
  if (bytes & 4) {
    st_global_b32(to, r0, policy...);
    to += 4, r0 = r1;
  }
  if constexpr (element_bytes <= 2)
    if (bytes & 2) {
      st_global_b16(to, uint16_t(r0), policy...);
      to += 2, r0 >>= 16;
    }
  if constexpr (element_bytes == 1)
    if (bytes & 1)
      st_global_b8(to, uint16_t(r0 & 255), policy...);
}

// Adds the first `bytes` bytes' elements to those in memory.
template <typename T, typename... Policy>
TK_DEVICE void add_part(char *to, int bytes, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3, Policy... policy) {
  constexpr int size = int(sizeof(T)), per_register = 4 / size;
  const uint32_t registers[4] = {r0, r1, r2, r3};
#pragma unroll
  for (int i = 0; i < 16 / size - 1; ++i)
    if (i * size < bytes)
      add_element<T>(to + i * size, registers[i / per_register] >> (i % per_register * 8 * size), policy...);
}

// The tensor's columns in whole 16 bytes.
template <typename T> TK_DEVICE int whole_columns(int columns) { return columns & ~(16 / int(sizeof(T)) - 1); }

// By one thread, which then commits, after the tile's writers have fenced and met: the tile's memory may be reused
// after bulk_wait_read. Stores the tile's part of the tensor, up to its last whole 16 bytes.
template <typename T, int rows, int cols, int tile_rows, int tile_cols, int rank, typename... Policy>
TK_DEVICE void tma_store(const output_map &map, const int (&origin)[rank], st<T, rows, cols, tile_rows, tile_cols> tile,
                         Policy... policy) {
#pragma unroll
  for (int s = 0; s < tile.atoms; ++s) {
    const atom_coordinates<rank> at(origin, s * tile.atom_cols);
    if (at.values[0] < whole_columns<T>(map.extents[rank - 1]))
      cp_async_bulk_tensor_store(map.whole, at.values, tile.atom(s), policy...);
  }
}

// The same, adding the tile's elements to the tensor's.
template <typename T, int rows, int cols, int tile_rows, int tile_cols, int rank, typename... Policy>
TK_DEVICE void tma_store_add(const output_map &map, const int (&origin)[rank],
                             st<T, rows, cols, tile_rows, tile_cols> tile, Policy... policy) {
  static_assert(sizeof(T) > 1, "TMA does not add 8-bit elements: use a wider type");
#pragma unroll
  for (int s = 0; s < tile.atoms; ++s) {
    const atom_coordinates<rank> at(origin, s * tile.atom_cols);
    if (at.values[0] < whole_columns<T>(map.extents[rank - 1]))
      cp_reduce_async_bulk_tensor_add(map.whole, at.values, tile.atom(s), policy...);
  }
}

// The end of one row: `bytes` bytes from `to` on, whose elements lie in the tile from `address` on.
struct store_end {
  template <typename T, typename... Policy>
  static TK_DEVICE void write(char *to, int bytes, const uint32_t (&r)[4], Policy... policy) {
    store_part<int(sizeof(T))>(to, bytes, r[0], r[1], r[2], r[3], policy...);
  }
};
struct add_end {
  template <typename T, typename... Policy>
  static TK_DEVICE void write(char *to, int bytes, const uint32_t (&r)[4], Policy... policy) {
    add_part<T>(to, bytes, r[0], r[1], r[2], r[3], policy...);
  }
};

template <typename how, int warps, typename T, int rows, int cols, int tile_rows, int tile_cols, int rank,
          typename... Policy>
TK_DEVICE void write_tail_columns(const output_map &map, const int (&origin)[rank],
                                  st<T, rows, cols, tile_rows, tile_cols> tile, Policy... policy) {
  constexpr int size = int(sizeof(T)), threads = 32 * warps;
  const int columns = map.extents[rank - 1], whole = whole_columns<T>(columns);
  const int first = whole - origin[rank - 1]; // in the tile
  bool inside = whole != columns && first >= 0 && first < cols;
#pragma unroll
  for (int i = 0; i < rank - 2; ++i)
    inside &= origin[i] < map.extents[i];
  if (!inside)
    return;

  const int bytes = (columns - whole) * size;
  const uint32_t atom = tile.atom(first / tile.atom_cols), in_atom = first % tile.atom_cols * size;
  char *to = static_cast<char *>(map.data) + int64_t(whole) * size;
#pragma unroll
  for (int i = 0; i < rank - 1; ++i)
    to += origin[i] * map.strides[i];
#pragma unroll
  for (int begin = 0; begin < rows; begin += threads) {
    const int row = begin + int(threadIdx.x % threads);
    if (row < rows && origin[rank - 2] + row < map.extents[rank - 2]) { // neither below the tile nor the tensor
      const uint32_t row_address = atom + row * tile.mode;
      uint32_t r[4];
      ld_shared_v4_b32(row_address + (in_atom ^ swizzle_bits<tile.mode>(row_address)), r[0], r[1], r[2], r[3]);
      how::template write<T>(to + row * map.strides[rank - 2], bytes, r, policy...);
    }
  }
}

// By a warpgroup (store_tail_columns<1>: a warp), after the tile's writers have met: the tile's memory may be reused
// once these threads have met again. Stores what tma_store leaves of the tensor's rows.
template <int warps = 4, typename tile_type, int rank, typename... Policy>
TK_DEVICE void store_tail_columns(const output_map &map, const int (&origin)[rank], tile_type tile, Policy... policy) {
  write_tail_columns<store_end, warps>(map, origin, tile, policy...);
}

// The same for tma_store_add.
template <int warps = 4, typename tile_type, int rank, typename... Policy>
TK_DEVICE void add_tail_columns(const output_map &map, const int (&origin)[rank], tile_type tile, Policy... policy) {
  write_tail_columns<add_end, warps>(map, origin, tile, policy...);
}

} // namespace tk

#endif // TK_TILE_OUTPUT_H
