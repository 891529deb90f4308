//===- tile/lanes.h - Vectors of one warp, neighbours in its lanes --------===//
//
// A warp that works on vectors alone has no tile beside which they would have to lie, so each of its lanes
// holds as many neighbours as there are 32 in the vector, and no value is there twice:
//
//      lane_vec<float, 64>     lane l has values 2 l and 2 l + 1
//
// A running sum is then five shuffles, where a col_vec needs shared memory and two meetings of a warpgroup,
// and a vector is one access to shared memory of each lane.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_LANES_H
#define TK_TILE_LANES_H

#include <tile/fragments.h>
#include <tile/move.h>
#include <tile/scan.h>

namespace tk {

template <typename T, int length> struct lane_vec {
  using element = T;
  using reg = number_of<T>;
  static constexpr int height = length;
  static constexpr int width = 0;
  static constexpr int warps = in_lanes;
  static constexpr int count = length / 32; // neighbours in a lane
  static_assert(length > 0 && length % 32 == 0, "a lane_vec has a multiple of 32 values, as a warp has lanes");
  static_assert(sizeof(T) == 4, "a lane_vec has elements of 4 bytes, which is what its lanes load and store");

  reg values[count];

  // All values are `value`.
  TK_DEVICE void fill(reg value) {
#pragma unroll
    for (int i = 0; i < count; ++i)
      values[i] = value;
  }
};

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

template <typename T, int length> constexpr bool is_shaped<lane_vec<T, length>> = true;

template <typename T, int length> TK_DEVICE auto element(const lane_vec<T, length> &vector, int, int i) {
  return vector.values[i];
}

template <typename T, int length> struct place_in<lane_vec<T, length>> {
  TK_DEVICE int row(int, int i) const { return int(threadIdx.x % 32) * lane_vec<T, length>::count + i; }
};

template <typename T, int length, typename F> TK_DEVICE void compute(lane_vec<T, length> &result, const F &at) {
#pragma unroll
  for (int i = 0; i < result.count; ++i)
    result.values[i] = rounded<T>(at(0, i));
}

//===----------------------------------------------------------------------===//
// Running sums, and totals
//===----------------------------------------------------------------------===//

template <bool backwards, typename F, typename T, int length>
TK_DEVICE lane_vec<T, length> scan(const lane_vec<T, length> &source, const F &combine) {
  using N = number_of<T>;
  const int lane = int(threadIdx.x % 32), place = scan_place<backwards>(lane, 32);
  lane_vec<T, length> result;
  constexpr int count = lane_vec<T, length>::count;
  const auto at = [](int i) { return scan_place<backwards>(i, count); };
  N mine[count];
  mine[0] = source.values[at(0)];
#pragma unroll
  for (int i = 1; i < count; ++i)
    mine[i] = combine(mine[i - 1], source.values[at(i)]);
  const N inclusive = scan_lanes<backwards, 32, 1>(mine[count - 1], place, combine);
  const N before = shfl(inclusive, (backwards ? lane + 1 : lane - 1) & 31); // all lanes before this one
#pragma unroll
  for (int i = 0; i + 1 < count; ++i)
    result.values[at(i)] = rounded<T>(place ? combine(before, mine[i]) : mine[i]);
  result.values[at(count - 1)] = rounded<T>(inclusive);
  return result;
}

template <typename F, typename T, int length>
TK_DEVICE lane_vec<T, length> total(const lane_vec<T, length> &source, const F &combine) {
  number_of<T> value = source.values[0];
#pragma unroll
  for (int i = 1; i < source.count; ++i)
    value = combine(value, source.values[i]);
  lane_vec<T, length> result;
  result.fill(total_lanes<1, 32>(value, combine));
  return result;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

template <typename T, int length> TK_DEVICE void store(sv<T, length> vector, const lane_vec<T, length> &source) {
  constexpr int count = lane_vec<T, length>::count;
  const uint32_t address = vector.address + threadIdx.x % 32 * (count * 4);
  const auto bits = [&](int i) { return bits_of<T>(source.values[i]); };
  if constexpr (count % 4 == 0) {
#pragma unroll
    for (int i = 0; i < count; i += 4)
      st_shared_v4_b32(address + i * 4, bits(i), bits(i + 1), bits(i + 2), bits(i + 3));
  } else if constexpr (count % 2 == 0) {
#pragma unroll
    for (int i = 0; i < count; i += 2)
      st_shared_v2_b32(address + i * 4, bits(i), bits(i + 1));
  } else {
#pragma unroll
    for (int i = 0; i < count; ++i)
      st_shared_b32(address + i * 4, bits(i));
  }
}

// The same in the order of fragments (tile/fragments.h), in which neighbours stay side by side.
template <int length> TK_DEVICE void store_in_order(sv<float, length> vector, const lane_vec<float, length> &source) {
  static_assert(length % 64 == 0, "a lane has pairs of neighbours");
#pragma unroll
  for (int i = 0; i < source.count; i += 2)
    st_shared_v2_b32(vector.address + place_in_fragments(int(threadIdx.x % 32) * source.count + i) * 4,
                     as_bits(source.values[i]), as_bits(source.values[i + 1]));
}

template <typename T, int length> TK_DEVICE void load_tile(lane_vec<T, length> &result, sv<T, length> vector) {
  constexpr int count = lane_vec<T, length>::count;
  const uint32_t address = vector.address + threadIdx.x % 32 * (count * 4);
  uint32_t bits[count];
  if constexpr (count % 4 == 0) {
#pragma unroll
    for (int i = 0; i < count; i += 4)
      ld_shared_v4_b32(address + i * 4, bits[i], bits[i + 1], bits[i + 2], bits[i + 3]);
  } else if constexpr (count % 2 == 0) {
#pragma unroll
    for (int i = 0; i < count; i += 2)
      ld_shared_v2_b32(address + i * 4, bits[i], bits[i + 1]);
  } else {
#pragma unroll
    for (int i = 0; i < count; ++i)
      bits[i] = ld_shared_b32(address + i * 4);
  }
#pragma unroll
  for (int i = 0; i < count; ++i)
    result.values[i] = value_of<T>(bits[i]);
}

// One column of a shared tile: load_column<lane_vec<float, 64>>(tile, 3).
template <typename R, typename T, int rows, int cols, int tile_rows, int tile_cols>
TK_DEVICE R load_column(st<T, rows, cols, tile_rows, tile_cols> tile, int column) {
  static_assert(R::height == rows, "a column has a value for each row of its tile");
  R result;
  const uint32_t first = tile.atom(column / tile.atom_cols) + column % tile.atom_cols * int(sizeof(T));
#pragma unroll
  for (int i = 0; i < result.count; ++i) {
    const uint32_t address = first + (threadIdx.x % 32 * result.count + i) * tile.mode;
    result.values[i] = load_element<T>(address ^ swizzle_bits<tile.mode>(address));
  }
  return result;
}

} // namespace tk

#endif // TK_TILE_LANES_H
