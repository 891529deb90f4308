//===- map.h - Elementwise code as a lambda -------------------------------===//
//
// Every operation that looks at one element at a time is a map, and a map is the way
// to write one that the language has not: the lambda takes the values at one
// place, as float (of integers as int), and if it wants to the place's row and
// column within the tile, and gives the new value.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_MAP_H
#define TK_LANGUAGE_MAP_H

#include "vectors.h"

namespace tk {

/// Calculates each element of a tile from its value, or from its value, row and column; of a
/// vector, from its value, or from its value and index.
///
///     s = map(s, [=](float x) { return cap * tanh(x / cap); });
///     s = map(s, [=](float x, int r, int c) { return x - slope * (m * BM + r - (j * BN + c)); });
template <value_operand X, typename F> TK_LANGUAGE("map") X map(const X &x, F f);

/// The same of two operands: `f(x, y)` or `f(x, y, row, column)`. The second is of the first one's
/// shape, or a vector that lies along it.
///
///     y = map(x, gate, [](float x, float g) { return x * rcp(1 + exp(-g)); });
template <value_operand X, operand_for<X> Y, typename F>
TK_LANGUAGE("map")
X map(const X &x, const Y &y, F f);

/// The same of three operands: `f(x, y, z)` or `f(x, y, z, row, column)`.
template <value_operand X, operand_for<X> Y, operand_for<X> Z, typename F>
TK_LANGUAGE("map")
X map(const X &x, const Y &y, const Z &z, F f);

/// The same of four operands: `f(x, y, z, w)` or `f(x, y, z, w, row, column)`.
template <value_operand X, operand_for<X> Y, operand_for<X> Z, operand_for<X> W, typename F>
TK_LANGUAGE("map")
X map(const X &x, const Y &y, const Z &z, const W &w, F f);

/// Destination first: `apply(to, x, f)` is `to = map(x, f)`.
template <value_operand To, value_operand X, typename F>
TK_LANGUAGE("map")
void apply(To &to, const X &x, F f);

#ifndef __TKC__
namespace detail {
template <typename X> inline constexpr int rows_of = 0;
template <typename T, int rows, int cols, typename layout>
inline constexpr int rows_of<rt<T, rows, cols, layout>> = rows;
template <typename T, int n> inline constexpr int rows_of<rv<T, n, col>> = n;
template <typename X> inline constexpr int cols_of = 0;
template <typename T, int rows, int cols, typename layout>
inline constexpr int cols_of<rt<T, rows, cols, layout>> = cols;
template <typename T, int n> inline constexpr int cols_of<rv<T, n, row>> = n;

template <typename X> inline constexpr bool is_col_layout = false;
template <typename T, int rows, int cols>
inline constexpr bool is_col_layout<rt<T, rows, cols, col>> = true;

/// Whether two operands agree in the rows, or columns, that both have (0: it has none).
constexpr bool agree(int n, int m) { return n == 0 || m == 0 || n == m; }

template <typename X, typename Y> void expect_fit() {
  static_assert(agree(rows_of<X>, rows_of<Y>), "both operands have as many rows");
  static_assert(agree(cols_of<X>, cols_of<Y>), "both operands have as many columns");
  if constexpr (register_tile<X> && register_tile<Y>)
    static_assert(is_col_layout<X> == is_col_layout<Y>,
                  "both tiles have the same layout tag; 'swap_layout(x)' gives the other one");
  if constexpr (register_vector<X> && register_vector<Y>)
    static_assert(is_column<X> == is_column<Y>,
                  "both vectors are column vectors, or both are row vectors");
}

/// For operands that are no maps: nothing changes its type unasked.
template <typename X, typename Y> void expect_same_element() {
  if constexpr (!number<Y>)
    static_assert(__is_same(typename X::element, typename Y::element),
                  "both operands have the same element type; 'rt<float, rows, cols>(x)' converts");
}

template <typename To, typename X> void expect_destination() {
  static_assert(__is_same(To, X), "the destination has the type of the result");
}

/// An operand's value beside the element (i, j) of a tile, ready to calculate with.
template <typename X> auto value_at(const X &x, int i, int j) {
  if constexpr (number<X>)
    return static_cast<number_of<X>>(x);
  else if constexpr (register_tile<X>)
    return static_cast<number_of<typename X::element>>(x.at(i, j));
  else
    return static_cast<number_of<typename X::element>>(x.at(is_column<X> ? i : j));
}

/// Calls f(values..., i, j) if it takes that, else f(values..., i) for vectors, else f(values...).
template <bool ofVector, typename F, typename... V> auto call_at(F &f, int i, int j, V... values) {
  if constexpr (requires { f(values..., i, j); })
    return f(values..., i, j);
  else if constexpr (ofVector && requires { f(values..., i); })
    return f(values..., i);
  else
    return f(values...);
}

/// The X whose element (i, j) is f of the operands' values there.
template <typename X, typename F, typename... Y> X each(F f, const Y &...operands) {
  (expect_fit<X, Y>(), ...);
  using T = typename X::element;
  X result;
  if constexpr (register_tile<X>) {
    for (int i = 0; i < X::height; ++i)
      for (int j = 0; j < X::width; ++j)
        result.at(i, j) = convert<T>(call_at<false>(f, i, j, value_at(operands, i, j)...));
  } else {
    for (int i = 0; i < X::length; ++i)
      result.at(i) = convert<T>(call_at<true>(f, i, i, value_at(operands, i, i)...));
  }
  return result;
}
} // namespace detail

template <value_operand X, typename F> X map(const X &x, F f) { return detail::each<X>(f, x); }

template <value_operand X, operand_for<X> Y, typename F> X map(const X &x, const Y &y, F f) {
  return detail::each<X>(f, x, y);
}

template <value_operand X, operand_for<X> Y, operand_for<X> Z, typename F>
X map(const X &x, const Y &y, const Z &z, F f) {
  return detail::each<X>(f, x, y, z);
}

template <value_operand X, operand_for<X> Y, operand_for<X> Z, operand_for<X> W, typename F>
X map(const X &x, const Y &y, const Z &z, const W &w, F f) {
  return detail::each<X>(f, x, y, z, w);
}

template <value_operand To, value_operand X, typename F> void apply(To &to, const X &x, F f) {
  detail::expect_destination<To, X>();
  to = map(x, f);
}
#else
// A lambda's type has no name, so Clang asks for the definitions here; nobody runs them.
template <value_operand X, typename F> X map(const X &, F) { __builtin_unreachable(); }
template <value_operand X, operand_for<X> Y, typename F> X map(const X &, const Y &, F) {
  __builtin_unreachable();
}
template <value_operand X, operand_for<X> Y, operand_for<X> Z, typename F>
X map(const X &, const Y &, const Z &, F) {
  __builtin_unreachable();
}
template <value_operand X, operand_for<X> Y, operand_for<X> Z, operand_for<X> W, typename F>
X map(const X &, const Y &, const Z &, const W &, F) {
  __builtin_unreachable();
}
template <value_operand To, value_operand X, typename F> void apply(To &, const X &, F) {}
#endif

} // namespace tk

#endif // TK_LANGUAGE_MAP_H
