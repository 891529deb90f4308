//===- tile/scan.h - Running sums of vectors, and totals ------------------===//
//
// Value i of a scan combines values 0 to i, or, `backwards`, i to the last one. Of a row_vec, each quad holds
// all values and goes through them eight by eight; of a col_vec, a warp holds
// rows g and g + 8 of each 16, so it scans over its eight quads, and the warps
// then exchange their totals through cross-warp reduction scratch, m64 block by m64 block. A total
// combines all values, first those that a thread holds.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_SCAN_H
#define TK_TILE_SCAN_H

#include <tile/reduce.h>

namespace tk {

// Place i of `count` in the order of the scan.
template <bool backwards> TK_DEVICE constexpr int scan_place(int i, int count) { return backwards ? count - 1 - i : i; }

// Inclusive, over `count` lanes that are `stride` apart; `index` is this lane's among them in the order of the scan.
template <bool backwards, int count, int stride, typename F, typename N>
TK_DEVICE N scan_lanes(N value, int index, const F &combine) {
  const int lane = int(threadIdx.x % 32), step = backwards ? stride : -stride;
#pragma unroll
  for (int distance = 1; distance < count; distance *= 2) {
    const N before = shfl(value, lane + distance * step & 31);
    value = index >= distance ? combine(before, value) : value;
  }
  return value;
}

template <bool backwards, typename F, typename T, int cols>
TK_DEVICE row_vec<T, cols> scan(const row_vec<T, cols> &source, const F &combine) {
  using N = number_of<T>;
  const int lane = int(threadIdx.x % 32), quad = lane & ~3, place = scan_place<backwards>(lane % 4, 4);
  row_vec<T, cols> result;
  N before = N(0); // all columns before these eight
#pragma unroll
  for (int i = 0; i < cols / 8; ++i) {
    const int group = scan_place<backwards>(i, cols / 8);
    const N first = source.values[group][backwards], second = source.values[group][!backwards];
    const N inclusive = scan_lanes<backwards, 4, 1>(combine(first, second), place, combine);
    const N in_front = shfl(inclusive, (backwards ? lane + 1 : lane - 1) & 31); // of this thread's pair
    N left = place ? combine(in_front, first) : first, all = shfl(inclusive, backwards ? quad : quad + 3);
    if (i > 0)
      left = combine(before, left), all = combine(before, all);
    result.values[group][backwards] = rounded<T>(left);
    result.values[group][!backwards] = rounded<T>(combine(left, second));
    before = all;
  }
  return result;
}

// The rows of each m64 block within the warp; `total` is that of the m64 block's 16 rows.
template <bool backwards, typename F, typename N>
TK_DEVICE void scan_m_block(N (&value)[2], N &total, const F &combine) {
  const int place = scan_place<backwards>(int(threadIdx.x % 32) / 4, 8), last = backwards ? 0 : 28;
  N &first = value[backwards], &second = value[!backwards];
  first = scan_lanes<backwards, 8, 4>(first, place, combine);
  second = combine(shfl(first, last), scan_lanes<backwards, 8, 4>(second, place, combine));
  total = shfl(second, last);
}

// By a warp, of its own vector.
template <bool backwards, typename F, typename T, int rows>
TK_DEVICE col_vec<T, rows, 1> scan(const col_vec<T, rows, 1> &source, const F &combine) {
  using N = number_of<T>;
  col_vec<T, rows, 1> result;
  N before = N(0);
#pragma unroll
  for (int i = 0; i < result.m_blocks; ++i) {
    const int m_block = scan_place<backwards>(i, result.m_blocks);
    N value[2] = {source.values[m_block][0], source.values[m_block][1]}, total;
    scan_m_block<backwards>(value, total, combine);
#pragma unroll
    for (int half = 0; half < 2; ++half)
      result.values[m_block][half] = rounded<T>(i ? combine(before, value[half]) : value[half]);
    before = i ? combine(before, total) : total;
  }
  return result;
}

// By `warpgroups` warpgroups that hold one vector, this one the `index`-th part of it. `scratch` is shared memory of 4
// bytes for each warp, `barrier` a named barrier that nobody else uses meanwhile.
template <bool backwards, int warpgroups, typename F, typename T, int rows>
TK_DEVICE col_vec<T, rows> scan(const col_vec<T, rows> &source, uint32_t scratch, int barrier, int index,
                                const F &combine) {
  using N = number_of<T>;
  constexpr int warps = 4 * warpgroups;
  const int mine = index * 4 + int(threadIdx.x / 32 % 4), place = scan_place<backwards>(mine, warps); // among all warps
  N value[rows / 64][2], before = N(0); // `before`: the m64 blocks of this warpgroup so far
  N in_front = N(0);                    // the warpgroups in front, all their m64 blocks
  bool has_front = false;
#pragma unroll
  for (int i = 0; i < rows / 64; ++i) {
    const int m_block = scan_place<backwards>(i, rows / 64);
    value[m_block][0] = source.values[m_block][0], value[m_block][1] = source.values[m_block][1];
    N total, m_block_total = N(0), above = N(0);
    scan_m_block<backwards>(value[m_block], total, combine);
    if (threadIdx.x % 32 == 0)
      st_shared_b32(scratch + mine * 4, bits_of<N>(total));
    named_barrier_sync(barrier, 128 * warpgroups); // every warp has written its total
#pragma unroll
    for (int warp = 0; warp < warps; ++warp) { // in the order of the scan
      const N other = value_of<N>(ld_shared_b32(scratch + scan_place<backwards>(warp, warps) * 4));
      if (warp / 4 < place / 4) {
        in_front = has_front ? combine(in_front, other) : other;
        has_front = true;
      } else if (warp / 4 == place / 4) {
        above = warp < place ? (warp % 4 ? combine(above, other) : other) : above;
        m_block_total = warp % 4 ? combine(m_block_total, other) : other;
      }
    }
    named_barrier_sync(barrier, 128 * warpgroups); // every warp has read: scratch may be written again
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (place % 4)
        value[m_block][half] = combine(above, value[m_block][half]);
      if (i)
        value[m_block][half] = combine(before, value[m_block][half]);
    }
    before = i ? combine(before, m_block_total) : m_block_total;
  }
  col_vec<T, rows> result;
#pragma unroll
  for (int m_block = 0; m_block < rows / 64; ++m_block)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      result.values[m_block][half] =
          rounded<T>(has_front ? combine(in_front, value[m_block][half]) : value[m_block][half]);
  return result;
}

//===----------------------------------------------------------------------===//
// Totals
//===----------------------------------------------------------------------===//

// Over lanes that differ in the bits from `first` up to and without `end`; the same in all of them.
template <int first, int end, typename F, typename N> TK_DEVICE N total_lanes(N value, const F &combine) {
#pragma unroll
  for (int lanes = first; lanes < end; lanes *= 2)
    value = combine(value, shfl_xor(value, lanes));
  return value;
}

template <typename F, typename T, int cols>
TK_DEVICE row_vec<T, cols> total(const row_vec<T, cols> &source, const F &combine) {
  number_of<T> value = combine(source.values[0][0], source.values[0][1]);
#pragma unroll
  for (int group = 1; group < cols / 8; ++group)
    value = combine(value, combine(source.values[group][0], source.values[group][1]));
  value = total_lanes<1, 4>(value, combine);
  return map<row_vec<T, cols>>([&] { return value; });
}

// Of the rows that a warp holds.
template <typename F, typename T, int rows, int warps>
TK_DEVICE number_of<T> total_of_warp(const col_vec<T, rows, warps> &source, const F &combine) {
  number_of<T> value = combine(source.values[0][0], source.values[0][1]);
#pragma unroll
  for (int m_block = 1; m_block < source.m_blocks; ++m_block)
    value = combine(value, combine(source.values[m_block][0], source.values[m_block][1]));
  return total_lanes<4, 32>(value, combine);
}

template <typename F, typename T, int rows>
TK_DEVICE col_vec<T, rows, 1> total(const col_vec<T, rows, 1> &source, const F &combine) {
  const auto value = total_of_warp(source, combine);
  return map<col_vec<T, rows, 1>>([&] { return value; });
}

// By `warpgroups` warpgroups, as with a scan.
template <int warpgroups, typename F, typename T, int rows>
TK_DEVICE col_vec<T, rows> total(const col_vec<T, rows> &source, uint32_t scratch, int barrier, int index,
                                 const F &combine) {
  using N = number_of<T>;
  N value = total_of_warp(source, combine);
  if (threadIdx.x % 32 == 0)
    st_shared_b32(scratch + (index * 4 + int(threadIdx.x / 32 % 4)) * 4, bits_of<N>(value));
  named_barrier_sync(barrier, 128 * warpgroups); // every warp has written its total
#pragma unroll
  for (int warp = 0; warp < 4 * warpgroups; ++warp) {
    const N other = value_of<N>(ld_shared_b32(scratch + warp * 4));
    value = warp ? combine(value, other) : other;
  }
  named_barrier_sync(barrier, 128 * warpgroups); // every warp has read: scratch may be written again
  return map<col_vec<T, rows>>([&] { return value; });
}

#define TK_SCAN(function, backwards, combine)                                                                          \
  template <typename V> TK_DEVICE V function(const V &vector) { return scan<backwards>(vector, combine()); }           \
  template <int warpgroups, typename V>                                                                                \
  TK_DEVICE V function(const V &vector, uint32_t scratch, int barrier, int index) {                                    \
    return scan<backwards, warpgroups>(vector, scratch, barrier, index, combine());                                    \
  }
#define TK_SCANS(name, combine)                                                                                        \
  TK_SCAN(scan_##name, false, combine)                                                                                 \
  TK_SCAN(suffix_##name, true, combine)                                                                                \
  template <typename V> TK_DEVICE V total_##name(const V &vector) { return total(vector, combine()); }                 \
  template <int warpgroups, typename V>                                                                                \
  TK_DEVICE V total_##name(const V &vector, uint32_t scratch, int barrier, int index) {                                \
    return total<warpgroups>(vector, scratch, barrier, index, combine());                                              \
  }

TK_SCANS(sum, add_values)
TK_SCANS(product, multiply_values)
TK_SCANS(max, greater_value)
TK_SCANS(min, smaller_value)

#undef TK_SCANS
#undef TK_SCAN

} // namespace tk

#endif // TK_TILE_SCAN_H
