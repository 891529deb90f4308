//===- tile/reduce.h - Reductions of rows and of columns ------------------===//
//
// A row of a register tile lies in the four threads of a quad, a column in eight
// quads of each of four warps (see tile/fragment.h). So
//
//      row_max(s)            each thread combines its own elements, then two
//                            shuffles combine the quad: a col_vec
//      partial_row_sum(p)    without the shuffles: sums of sums can stay partial
//                            over a whole loop, and finish_row_sum ends them
//      col_sum<2>(s, ...)    three shuffles per column, and then all warps of two
//                            warpgroups meet in shared memory: a row_vec
//
// Each takes a last argument to start from: row_max(s, best).
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_REDUCE_H
#define TK_TILE_REDUCE_H

#include <ptx/barrier.h>
#include <ptx/memory.h>
#include <ptx/shuffle.h>
#include <tile/map.h>

namespace tk {

struct add_values {
  TK_DEVICE float operator()(float a, float b) const { return a + b; }
};
struct multiply_values {
  TK_DEVICE float operator()(float a, float b) const { return a * b; }
};
struct greater_value {
  TK_DEVICE float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct smaller_value {
  TK_DEVICE float operator()(float a, float b) const { return fminf(a, b); }
};

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

// This thread's part of each row. Two chains per row, of even and of odd columns: one would wait for its own latency.
template <typename F, typename T, int rows, int cols>
TK_DEVICE col_vec<float, rows> partial_rows(const rt<T, rows, cols> &tile, const F &combine) {
  col_vec<float, rows> result;
#pragma unroll
  for (int slab = 0; slab < result.slabs; ++slab)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float even = element(tile, slab, 2 * half), odd = element(tile, slab, 2 * half + 1);
#pragma unroll
      for (int i = 4; i < cols / 2; i += 4) {
        even = combine(even, element(tile, slab, i + 2 * half));
        odd = combine(odd, element(tile, slab, i + 2 * half + 1));
      }
      result.values[slab][half] = combine(even, odd);
    }
  return result;
}

// The quad's parts together, the same in its four threads.
template <typename F, int rows>
TK_DEVICE col_vec<float, rows> finish_rows(const col_vec<float, rows> &partial, const F &combine) {
  col_vec<float, rows> result;
#pragma unroll
  for (int slab = 0; slab < result.slabs; ++slab)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float pair = combine(partial.values[slab][half], shfl_xor(partial.values[slab][half], 1));
      result.values[slab][half] = combine(pair, shfl_xor(pair, 2));
    }
  return result;
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

// By all warps of `warpgroups` warpgroups that hold rows of one tile. `scratch` is shared memory for 4 * warpgroups
// rows of the tile's columns, in floats; `barrier` a named barrier that nobody else uses meanwhile.
template <int warpgroups, typename F, typename T, int rows, int cols>
TK_DEVICE row_vec<float, cols> reduce_columns(const rt<T, rows, cols> &tile, uint32_t scratch, int barrier,
                                              const F &combine) {
  constexpr int warps = 4 * warpgroups, row_bytes = cols * 4;
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32 % warps;
  const uint32_t mine = scratch + lane % 4 * 8; // this thread's two columns of the first eight

  // The warp's rows. Every quad ends up with all of them; quad q writes the column groups q, q + 8, ...
#pragma unroll
  for (int group = 0; group < cols / 8; ++group) {
    float value[2];
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      float sum = combine(element(tile, 0, 4 * group + odd), element(tile, 0, 4 * group + odd + 2));
#pragma unroll
      for (int slab = 1; slab < tile.slabs; ++slab)
        sum = combine(sum, combine(element(tile, slab, 4 * group + odd), element(tile, slab, 4 * group + odd + 2)));
#pragma unroll
      for (int lanes = 4; lanes < 32; lanes *= 2)
        sum = combine(sum, shfl_xor(sum, lanes));
      value[odd] = sum;
    }
    if (lane / 4 == group % 8)
      st_shared_v2_f32(mine + warp * row_bytes + group * 32, value[0], value[1]);
  }
  named_barrier_sync(barrier, 128 * warpgroups); // every warp has written its row

  row_vec<float, cols> result;
#pragma unroll
  for (int group = 0; group < cols / 8; ++group) {
    float even, odd;
    ld_shared_v2_f32(mine + group * 32, even, odd);
#pragma unroll
    for (int other = 1; other < warps; ++other) {
      float next_even, next_odd;
      ld_shared_v2_f32(mine + other * row_bytes + group * 32, next_even, next_odd);
      even = combine(even, next_even), odd = combine(odd, next_odd);
    }
    result.values[group][0] = even, result.values[group][1] = odd;
  }
  named_barrier_sync(barrier, 128 * warpgroups); // every warp has read: scratch may be written again
  return result;
}

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

#define TK_REDUCTIONS(name, combine)                                                                                   \
  template <typename A> TK_DEVICE auto partial_row_##name(const A &tile) { return partial_rows(tile, combine()); }     \
  template <typename V> TK_DEVICE V finish_row_##name(const V &partial) { return finish_rows(partial, combine()); }    \
  template <typename A> TK_DEVICE auto row_##name(const A &tile) {                                                     \
    return finish_row_##name(partial_row_##name(tile));                                                                \
  }                                                                                                                    \
  template <typename A, typename V> TK_DEVICE V row_##name(const A &tile, const V &start) {                            \
    return map(row_##name(tile), start, combine());                                                                    \
  }                                                                                                                    \
  template <typename A, typename V> TK_DEVICE V partial_row_##name(const A &tile, const V &start) {                    \
    return map(partial_row_##name(tile), start, combine());                                                            \
  }                                                                                                                    \
  template <int warpgroups, typename A> TK_DEVICE auto col_##name(const A &tile, uint32_t scratch, int barrier) {      \
    return reduce_columns<warpgroups>(tile, scratch, barrier, combine());                                              \
  }                                                                                                                    \
  template <int warpgroups, typename A, typename V>                                                                    \
  TK_DEVICE V col_##name(const A &tile, uint32_t scratch, int barrier, const V &start) {                               \
    return map(col_##name<warpgroups>(tile, scratch, barrier), start, combine());                                      \
  }

TK_REDUCTIONS(sum, add_values)
TK_REDUCTIONS(product, multiply_values)
TK_REDUCTIONS(max, greater_value)
TK_REDUCTIONS(min, smaller_value)

#undef TK_REDUCTIONS

} // namespace tk

#endif // TK_TILE_REDUCE_H
