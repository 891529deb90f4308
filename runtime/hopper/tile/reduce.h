//===- tile/reduce.h - Reductions of rows and of columns ------------------===//
//
// A row of a register tile lies in the four threads of a quad, a column in eight
// quads of each of four warps (see tile/fragment.h). So
//
//      row_max(s)            each thread combines its own elements, then two
//                            shuffles combine the quad: a col_vec
//      partial_row_sum(p)    without the shuffles: sums of sums can stay partial
//                            over a whole loop, and finish_row_sum ends them
//      any_row(top, best, f) one vote of the warp: does f(top, best) hold in a row?
//      any_large(p)          another: is an element of a 16-bit tile 2 or more?
//      col_sum<2>(s, ...)    three shuffles per column, and then all warps of two
//                            warpgroups meet in shared memory: a row_vec
//      col_sum(s)            of a warp's own tile, by shuffles alone
//
// Sums of narrow types are sums of floats (or ints), rounded at the end.
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

// Of numbers, float or int.
struct add_values {
  template <typename N> TK_DEVICE N operator()(N a, N b) const { return a + b; }
};
struct multiply_values {
  template <typename N> TK_DEVICE N operator()(N a, N b) const { return a * b; }
};
struct greater_value {
  TK_DEVICE float operator()(float a, float b) const { return fmaxf(a, b); }
  TK_DEVICE int operator()(int a, int b) const { return a > b ? a : b; }
};
struct smaller_value {
  TK_DEVICE float operator()(float a, float b) const { return fminf(a, b); }
  TK_DEVICE int operator()(int a, int b) const { return a < b ? a : b; }
};

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

// This thread's part of each row. Four chains per row keep the pipe busy: one alone would wait for its own latency.
template <typename F, typename T, int rows, int cols, int warps>
TK_DEVICE auto partial_rows(const rt<T, rows, cols, warps> &tile, const F &combine) {
  const auto &ordered = in_order(tile);
  constexpr int chains = cols < 16 ? 2 : 4; // a group of eight columns gives two elements of a row
  col_vec<number_of<T>, rows, warps> result;
#pragma unroll
  for (int m_block = 0; m_block < result.m_blocks; ++m_block)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const auto at = [&](int i) { return element(ordered, m_block, i / 2 * 4 + 2 * half + i % 2); };
      number_of<T> parts[chains];
#pragma unroll
      for (int i = 0; i < chains; ++i)
        parts[i] = at(i);
#pragma unroll
      for (int i = chains; i < cols / 4; ++i)
        parts[i % chains] = combine(parts[i % chains], at(i));
#pragma unroll
      for (int other = chains / 2; other > 0; other /= 2)
#pragma unroll
        for (int i = 0; i < other; ++i)
          parts[i] = combine(parts[i], parts[i + other]);
      result.values[m_block][half] = parts[0];
    }
  return result;
}

// The quad's parts together, the same in its four threads.
template <typename F, typename T, int rows, int warps>
TK_DEVICE col_vec<T, rows, warps> finish_rows(const col_vec<T, rows, warps> &partial, const F &combine) {
  col_vec<T, rows, warps> result;
#pragma unroll
  for (int m_block = 0; m_block < result.m_blocks; ++m_block)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const auto pair = combine(partial.values[m_block][half], shfl_xor(partial.values[m_block][half], 1));
      result.values[m_block][half] = combine(pair, shfl_xor(pair, 2));
    }
  return result;
}

// Whether f(element of a, element of b, ...) holds for a row that this warp holds; the same in all its threads.
template <typename F, typename T, int rows, int warps, typename... more>
TK_DEVICE bool holds_for_any_row(const F &f, const col_vec<T, rows, warps> &first, const more &...others) {
  bool holds = false;
#pragma unroll
  for (int m_block = 0; m_block < first.m_blocks; ++m_block)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      holds |= f(element(first, m_block, 2 * half), element(others, m_block, 2 * half)...);
  return any_lane(holds);
}
template <typename A, typename Function> TK_DEVICE bool any_row(const A &a, const Function &function) {
  return holds_for_any_row(function, a);
}
template <typename A, typename B, typename Function>
TK_DEVICE bool any_row(const A &a, const B &b, const Function &function) {
  return holds_for_any_row(function, a, b);
}
template <typename A, typename B, typename C, typename Function>
TK_DEVICE bool any_row(const A &a, const B &b, const C &c, const Function &function) {
  return holds_for_any_row(function, a, b, c);
}
template <typename A, typename B, typename C, typename D, typename Function>
TK_DEVICE bool any_row(const A &a, const B &b, const C &c, const D &d, const Function &function) {
  return holds_for_any_row(function, a, b, c, d);
}

// Whether this warp holds an element of 2 or more in size, or one that is not a number; the same in all its threads. Of
// bf16 and of f16 the highest bit of the exponent says so: one instruction looks at four elements.
template <typename T, int rows, int cols, int warps> TK_DEVICE bool any_large(const rt<T, rows, cols, warps> &tile) {
  static_assert(is_16_bit_float<T>, "any_large looks at pairs of 16-bit floats");
  uint32_t bits = 0;
#pragma unroll
  for (int m_block = 0; m_block < tile.m_blocks; ++m_block)
#pragma unroll
    for (int i = 0; i < tile.registers; ++i)
      bits |= tile.values[m_block][i];
  return any_lane((bits & 0x40004000) != 0);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

// This thread's part of each column.
template <typename F, typename T, int rows, int cols, int warps>
TK_DEVICE auto thread_columns(const rt<T, rows, cols, warps> &tile, const F &combine) {
  const auto &ordered = in_order(tile);
  row_vec<number_of<T>, cols> result;
#pragma unroll
  for (int group = 0; group < cols / 8; ++group)
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      const int i = 4 * group + odd;
      auto value = combine(element(ordered, 0, i), element(ordered, 0, i + 2));
#pragma unroll
      for (int m_block = 1; m_block < rt<T, rows, cols, warps>::m_blocks; ++m_block)
        value = combine(value, combine(element(ordered, m_block, i), element(ordered, m_block, i + 2)));
      result.values[group][odd] = value;
    }
  return result;
}

// Within a warp: every quad ends up with the values of all columns.
template <typename F, typename T, int rows, int cols, int warps>
TK_DEVICE auto warp_columns(const rt<T, rows, cols, warps> &tile, const F &combine) {
  row_vec<number_of<T>, cols> result = thread_columns(tile, combine);
#pragma unroll
  for (int group = 0; group < cols / 8; ++group)
#pragma unroll
    for (int odd = 0; odd < 2; ++odd)
#pragma unroll
      for (int lanes = 4; lanes < 32; lanes *= 2)
        result.values[group][odd] = combine(result.values[group][odd], shfl_xor(result.values[group][odd], lanes));
  return result;
}

// The same, with the work divided: quad q ends up with the values of the column groups q, q + 8, ..., in those of 0, 8,
// ... In each of three steps a lane keeps half of the groups that it has, and gives the other half to the lane that
// keeps them: 7/8 of a shuffle for each value, not 3.
template <typename F, typename T, int rows, int cols, int warps>
TK_DEVICE auto warp_columns_by_quads(const rt<T, rows, cols, warps> &tile, const F &combine) {
  row_vec<number_of<T>, cols> result = thread_columns(tile, combine);
  const int quad = int(threadIdx.x % 32 / 4);
#pragma unroll
  for (int step = 1; step < 8; step *= 2) {
    const bool keeps_later = quad & step;
#pragma unroll
    for (int group = 0; group < cols / 8; ++group)
      if (group % (2 * step) == 0) { // the one that this lane has of those up to group + step
#pragma unroll
        for (int odd = 0; odd < 2; ++odd) {
          auto &value = result.values[group][odd];
          if (group + step < cols / 8) {
            const auto later = result.values[group + step][odd];
            const auto given = keeps_later ? value : later;
            value = combine(keeps_later ? later : value, shfl_xor(given, 4 * step));
          } else {
            value = combine(value, shfl_xor(value, 4 * step));
          }
        }
      }
  }
  return result;
}

// By all warps of `warpgroups` warpgroups that hold rows of one tile. `scratch` is shared memory for 4 * warpgroups
// rows of the tile's columns, in 4 bytes each; `barrier` a named barrier that nobody else uses meanwhile.
template <int warpgroups, typename F, typename T, int rows, int cols>
TK_DEVICE auto reduce_columns(const rt<T, rows, cols> &tile, uint32_t scratch, int barrier, const F &combine) {
  using N = number_of<T>;
  constexpr int warps = 4 * warpgroups, threads = 32 * warps, row_bytes = cols * 4;
  const int lane = int(threadIdx.x % 32), warp = int(threadIdx.x / 32 % warps);
  const uint32_t mine = scratch + lane % 4 * 8; // this thread's two columns of the first eight

  row_vec<N, cols> result = warp_columns_by_quads(tile, combine);
  const int quad = lane / 4;
#pragma unroll
  for (int first = 0; first < cols / 8; first += 8)
    if (first + quad < cols / 8)
      st_shared_v2_b32(mine + warp * row_bytes + (first + quad) * 32, bits_of<N>(result.values[first][0]),
                       bits_of<N>(result.values[first][1]));
  named_barrier_sync(barrier, threads); // every warp has written its row

  // Of many columns, each thread combines the rows in a few, and reads the first row when all have their values there:
  // one barrier more, and cols / 8 loads in place of `warps` times as many.
  constexpr bool is_divided = cols / 8 * warps > 16;
  if constexpr (is_divided) {
    for (int col = int(threadIdx.x) % threads; col < cols; col += threads) {
      const uint32_t top = scratch + col * 4;
      N value = value_of<N>(ld_shared_b32(top));
#pragma unroll
      for (int other = 1; other < warps; ++other)
        value = combine(value, value_of<N>(ld_shared_b32(top + other * row_bytes)));
      st_shared_b32(top, bits_of<N>(value));
    }
    named_barrier_sync(barrier, threads);
  }
#pragma unroll
  for (int group = 0; group < cols / 8; ++group)
#pragma unroll
    for (int other = 0; other < (is_divided ? 1 : warps); ++other) {
      uint32_t even, odd;
      ld_shared_v2_b32(mine + other * row_bytes + group * 32, even, odd);
      auto &value = result.values[group];
      value[0] = other == 0 ? value_of<N>(even) : combine(value[0], value_of<N>(even));
      value[1] = other == 0 ? value_of<N>(odd) : combine(value[1], value_of<N>(odd));
    }
  named_barrier_sync(barrier, threads); // every warp has read: scratch may be written again
  return result;
}

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

#define TK_REDUCTIONS(name, combine)                                                                                   \
  template <typename A> TK_DEVICE auto partial_row_##name(const A &tile) { return partial_rows(tile, combine()); }     \
  template <typename V> TK_DEVICE V finish_row_##name(const V &partial) { return finish_rows(partial, combine()); }    \
  template <typename A> TK_DEVICE auto row_##name(const A &tile) {                                                     \
    return convert<typename A::element>(finish_row_##name(partial_row_##name(tile)));                                  \
  }                                                                                                                    \
  template <typename A, typename V> TK_DEVICE V row_##name(const A &tile, const V &start) {                            \
    return map<typename V::element>(finish_row_##name(partial_row_##name(tile)), start, combine());                    \
  }                                                                                                                    \
  template <typename A, typename V> TK_DEVICE V partial_row_##name(const A &tile, const V &start) {                    \
    return map<typename V::element>(partial_row_##name(tile), start, combine());                                       \
  }                                                                                                                    \
  template <int warpgroups, typename A> TK_DEVICE auto col_##name(const A &tile, uint32_t scratch, int barrier) {      \
    return convert<typename A::element>(reduce_columns<warpgroups>(tile, scratch, barrier, combine()));                \
  }                                                                                                                    \
  template <int warpgroups, typename A, typename V>                                                                    \
  TK_DEVICE V col_##name(const A &tile, uint32_t scratch, int barrier, const V &start) {                               \
    return map<typename V::element>(reduce_columns<warpgroups>(tile, scratch, barrier, combine()), start, combine());  \
  }                                                                                                                    \
  template <typename A> TK_DEVICE auto col_##name(const A &tile) {                                                     \
    static_assert(A::warps == 1, "columns of a warpgroup's tile are combined through shared memory");                  \
    return convert<typename A::element>(warp_columns(tile, combine()));                                                \
  }                                                                                                                    \
  template <typename A, typename V> TK_DEVICE V col_##name(const A &tile, const V &start) {                            \
    static_assert(A::warps == 1, "columns of a warpgroup's tile are combined through shared memory");                  \
    return map<typename V::element>(warp_columns(tile, combine()), start, combine());                                  \
  }

TK_REDUCTIONS(sum, add_values)
TK_REDUCTIONS(product, multiply_values)
TK_REDUCTIONS(max, greater_value)
TK_REDUCTIONS(min, smaller_value)

#undef TK_REDUCTIONS

} // namespace tk

#endif // TK_TILE_REDUCE_H
