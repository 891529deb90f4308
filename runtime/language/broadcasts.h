//===- broadcasts.h - Vectors along tiles ---------------------------------===//
//
// `add_row(x, v)` works on rows: a column vector has one value for each row, and
// each element of row i meets v[i]. `add_col(x, v)` works on columns, with a row
// vector. Two vectors across each other make a tile.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_BROADCASTS_H
#define TK_LANGUAGE_BROADCASTS_H

#include "arithmetic.h"

namespace tk {

/// Adds v[i] to each element of row i; v is a column vector as long as the tile has rows.
///
///     x = add_row(x, shift);
template <tile_operand X, value_operand V> TK_LANGUAGE("add_row") X add_row(const X &x, const V &v);
/// Destination first: `add_row(to, x, v)` is `to = add_row(x, v)`.
template <tile_operand To, tile_operand X, value_operand V>
TK_LANGUAGE("add_row")
void add_row(To &to, const X &x, const V &v);

/// Adds v[j] to each element of column j; v is a row vector as long as the tile has columns.
///
///     x = add_col(x, bias);
template <tile_operand X, value_operand V> TK_LANGUAGE("add_col") X add_col(const X &x, const V &v);
/// Destination first: `add_col(to, x, v)` is `to = add_col(x, v)`.
template <tile_operand To, tile_operand X, value_operand V>
TK_LANGUAGE("add_col")
void add_col(To &to, const X &x, const V &v);

/// Subtracts v[i] from each element of row i; v is a column vector as long as the tile has rows.
///
///     p = exp(sub_row(s, row_max(s)));
template <tile_operand X, value_operand V> TK_LANGUAGE("sub_row") X sub_row(const X &x, const V &v);
/// Destination first: `sub_row(to, x, v)` is `to = sub_row(x, v)`.
template <tile_operand To, tile_operand X, value_operand V>
TK_LANGUAGE("sub_row")
void sub_row(To &to, const X &x, const V &v);

/// Subtracts v[j] from each element of column j; v is a row vector as long as the tile has columns.
///
///     p = exp(sub_col(s, col_max(s)));
template <tile_operand X, value_operand V> TK_LANGUAGE("sub_col") X sub_col(const X &x, const V &v);
/// Destination first: `sub_col(to, x, v)` is `to = sub_col(x, v)`.
template <tile_operand To, tile_operand X, value_operand V>
TK_LANGUAGE("sub_col")
void sub_col(To &to, const X &x, const V &v);

/// Multiplies each element of row i by v[i]; v is a column vector as long as the tile has rows.
///
///     o = mul_row(o, alpha);
template <tile_operand X, value_operand V> TK_LANGUAGE("mul_row") X mul_row(const X &x, const V &v);
/// Destination first: `mul_row(to, x, v)` is `to = mul_row(x, v)`.
template <tile_operand To, tile_operand X, value_operand V>
TK_LANGUAGE("mul_row")
void mul_row(To &to, const X &x, const V &v);

/// Multiplies each element of column j by v[j]; v is a row vector as long as the tile has columns.
///
///     x = mul_col(x, weight);
template <tile_operand X, value_operand V> TK_LANGUAGE("mul_col") X mul_col(const X &x, const V &v);
/// Destination first: `mul_col(to, x, v)` is `to = mul_col(x, v)`.
template <tile_operand To, tile_operand X, value_operand V>
TK_LANGUAGE("mul_col")
void mul_col(To &to, const X &x, const V &v);

/// Divides each element of row i by v[i]; v is a column vector as long as the tile has rows.
///
///     o = div_row(o, total);
template <tile_operand X, value_operand V> TK_LANGUAGE("div_row") X div_row(const X &x, const V &v);
/// Destination first: `div_row(to, x, v)` is `to = div_row(x, v)`.
template <tile_operand To, tile_operand X, value_operand V>
TK_LANGUAGE("div_row")
void div_row(To &to, const X &x, const V &v);

/// Divides each element of column j by v[j]; v is a row vector as long as the tile has columns.
///
///     p = div_col(p, col_sum(p));
template <tile_operand X, value_operand V> TK_LANGUAGE("div_col") X div_col(const X &x, const V &v);
/// Destination first: `div_col(to, x, v)` is `to = div_col(x, v)`.
template <tile_operand To, tile_operand X, value_operand V>
TK_LANGUAGE("div_col")
void div_col(To &to, const X &x, const V &v);

/// The tile that has a vector's value in each element of its row (a column vector), or of its
/// column (a row vector).
///
///     rt<float, BM, BN> x = broadcast<rt<float, BM, BN>>(bias);
template <tile_operand X, vector_operand V> TK_LANGUAGE("broadcast") X broadcast(const V &v);
/// Destination first: `broadcast(to, v)` is `to = broadcast<...>(v)`.
template <tile_operand X, vector_operand V>
TK_LANGUAGE("broadcast")
void broadcast(X &to, const V &v);

/// The tile with a row for each value of `A` and a column for each value of `B`.
template <vector_operand A, vector_operand B>
using outer_of = rt<typename A::element, A::length, B::length>;

/// The tile of all sums of an element of `a` and one of `b`: `a[i] + b[j]`.
///
///     rt<float, BM, BN> s = outer_add(a, b);
template <vector_operand A, vector_operand B>
TK_LANGUAGE("outer_add")
outer_of<A, B> outer_add(const A &a, const B &b);
/// The tile of all differences, `a[i] - b[j]`: how much state-space models forget between i and j.
///
///     rt<float, BM, BN> decay = exp(outer_sub(sums, transpose(sums)));
template <vector_operand A, vector_operand B>
TK_LANGUAGE("outer_sub")
outer_of<A, B> outer_sub(const A &a, const B &b);
/// The outer product, `a[i] * b[j]`.
///
///     state += outer_mul(k, v);
template <vector_operand A, vector_operand B>
TK_LANGUAGE("outer_mul")
outer_of<A, B> outer_mul(const A &a, const B &b);

/// Destination first: `outer_add(to, a, b)` is `to = outer_add(a, b)`.
template <tile_operand To, vector_operand A, vector_operand B>
TK_LANGUAGE("outer_add")
void outer_add(To &to, const A &a, const B &b);
/// Destination first: `outer_sub(to, a, b)` is `to = outer_sub(a, b)`.
template <tile_operand To, vector_operand A, vector_operand B>
TK_LANGUAGE("outer_sub")
void outer_sub(To &to, const A &a, const B &b);
/// Destination first: `outer_mul(to, a, b)` is `to = outer_mul(a, b)`.
template <tile_operand To, vector_operand A, vector_operand B>
TK_LANGUAGE("outer_mul")
void outer_mul(To &to, const A &a, const B &b);

#ifndef __TKC__
namespace detail {
template <value_operand V> void expect_column() {
  static_assert(is_column<V>, "what works on rows needs a column vector, one value for each row");
}
template <value_operand V> void expect_row() {
  static_assert(register_vector<V> && !is_column<V>,
                "what works on columns needs a row vector, one value for each column");
}
} // namespace detail

// The forms along rows and along columns of a function in arithmetic.h.
#define TK_ALONG(operation)                                                                        \
  template <tile_operand X, value_operand V> X operation##_row(const X &x, const V &v) {           \
    detail::expect_column<V>();                                                                    \
    return operation(x, v);                                                                        \
  }                                                                                                \
  template <tile_operand X, value_operand V> X operation##_col(const X &x, const V &v) {           \
    detail::expect_row<V>();                                                                       \
    return operation(x, v);                                                                        \
  }                                                                                                \
  template <tile_operand To, tile_operand X, value_operand V>                                      \
  void operation##_row(To &to, const X &x, const V &v) {                                           \
    detail::expect_destination<To, X>();                                                           \
    to = operation##_row(x, v);                                                                    \
  }                                                                                                \
  template <tile_operand To, tile_operand X, value_operand V>                                      \
  void operation##_col(To &to, const X &x, const V &v) {                                           \
    detail::expect_destination<To, X>();                                                           \
    to = operation##_col(x, v);                                                                    \
  }

TK_ALONG(add)
TK_ALONG(sub)
TK_ALONG(mul)
TK_ALONG(div)
#undef TK_ALONG

template <tile_operand X, vector_operand V> X broadcast(const V &v) {
  return detail::each<X>([](auto x) { return x; }, v);
}
template <tile_operand X, vector_operand V> void broadcast(X &to, const V &v) {
  to = broadcast<X>(v);
}

#define TK_OUTER(operation, value)                                                                 \
  template <vector_operand A, vector_operand B> outer_of<A, B> operation(const A &a, const B &b) { \
    detail::expect_column<A>();                                                                    \
    detail::expect_row<B>();                                                                       \
    detail::expect_same_element<A, B>();                                                           \
    return detail::each<outer_of<A, B>>([](auto a, auto b) { return value; }, a, b);               \
  }                                                                                                \
  template <tile_operand To, vector_operand A, vector_operand B>                                   \
  void operation(To &to, const A &a, const B &b) {                                                 \
    detail::expect_destination<To, outer_of<A, B>>();                                              \
    to = operation(a, b);                                                                          \
  }

TK_OUTER(outer_add, a + b)
TK_OUTER(outer_sub, a - b)
TK_OUTER(outer_mul, a *b)
#undef TK_OUTER
#endif

} // namespace tk

#endif // TK_LANGUAGE_BROADCASTS_H
