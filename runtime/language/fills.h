//===- fills.h - Values from nowhere: constants and sequences -------------===//
//
// The value form of a fill is the tile's own constructor: `rt<float, 64, 64> o = 0`.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_FILLS_H
#define TK_LANGUAGE_FILLS_H

#include "map.h"

namespace tk {

/// Makes all elements 0; of a register tile or vector, `x = 0`.
///
///     zero(att);
template <typename X>
  requires(tile<X> || vector<X>)
TK_LANGUAGE("zero")
void zero(X &x);

/// Makes all elements `value`.
///
///     fill(best, -inf);
template <typename X>
  requires(tile<X> || vector<X>)
TK_LANGUAGE("fill_into")
void fill(X &x, number_of<typename X::element> value);

/// The vector 0, 1, 2, ...
///
///     row_vec<int32, BN> column = iota<row_vec<int32, BN>>();
template <vector_operand V> TK_LANGUAGE("iota") V iota();
/// Destination first: `iota(v)` is `v = iota<...>()`.
template <vector_operand V> TK_LANGUAGE("iota") void iota(V &v);

/// The vector start, start + step, start + 2 step, ...
///
///     row_vec<int32, BN> key = arange<row_vec<int32, BN>>(j * BN);
template <vector_operand V>
TK_LANGUAGE("arange")
V arange(number_of<typename V::element> start, number_of<typename V::element> step = 1);
/// Destination first: `arange(v, start, step)` is `v = arange<...>(start, step)`.
template <vector_operand V>
TK_LANGUAGE("arange")
void arange(V &v, number_of<typename V::element> start, number_of<typename V::element> step = 1);

#ifndef __TKC__
template <typename X>
  requires(tile<X> || vector<X>)
void zero(X &x) {
  fill(x, 0);
}

template <typename X>
  requires(tile<X> || vector<X>)
void fill(X &x, number_of<typename X::element> value) {
  using T = typename X::element;
  if constexpr (tile<X>) {
    for (int i = 0; i < X::height; ++i)
      for (int j = 0; j < X::width; ++j)
        x.at(i, j) = detail::convert<T>(value);
  } else {
    for (int i = 0; i < X::length; ++i)
      x.at(i) = detail::convert<T>(value);
  }
}

template <vector_operand V> V iota() { return arange<V>(0); }
template <vector_operand V> void iota(V &v) { v = iota<V>(); }

template <vector_operand V>
V arange(number_of<typename V::element> start, number_of<typename V::element> step) {
  using T = typename V::element;
  V result;
  for (int i = 0; i < V::length; ++i)
    result.at(i) = detail::convert<T>(start + static_cast<number_of<T>>(i) * step);
  return result;
}
template <vector_operand V>
void arange(V &v, number_of<typename V::element> start, number_of<typename V::element> step) {
  v = arange<V>(start, step);
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_FILLS_H
