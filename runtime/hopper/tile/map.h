//===- tile/map.h - Elementwise code --------------------------------------===//
//
// A map computes every element of a register tile, or of a vector, from the
// elements at the same place of others:
//
//     s = map(s, now, [&](float s, float now) { return ex2(s * c - now * c); });
//
// Vectors are the same along the extent they do not have. The result has the
// operands' shape and float elements; map<bf16>(...) rounds to bf16, two
// neighbours into one register, and map<rt<float, 64, 128>>(...) gives the shape
// where no operand does. map_at also passes the element's coordinates, row and
// column of a tile or the index in a vector, counted from the warpgroup's first:
//
//     s = map_at(s, [&](float s, int row, int col) { return col <= row ? s : -INFINITY; });
//
// Once loops are unrolled nothing of this is left but the arithmetic: a thread
// numbers its elements i = 0, 1, 2, ... of each m64 block as tile/fragment.h draws
// them, and every operand gives its element at (m64 block, i).
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_MAP_H
#define TK_TILE_MAP_H

#include <ptx/math.h>
#include <tile/convert.h>
#include <tile/order.h>
#include <tile/vector.h>

namespace tk {

// 1 / x for a divisor of many: once for a row. Also where that is a subnormal number, which rcp gives as zero: x / v is
// then x * (1 / v) for any v that is not subnormal itself, to 4 ulp.
TK_DEVICE float reciprocal(float x) {
  const float shrink = fabsf(x) > 0x1p126f ? 0.25f : 1.0f;
  return rcp(x * shrink) * shrink;
}

// The same bits as another type.
TK_DEVICE int float_as_int(float value) { return int(as_bits(value)); }
TK_DEVICE float int_as_float(int bits) { return as_float(uint32_t(bits)); }

//===----------------------------------------------------------------------===//
// An operand's element at (m64 block, i)
//===----------------------------------------------------------------------===//

template <typename T, int rows, int cols, int warps>
TK_DEVICE number_of<T> element(const rt<T, rows, cols, warps> &tile, int m_block, int i) {
  if constexpr (is_same<T, float> || is_same<T, int>)
    return arrived(tile.values[m_block][i]);
  else
    return unpack<T>(tile.values[m_block][i / tile.per_register], i % tile.per_register);
}
template <typename T, int rows, int warps>
TK_DEVICE auto element(const col_vec<T, rows, warps> &vector, int m_block, int i) {
  return vector.values[m_block][i / 2 % 2];
}
template <typename T, int cols> TK_DEVICE auto element(const row_vec<T, cols> &vector, int, int i) {
  return vector.values[i / 4][i % 2];
}

// Where this thread's elements lie in the fragment.
template <int warps> struct element_place {
  int first_row, first_col;

  TK_DEVICE element_place() {
    const int thread = int(threadIdx.x % (32 * warps));
    first_row = thread / 32 * 16 + thread % 32 / 4;
    first_col = thread % 4 * 2;
  }
  TK_DEVICE int row(int m_block, int i) const { return first_row + (m_block * 16 * warps + i / 2 % 2 * 8); }
  TK_DEVICE int col(int i) const { return first_col + (i / 4 * 8 + i % 2); }
};

template <typename vector> struct place_in : element_place<vector::warps == 1 ? 1 : 4> {};

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

// Every element of `result` becomes at(m64 block, i).
template <typename T, int rows, int cols, int warps, typename F>
TK_DEVICE void compute(rt<T, rows, cols, warps> &result, const F &at) {
#pragma unroll
  for (int m_block = 0; m_block < result.m_blocks; ++m_block)
    if constexpr (sizeof(T) == 1) {
#pragma unroll
      for (int i = 0; i < cols / 2; i += 4)
        result.values[m_block][i / 4] =
            pack<T>(at(m_block, i), at(m_block, i + 1), at(m_block, i + 2), at(m_block, i + 3));
    } else {
#pragma unroll
      for (int i = 0; i < cols / 2; i += 2) {
        const auto low = at(m_block, i), high = at(m_block, i + 1);
        if constexpr (is_16_bit_float<T>)
          result.values[m_block][i / 2] = pack<T>(low, high);
        else if constexpr (is_same<T, tf32>)
          result.values[m_block][i] = as_bits(cvt_tf32(low)), result.values[m_block][i + 1] = as_bits(cvt_tf32(high));
        else
          result.values[m_block][i] = rounded<T>(low), result.values[m_block][i + 1] = rounded<T>(high);
      }
    }
  if constexpr (has_operand_order<T>)
    reorder<true>(result);
}
template <typename T, int rows, int warps, typename F>
TK_DEVICE void compute(col_vec<T, rows, warps> &result, const F &at) {
#pragma unroll
  for (int m_block = 0; m_block < result.m_blocks; ++m_block)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      result.values[m_block][half] = rounded<T>(at(m_block, 2 * half));
}
template <typename T, int cols, typename F> TK_DEVICE void compute(row_vec<T, cols> &result, const F &at) {
#pragma unroll
  for (int group = 0; group < cols / 8; ++group)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      result.values[group][half] = rounded<T>(at(0, 4 * group + half));
}

TK_HOST_DEVICE constexpr int largest() { return 0; }
template <typename... more> TK_HOST_DEVICE constexpr int largest(int first, more... rest) {
  return first > largest(rest...) ? first : largest(rest...);
}

template <typename T> constexpr bool is_shaped = false;
template <typename T, int rows, int cols, int warps> constexpr bool is_shaped<rt<T, rows, cols, warps>> = true;
template <typename T, int rows, int warps> constexpr bool is_shaped<col_vec<T, rows, warps>> = true;
template <typename T, int cols> constexpr bool is_shaped<row_vec<T, cols>> = true;

// R itself if it is a tile or vector, else the one with R's elements that has these extents.
template <typename R, int rows, int cols, int warps> TK_DEVICE auto shaped() {
  static_assert(is_shaped<R> || rows > 0 || cols > 0,
                "a map without operands is told its result: map<rt<T, rows, cols>>");
  if constexpr (is_shaped<R>)
    return R();
  else if constexpr (warps == in_lanes)
    return lane_vec<R, rows>();
  else if constexpr (cols == 0)
    return col_vec<R, rows, warps>();
  else if constexpr (rows == 0)
    return row_vec<R, cols>();
  else
    return rt<R, rows, cols, warps>();
}

template <typename R, typename... operands>
using map_result =
    decltype(shaped<R, largest(operands::height...), largest(operands::width...), largest(operands::warps...)>());

// Whether an operand has a value for every element of the result.
template <typename result, typename operand>
constexpr bool fits = (operand::height == 0 || operand::height == result::height) &&
                      (operand::width == 0 || operand::width == result::width) &&
                      (operand::warps == 0 || operand::warps == result::warps);

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

template <typename result_type, typename F, typename... operands>
TK_DEVICE result_type map_ordered(const F &f, const operands &...from) {
  result_type result;
  compute(result, [&](int m_block, int i) { return f(element(from, m_block, i)...); });
  return result;
}

template <typename result_type, typename F, typename... operands>
TK_DEVICE result_type map_ordered_at(const F &f, const operands &...from) {
  const place_in<result_type> place;
  result_type result;
  compute(result, [&](int m_block, int i) {
    if constexpr (result_type::width == 0)
      return f(element(from, m_block, i)..., place.row(m_block, i));
    else if constexpr (result_type::height == 0)
      return f(element(from, m_block, i)..., place.col(i));
    else
      return f(element(from, m_block, i)..., place.row(m_block, i), place.col(i));
  });
  return result;
}

template <typename R, typename F, typename... operands>
TK_DEVICE auto map_elements(const F &f, const operands &...from) {
  using result_type = map_result<R, operands...>;
  static_assert((fits<result_type, operands> && ...), "the operands of a map have the extents of its result");
  return map_ordered<result_type>(f, in_order(from)...);
}

template <typename R, typename F, typename... operands>
TK_DEVICE auto map_elements_at(const F &f, const operands &...from) {
  using result_type = map_result<R, operands...>;
  static_assert((fits<result_type, operands> && ...), "the operands of a map have the extents of its result");
  return map_ordered_at<result_type>(f, in_order(from)...);
}

// A tile or vector with elements of type T.
template <typename T, typename X> TK_DEVICE auto convert(const X &source) {
  return map_elements<T>([](auto value) { return value; }, source);
}

// The function comes last, where a reader looks for it, so there is an overload for each number of operands.

template <typename R = float, typename Function> TK_DEVICE auto map(const Function &function) {
  return map_elements<R>(function);
}
template <typename R = float, typename A, typename Function> TK_DEVICE auto map(const A &a, const Function &function) {
  return map_elements<R>(function, a);
}
template <typename R = float, typename A, typename B, typename Function>
TK_DEVICE auto map(const A &a, const B &b, const Function &function) {
  return map_elements<R>(function, a, b);
}
template <typename R = float, typename A, typename B, typename C, typename Function>
TK_DEVICE auto map(const A &a, const B &b, const C &c, const Function &function) {
  return map_elements<R>(function, a, b, c);
}
template <typename R = float, typename A, typename B, typename C, typename D, typename Function>
TK_DEVICE auto map(const A &a, const B &b, const C &c, const D &d, const Function &function) {
  return map_elements<R>(function, a, b, c, d);
}
template <typename R = float, typename A, typename B, typename C, typename D, typename E, typename Function>
TK_DEVICE auto map(const A &a, const B &b, const C &c, const D &d, const E &e, const Function &function) {
  return map_elements<R>(function, a, b, c, d, e);
}

template <typename R = float, typename Function> TK_DEVICE auto map_at(const Function &function) {
  return map_elements_at<R>(function);
}
template <typename R = float, typename A, typename Function>
TK_DEVICE auto map_at(const A &a, const Function &function) {
  return map_elements_at<R>(function, a);
}
template <typename R = float, typename A, typename B, typename Function>
TK_DEVICE auto map_at(const A &a, const B &b, const Function &function) {
  return map_elements_at<R>(function, a, b);
}
template <typename R = float, typename A, typename B, typename C, typename Function>
TK_DEVICE auto map_at(const A &a, const B &b, const C &c, const Function &function) {
  return map_elements_at<R>(function, a, b, c);
}
template <typename R = float, typename A, typename B, typename C, typename D, typename Function>
TK_DEVICE auto map_at(const A &a, const B &b, const C &c, const D &d, const Function &function) {
  return map_elements_at<R>(function, a, b, c, d);
}
template <typename R = float, typename A, typename B, typename C, typename D, typename E, typename Function>
TK_DEVICE auto map_at(const A &a, const B &b, const C &c, const D &d, const E &e, const Function &function) {
  return map_elements_at<R>(function, a, b, c, d, e);
}

} // namespace tk

#endif // TK_TILE_MAP_H
