//===- tile/move.h - Tiles between global, shared and register memory -----===//
//
// Global <-> shared is TMA's work: one copy per swizzle-atom column of the shared tile, issued
// by one thread. The tensor map's box is one swizzle-atom column, with the tile's swizzle.
// (tile/output.h has the stores.)
// Shared <-> register is stmatrix and ldmatrix, by the whole warpgroup: one
// instruction moves 16 rows of 32 bytes per warp. A register is a
// thread's share of a matrix, so narrow types of all sizes move alike; tiles of
// 32-bit elements have two instructions for each 16 x 8.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_MOVE_H
#define TK_TILE_MOVE_H

#include <ptx/barrier.h> // who stores to shared memory and who copies on must meet,
#include <ptx/fence.h>   // and cross from one proxy to the other
#include <ptx/matrix.h>
#include <ptx/tma.h>
#include <tile/map.h>
#include <tile/output.h>
#include <tile/ring.h>
#include <tile/shared.h>

namespace tk {

// By one thread. `origin` is the tile's first element in the tensor, slowest dimension first. The tile has landed
// when `landed` completes the phase that expects its bytes. Elements outside the tensor arrive as zeros. A cache_policy
// may follow.
template <typename T, int rows, int cols, int tile_rows, int tile_cols, int rank, typename... Policy>
TK_DEVICE void tma_load(st<T, rows, cols, tile_rows, tile_cols> tile, const CUtensorMap &map, const int (&origin)[rank],
                        barrier landed, Policy... policy) {
#pragma unroll
  for (int s = 0; s < tile.atoms; ++s) {
    const atom_coordinates<rank> at(origin, s * tile.atom_cols);
    cp_async_bulk_tensor_load(tile.atom(s), map, at.values, landed.address, policy...);
  }
}

// The same for a vector.
template <typename T, int length, int rank, typename... Policy>
TK_DEVICE void tma_load(sv<T, length> vector, const CUtensorMap &map, const int (&origin)[rank], barrier landed,
                        Policy... policy) {
#pragma unroll
  for (int first = 0; first < length; first += vector.box) {
    const atom_coordinates<rank> at(origin, first);
    cp_async_bulk_tensor_load(vector.address + first * int(sizeof(T)), map, at.values, landed.address, policy...);
  }
}

// By one thread, ahead of their first copies: TMA has the maps by then.
template <typename... Maps> TK_DEVICE void prefetch_tensormaps(const Maps &...maps) { (prefetch_tensormap(maps), ...); }

// By one thread: L2 fetches the boxes of a later tma_load from this place to such a tile. No place is wrong.
template <typename T, int rows, int cols, int tile_rows, int tile_cols, int rank>
TK_DEVICE void tma_prefetch(st<T, rows, cols, tile_rows, tile_cols> tile, const CUtensorMap &map,
                            const int (&origin)[rank]) {
#pragma unroll
  for (int s = 0; s < tile.atoms; ++s) {
    const atom_coordinates<rank> at(origin, s * tile.atom_cols);
    cp_async_bulk_prefetch_tensor(map, at.values);
  }
}
template <typename T, int length, int rank>
TK_DEVICE void tma_prefetch(sv<T, length> vector, const CUtensorMap &map, const int (&origin)[rank]) {
#pragma unroll
  for (int first = 0; first < length; first += vector.box) {
    const atom_coordinates<rank> at(origin, first);
    cp_async_bulk_prefetch_tensor(map, at.values);
  }
}

// Where this thread finds its part of a shared tile: its row in the first m64 block and the swizzle of that row. M64
// blocks are whole swizzle patterns, so it is the same in all of them.
template <typename tile, int warps> struct tile_place {
  uint32_t row_address, first_byte, xor_bits;

  TK_DEVICE tile_place(tile shared, int row) {
    row_address = shared.address + row * tile::mode;
    first_byte = 0;
    if (tile::is_narrow) { // the swizzle permutes within the whole swizzle-atom column
      first_byte = shared.address & (tile::mode - 1);
      row_address -= first_byte;
    }
    xor_bits = swizzle_bits<tile::mode>(row_address);
  }

  // The address of a byte of the row, in the m64 block.
  TK_DEVICE uint32_t at(int m_block, int in_row, uint32_t lane_byte) const {
    const int atom = in_row / tile::mode;
    const uint32_t byte = first_byte + uint32_t(in_row % tile::mode) + lane_byte;
    return row_address + m_block * 16 * warps * tile::mode + atom * tile::atom_bytes + (byte ^ xor_bits);
  }
};

// The addresses one lane gives to stmatrix and ldmatrix: lane L serves row L % 16 of the warp's 16 rows and the
// left or right 16 of 32 bytes.
//
//      lanes  0- 7   16-23
//             8-15   24-31
//
template <typename tile, int warps> struct matrix_rows {
  tile_place<tile, warps> place;
  uint32_t half; // 0 or 16 bytes

  TK_DEVICE explicit matrix_rows(tile shared)
      : place(shared, int(threadIdx.x % (32 * warps) / 32 * 16 + threadIdx.x % 16)), half(threadIdx.x / 16 % 2 * 16) {}

  // Of the 32 bytes of the row from 32 * group on, in the m64 block.
  TK_DEVICE uint32_t at(int m_block, int group) const { return place.at(m_block, group * 32, half); }
};

// Tiles of 32-bit elements move by pairs of neighbours, 8 bytes per thread. With a 128-byte swizzle half a warp would
// meet in the same banks, as rows r and r + 1 have their 32 bytes in the same place; so threads of odd rows take the
// columns 16 further on, in an order of their own.
template <typename tile, int warps> struct pair_rows {
  static constexpr bool is_staggered = tile::mode == swizzle_128 && tile::width % 32 == 0;
  tile_place<tile, warps> place;
  uint32_t pair; // this thread's 8 bytes of 32
  bool odd;

  TK_DEVICE explicit pair_rows(tile shared)
      : place(shared, int(threadIdx.x % (32 * warps) / 32 * 16 + threadIdx.x % 32 / 4)), pair(threadIdx.x % 4 * 8),
        odd(is_staggered && threadIdx.x / 4 % 2 == 1) {
    if (is_staggered)
      pair += odd ? 64 : 0;
  }

  // Of the eight columns from 8 * group on, or 16 columns before or after them. `half` is 0 for row r, and 1 for the
  // row eight below, which lies a whole swizzle pattern further on.
  TK_DEVICE uint32_t at(int m_block, int group, int half) const {
    const uint32_t behind = half * 8 * tile::mode;
    if (is_staggered) // bit 6 is that of `pair`, so adding is flipping
      return (place.at(m_block, group * 32, 0) ^ pair) + behind;
    return place.at(m_block, group * 32, pair) + behind;
  }
  // The group that this thread's registers of `group` belong to.
  static TK_DEVICE int other(int group) { return group ^ 2; }
};

// By a warpgroup, or a warp for its own: a register tile into shared memory.
template <typename T, int rows, int cols, int warps, int tile_rows, int tile_cols>
TK_DEVICE void store(st<T, rows, cols, tile_rows, tile_cols> tile, const rt<T, rows, cols, warps> &source) {
  constexpr int m_blocks = rt<T, rows, cols, warps>::m_blocks, registers = rt<T, rows, cols, warps>::registers;
  if constexpr (is_same<T, float> || is_same<T, int>) {
    const pair_rows<decltype(tile), warps> lane(tile);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int m_block = 0; m_block < m_blocks; ++m_block)
#pragma unroll
        for (int group = 0; group < cols / 8; ++group) {
          const int mine = 4 * group + 2 * half, other = 4 * lane.other(group) + 2 * half;
          const auto &r = source.values[m_block];
          const auto low = lane.odd ? r[lane.is_staggered ? other : mine] : r[mine];
          const auto high = lane.odd ? r[lane.is_staggered ? other + 1 : mine + 1] : r[mine + 1];
          st_shared_v2_b32(lane.at(m_block, group, half), bits_of<T>(low), bits_of<T>(high));
        }
    }
  } else {
    const matrix_rows<decltype(tile), warps> lane(tile);
#pragma unroll
    for (int m_block = 0; m_block < m_blocks; ++m_block)
#pragma unroll
      for (int group = 0; group < registers / 4; ++group) {
        const auto &r = source.values[m_block];
        stmatrix_x4(lane.at(m_block, group), r[4 * group], r[4 * group + 1], r[4 * group + 2], r[4 * group + 3]);
      }
    if constexpr (registers % 4 != 0) // 16 bytes are left
#pragma unroll
      for (int m_block = 0; m_block < m_blocks; ++m_block)
        stmatrix_x2(lane.at(m_block, registers / 4), source.values[m_block][registers - 2],
                    source.values[m_block][registers - 1]);
  }
}

// The same with elements of another type, which are converted to the shared tile's.
template <typename T, typename U, int rows, int cols, int warps, int tile_rows, int tile_cols>
TK_DEVICE void store(st<T, rows, cols, tile_rows, tile_cols> tile, const rt<U, rows, cols, warps> &source) {
  store(tile, convert<T>(source));
}

template <typename T, int rows, int cols, int warps, int tile_rows, int tile_cols>
TK_DEVICE void load_tile(rt<T, rows, cols, warps> &result, st<T, rows, cols, tile_rows, tile_cols> tile) {
  constexpr int m_blocks = rt<T, rows, cols, warps>::m_blocks, registers = rt<T, rows, cols, warps>::registers;
  if constexpr (is_same<T, float> || is_same<T, int>) {
    const pair_rows<decltype(tile), warps> lane(tile);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int m_block = 0; m_block < m_blocks; ++m_block) {
        auto &r = result.values[m_block];
#pragma unroll
        for (int group = 0; group < cols / 8; ++group) {
          uint32_t low, high;
          ld_shared_v2_b32(lane.at(m_block, group, half), low, high);
          r[4 * group + 2 * half] = value_of<T>(low), r[4 * group + 2 * half + 1] = value_of<T>(high);
        }
        if constexpr (lane.is_staggered)
#pragma unroll
          for (int group = 0; group < cols / 8; ++group)
            if (group < lane.other(group))
#pragma unroll
              for (int i = 0; i < 2; ++i) { // odd rows have the two groups the other way round
                auto &a = r[4 * group + 2 * half + i], &b = r[4 * lane.other(group) + 2 * half + i];
                const auto left = lane.odd ? b : a, right = lane.odd ? a : b;
                a = left, b = right;
              }
      }
    }
  } else {
    const matrix_rows<decltype(tile), warps> lane(tile);
#pragma unroll
    for (int m_block = 0; m_block < m_blocks; ++m_block)
#pragma unroll
      for (int group = 0; group < registers / 4; ++group) {
        auto &r = result.values[m_block];
        ldmatrix_x4(lane.at(m_block, group), r[4 * group], r[4 * group + 1], r[4 * group + 2], r[4 * group + 3]);
      }
    if constexpr (registers % 4 != 0)
#pragma unroll
      for (int m_block = 0; m_block < m_blocks; ++m_block)
        ldmatrix_x2(lane.at(m_block, registers / 4), result.values[m_block][registers - 2],
                    result.values[m_block][registers - 1]);
  }
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

template <typename T> TK_DEVICE void store_element(uint32_t address, number_of<T> value) {
  if constexpr (sizeof(T) == 4)
    st_shared_b32(address, bits_of<T>(value));
  else if constexpr (sizeof(T) == 2)
    st_shared_b16(address, uint16_t(bits_of<T>(value)));
  else
    st_shared_b8(address, uint16_t(bits_of<T>(value)));
}
template <typename T> TK_DEVICE number_of<T> load_element(uint32_t address) {
  if constexpr (sizeof(T) == 4)
    return value_of<T>(ld_shared_b32(address));
  else if constexpr (sizeof(T) == 2)
    return value_of<T>(ld_shared_b16(address));
  else
    return value_of<T>(ld_shared_b8(address));
}

// By a warpgroup, or a warp for its own. Of the threads that hold a value, one writes it.
template <typename T, typename U, int rows, int warps>
TK_DEVICE void store(sv<T, rows> vector, const col_vec<U, rows, warps> &source) {
  const element_place<warps> place;
  if (place.first_col == 0)
#pragma unroll
    for (int m_block = 0; m_block < source.m_blocks; ++m_block)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        store_element<T>(vector.address + place.row(m_block, 2 * half) * int(sizeof(T)),
                         rounded<T>(source.values[m_block][half]));
}
template <int warps = 4, typename T, typename U, int cols>
TK_DEVICE void store(sv<T, cols> vector, const row_vec<U, cols> &source) {
  const element_place<warps> place;
#pragma unroll
  for (int group = 0; group < cols / 8; ++group)
    if (place.first_row == group % 8) // in the first warp of those that hold it
#pragma unroll
      for (int odd = 0; odd < 2; ++odd)
        store_element<T>(vector.address + place.col(4 * group + odd) * int(sizeof(T)),
                         rounded<T>(source.values[group][odd]));
}

template <typename T, int rows, int warps>
TK_DEVICE void load_tile(col_vec<T, rows, warps> &result, sv<T, rows> vector) {
  const element_place<warps> place;
#pragma unroll
  for (int m_block = 0; m_block < result.m_blocks; ++m_block)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      result.values[m_block][half] = load_element<T>(vector.address + place.row(m_block, 2 * half) * int(sizeof(T)));
}
template <typename T, int cols> TK_DEVICE void load_tile(row_vec<T, cols> &result, sv<T, cols> vector) {
  const element_place<4> place;
#pragma unroll
  for (int group = 0; group < cols / 8; ++group)
#pragma unroll
    for (int odd = 0; odd < 2; ++odd)
      result.values[group][odd] = load_element<T>(vector.address + place.col(4 * group + odd) * int(sizeof(T)));
}

// By a warpgroup. Lane L gives row L % 8 of 8 x 8 matrix L / 8, of which the second and fourth lie eight columns
// further on, rows of the result.
template <typename T, int height, int width, typename tile_type>
TK_DEVICE void load_transpose(rt<T, height, width, 4> &result, tile_type tile) {
  static_assert(tile.mode == swizzle_128, "64 rows of the result are one swizzle-atom column");
  // Read anew, or a thread would keep an address of each ring that it reads so from one iteration to the next.
  const int thread = read_thread_index() % 128;
  const int row = thread % 8 + thread / 16 % 2 * 8, col = thread / 32 * 16 + thread / 8 % 2 * 8;
  // The tile begins with a swizzle pattern.
  const uint32_t address = tile.address + uint32_t(row * tile.mode + (col * 2 ^ row % 8 * 16));
#pragma unroll
  for (int m_block = 0; m_block < height / 64; ++m_block)
#pragma unroll
    for (int group = 0; group < width / 16; ++group) {
      auto &r = result.values[m_block];
      ldmatrix_x4_trans(address + m_block * tile.atom_bytes + group * 16 * tile.mode, r[4 * group], r[4 * group + 1],
                        r[4 * group + 2], r[4 * group + 3]);
    }
}

// By a warp: of the four matrices that it reads at once, those beside the diagonal change places.
template <typename T, int height, int width, typename tile_type>
TK_DEVICE void load_transpose(rt<T, height, width, 1> &result, tile_type tile) {
  const matrix_rows<tile_type, 1> from(tile);
#pragma unroll
  for (int m_block = 0; m_block < width / 16; ++m_block)
#pragma unroll
    for (int group = 0; group < height / 16; ++group) {
      auto &r = result.values[group];
      ldmatrix_x4_trans(from.at(m_block, group), r[4 * m_block], r[4 * m_block + 2], r[4 * m_block + 1],
                        r[4 * m_block + 3]);
    }
}

// By a warpgroup, or a warp for its own: the transpose of a shared tile of 16-bit elements, load_transposed<rt<bf16,
// 128, 64>>(tile).
template <typename R, typename T, int rows, int cols, int tile_rows, int tile_cols>
TK_DEVICE R load_transposed(st<T, rows, cols, tile_rows, tile_cols> tile) {
  static_assert(is_16_bit_float<T> && R::height == cols && R::width == rows,
                "a tile of 16-bit elements is transposed on its way from shared memory");
  R result;
  load_transpose(result, tile);
  return result;
}

// By a warpgroup, or a warp for its own: a shared tile or vector into registers, load<rt<bf16, 64, 128>>(tile).
template <typename R, typename shared> TK_DEVICE R load(shared from) {
  R result;
  load_tile(result, from);
  return result;
}

} // namespace tk

#endif // TK_TILE_MOVE_H
