//===- tile/fragments.h - Memory in the order of MMA fragments ------------===//
//
// A tensor that lies between two kernels need not have rows: nobody else looks at it.
// In fragment order each 16 rows and 8 columns are 512 consecutive bytes, and a lane
// of a warp holds 16 consecutive bytes of them, as its accumulator has them:
//
//            columns  0 1  2 3  4 5  6 7
//     row r           lane 4r   ...      4r + 3       its elements 0 and 1
//     row r + 8       lane 4r   ...      4r + 3       its elements 2 and 3
//
// Blocks of 8 columns follow one another, then those of the next 16 rows. So a thread
// moves 16 bytes at a time, and a warp whole lines: adding to such memory (red.v4)
// needs no staging in shared memory and nobody to meet. Of vectors, each 16 elements
// are permuted so that a thread finds those of its four columns side by side.
//
// The rows of such a tensor (of vectors: the elements) are a multiple of 16.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_FRAGMENTS_H
#define TK_TILE_FRAGMENTS_H

#include <ptx/atomic.h>
#include <tile/global.h>
#include <tile/shared.h>

namespace tk {

// Where element i of a vector lies.
TK_DEVICE int place_in_fragments(int i) { return i / 16 * 16 + i % 8 / 2 * 4 + i % 16 / 8 * 2 + i % 2; }

struct write_four {
  static TK_DEVICE void at(void *address, const float *x) { st_global_v4_f32(address, x[0], x[1], x[2], x[3]); }
};
struct accumulate_four {
  static TK_DEVICE void at(void *address, const float *x) { red_global_add_v4_f32(address, x[0], x[1], x[2], x[3]); }
};

// `origin` is the first element's place: a multiple of 16 rows and 8 columns. Rows outside the tensor are left out.
template <typename how, int rank, int rows, int cols, int warps>
TK_DEVICE void write_fragments(const gl<float, rank> &tensor, const int (&origin)[rank],
                               const rt<float, rows, cols, warps> &source) {
  const int thread = int(threadIdx.x % (32 * warps));
#pragma unroll
  for (int m_block = 0; m_block < source.m_blocks; ++m_block) {
    // 16 rows are one after the other, so the first column of their first row is where they begin.
    const tensor_place<rank> block_of_16(tensor_place<rank>(origin, rank - 2, (m_block * warps + thread / 32) * 16).at,
                                         rank - 1, -origin[rank - 1]);
    if (tensor.holds(block_of_16.at)) {
      char *first = tensor.address(block_of_16.at) + origin[rank - 1] * 64 + thread % 32 * 16;
#pragma unroll
      for (int block = 0; block < cols / 8; ++block)
        how::at(first + block * 512, source.values[m_block] + block * 4);
    }
  }
}
template <int rank, int rows, int cols, int warps>
TK_DEVICE void store_fragments(const gl<float, rank> &tensor, const int (&origin)[rank],
                               const rt<float, rows, cols, warps> &source) {
  write_fragments<write_four>(tensor, origin, source);
}
template <int rank, int rows, int cols, int warps>
TK_DEVICE void add_fragments(const gl<float, rank> &tensor, const int (&origin)[rank],
                             const rt<float, rows, cols, warps> &source) {
  write_fragments<accumulate_four>(tensor, origin, source);
}

// The same of vectors.
struct in_fragments {
  template <typename S> TK_DEVICE int operator()(int i, const S &) const { return place_in_fragments(i); }
};
template <int warps = 4, int rank, typename V>
TK_DEVICE void store_fragments(const gl<float, rank> &tensor, const int (&origin)[rank], const V &source) {
  write_vector<write_element, warps>(tensor, origin, source, in_fragments());
}
template <int warps = 4, int rank, typename V>
TK_DEVICE void add_fragments(const gl<float, rank> &tensor, const int (&origin)[rank], const V &source) {
  write_vector<accumulate_element, warps>(tensor, origin, source, in_fragments());
}

//===----------------------------------------------------------------------===//
// From shared memory, where TMA has copied them as they lie
//===----------------------------------------------------------------------===//

// The address of four elements: row and column are those of the memory, not of the tile.
template <int rows, int cols, int tile_rows, int tile_cols>
TK_DEVICE uint32_t address_of_four(st<float, rows, cols, tile_rows, tile_cols> tile, int row, int col) {
  const uint32_t line = tile.atom(col / tile.atom_cols) + row * tile.mode;
  return line + (uint32_t(col % tile.atom_cols) * 4 ^ swizzle_bits<tile.mode>(line));
}

template <int rows, int cols, int warps, int tile_rows, int tile_cols>
TK_DEVICE void load_in_order(rt<float, rows, cols, warps> &result, st<float, rows, cols, tile_rows, tile_cols> tile) {
  static_assert(cols == tile_cols, "all columns of the tensor, for its rows are cut into blocks of 8");
  const int thread = int(threadIdx.x % (32 * warps));
#pragma unroll
  for (int m_block = 0; m_block < result.m_blocks; ++m_block)
#pragma unroll
    for (int block = 0; block < cols / 8; ++block) {
      const int at = block * 128 + thread % 32 * 4;
      float *x = result.values[m_block] + block * 4;
      ld_shared_v4_f32(address_of_four(tile, (m_block * warps + thread / 32) * 16 + at / cols, at % cols), x[0], x[1],
                       x[2], x[3]);
    }
}
template <int cols> TK_DEVICE void load_in_order(row_vec<float, cols> &result, sv<float, cols> vector) {
#pragma unroll
  for (int i = 0; i < cols / 16; ++i)
    ld_shared_v4_f32(vector.address + i * 64 + threadIdx.x % 4 * 16, result.values[2 * i][0], result.values[2 * i][1],
                     result.values[2 * i + 1][0], result.values[2 * i + 1][1]);
}
template <int rows, int warps>
TK_DEVICE void load_in_order(col_vec<float, rows, warps> &result, sv<float, rows> vector) {
  const element_place<warps> place;
#pragma unroll
  for (int m_block = 0; m_block < result.m_blocks; ++m_block)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      result.values[m_block][half] =
          ld_shared_f32(vector.address + place_in_fragments(place.row(m_block, 2 * half)) * 4);
}

// load_fragments<rt<float, 64, 128>>(tile)
template <typename R, typename shared> TK_DEVICE R load_fragments(shared from) {
  R result;
  load_in_order(result, from);
  return result;
}

} // namespace tk

#endif // TK_TILE_FRAGMENTS_H
