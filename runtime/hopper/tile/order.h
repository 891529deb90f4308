//===- tile/order.h - Columns between the threads of a quad ---------------===//
//
// A row of eight accumulators lies in the four threads of a quad as pairs of
// neighbours. MMAs want 8-bit and tf32 operands in another order:
//
//      thread of the quad       0       1       2       3
//      accumulators            0 1     2 3     4 5     6 7        and 8 more after them
//      8-bit operand, of 16   0 1 2 3 4 5 6 7 8 ...               four neighbours each
//      tf32 operand, of 8      0 4     1 5     2 6     3 7
//
// So a map of such tiles costs shuffles: one per register of 8-bit elements, two
// per tf32. Everything else about them is as for the other types.
//
// A shuffle takes a whole register from one thread. So 8-bit elements go in
// registers that hold a pair of row r beside one of row r + 8, which the same thread
// wants; and in each of two shuffles half of the threads give the left ones'
// registers, half the right ones'.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_ORDER_H
#define TK_TILE_ORDER_H

#include <ptx/permute.h>
#include <ptx/shuffle.h>
#include <tile/fragment.h>

namespace tk {

template <typename T> constexpr bool has_operand_order = sizeof(T) == 1 || is_same<T, tf32>;

TK_DEVICE int quad_lane() { return int(threadIdx.x % 4); }
TK_DEVICE uint32_t shuffle_in_quad(uint32_t value, int lane) {
  return uint32_t(shfl(int(value), (int(threadIdx.x % 32) & ~3) + lane));
}

// Selectors of prmt on two pairs: both low halves, or both high ones; and the same with the registers exchanged.
constexpr uint32_t low_halves = 0x5410, high_halves = 0x7632, low_exchanged = 0x1054, high_exchanged = 0x3276;

// 8-bit elements. Accumulators: `left` has columns 2q and 2q + 1 of row r and of row r + 8, `right` those 8 further on.
// Operand: columns 4q to 4q + 3 of sixteen, of row r and of row r + 8.
TK_DEVICE void to_operand_order_8(uint32_t &left, uint32_t &right) {
  const int q = quad_lane();
  const bool is_odd = q % 2 == 1, is_left = q < 2;
  const uint32_t even = shuffle_in_quad(is_odd ? right : left, q % 2 * 2 + q / 2); // from threads 0, 2, 1, 3
  const uint32_t odd = shuffle_in_quad(is_odd ? left : right, is_left ? 2 * q + 1 : 2 * q - 4); // from 1, 3, 0, 2
  left = prmt(even, odd, is_left ? low_halves : low_exchanged);
  right = prmt(even, odd, is_left ? high_halves : high_exchanged);
}
TK_DEVICE void from_operand_order_8(uint32_t &first, uint32_t &second) {
  const int q = quad_lane();
  const bool is_odd = q % 2 == 1, is_left = q < 2;
  const uint32_t low = prmt(first, second, low_halves), high = prmt(first, second, high_halves);
  const uint32_t even = shuffle_in_quad(is_left ? low : high, q % 2 * 2 + q / 2);         // from threads 0, 2, 1, 3
  const uint32_t odd = shuffle_in_quad(is_left ? high : low, is_odd ? q / 2 : q / 2 + 2); // from 2, 0, 3, 1
  first = is_odd ? odd : even, second = is_odd ? even : odd;
}

// tf32: columns 2q and 2q + 1 of eight become q and q + 4.
TK_DEVICE void to_operand_order(uint32_t &first, uint32_t &second) {
  const int q = quad_lane();
  const uint32_t left_even = shuffle_in_quad(first, q / 2), left_odd = shuffle_in_quad(second, q / 2);
  const uint32_t right_even = shuffle_in_quad(first, 2 + q / 2), right_odd = shuffle_in_quad(second, 2 + q / 2);
  first = q % 2 ? left_odd : left_even, second = q % 2 ? right_odd : right_even;
}
TK_DEVICE void from_operand_order(uint32_t &first, uint32_t &second) {
  const int q = quad_lane(), even = 2 * q % 4;
  const uint32_t left_even = shuffle_in_quad(first, even), left_odd = shuffle_in_quad(first, even + 1);
  const uint32_t right_even = shuffle_in_quad(second, even), right_odd = shuffle_in_quad(second, even + 1);
  first = q < 2 ? left_even : right_even, second = q < 2 ? left_odd : right_odd;
}

// All registers of a tile, in place.
template <bool to_operand, typename T, int rows, int cols, int warps>
TK_DEVICE void reorder(rt<T, rows, cols, warps> &tile) {
#pragma unroll
  for (int m_block = 0; m_block < tile.m_blocks; ++m_block) {
    auto &r = tile.values[m_block];
    if constexpr (sizeof(T) == 1) {
#pragma unroll
      for (int i = 0; i < tile.registers; i += 2)
        if constexpr (to_operand)
          to_operand_order_8(r[i], r[i + 1]);
        else
          from_operand_order_8(r[i], r[i + 1]);
    } else {
#pragma unroll
      for (int i = 0; i < tile.registers; i += 4) // accumulators list a row's neighbours first, operands its column's
        if constexpr (to_operand) {
          to_operand_order(r[i], r[i + 1]);
          to_operand_order(r[i + 2], r[i + 3]);
          const uint32_t right = r[i + 1];
          r[i + 1] = r[i + 2], r[i + 2] = right;
        } else {
          const uint32_t right = r[i + 2];
          r[i + 2] = r[i + 1], r[i + 1] = right;
          from_operand_order(r[i], r[i + 1]);
          from_operand_order(r[i + 2], r[i + 3]);
        }
    }
  }
}

// A tile whose elements are computed with: in the order of accumulators.
template <typename X> constexpr bool needs_order = false;
template <typename T, int rows, int cols, int warps>
constexpr bool needs_order<rt<T, rows, cols, warps>> = has_operand_order<T>;

template <typename X> TK_DEVICE decltype(auto) in_order(const X &operand) {
  if constexpr (needs_order<X>) {
    X ordered = operand;
    reorder<false>(ordered);
    return ordered;
  } else {
    return (operand);
  }
}

} // namespace tk

#endif // TK_TILE_ORDER_H
