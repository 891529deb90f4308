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
#endif

// The two forms, along rows or along columns, of a function in arithmetic.h: `add_row(x, v)`, and
// destination first `add_row(to, x, v)`, which is `to = add_row(x, v)`.
#define TK_ALONG(along, operation, expect_side)                                                    \
  template <tile_operand X, value_operand V>                                                       \
  TK_LANGUAGE(#along)                                                                              \
  X along(const X &x, const V &v) TK_MEANING({                                                     \
    detail::expect_side<V>();                                                                      \
    return operation(x, v);                                                                        \
  });                                                                                              \
  template <tile_operand To, tile_operand X, value_operand V>                                      \
  TK_LANGUAGE(#along)                                                                              \
  void along(To &to, const X &x, const V &v) TK_MEANING({                                          \
    detail::expect_destination<To, X>();                                                           \
    to = along(x, v);                                                                              \
  });

/// Adds v[i] to each element of row i; v is a column vector as long as the tile has rows.
///
///     x = add_row(x, shift);
TK_ALONG(add_row, add, expect_column)

/// Adds v[j] to each element of column j; v is a row vector as long as the tile has columns.
///
///     x = add_col(x, bias);
TK_ALONG(add_col, add, expect_row)

/// Subtracts v[i] from each element of row i; v is a column vector as long as the tile has rows.
///
///     p = exp(sub_row(s, row_max(s)));
TK_ALONG(sub_row, sub, expect_column)

/// Subtracts v[j] from each element of column j; v is a row vector as long as the tile has columns.
///
///     p = exp(sub_col(s, col_max(s)));
TK_ALONG(sub_col, sub, expect_row)

/// Multiplies each element of row i by v[i]; v is a column vector as long as the tile has rows.
///
///     o = mul_row(o, alpha);
TK_ALONG(mul_row, mul, expect_column)

/// Multiplies each element of column j by v[j]; v is a row vector as long as the tile has columns.
///
///     x = mul_col(x, weight);
TK_ALONG(mul_col, mul, expect_row)

/// Divides each element of row i by v[i]; v is a column vector as long as the tile has rows.
///
///     o = div_row(o, total);
TK_ALONG(div_row, div, expect_column)

/// Divides each element of column j by v[j]; v is a row vector as long as the tile has columns.
///
///     p = div_col(p, col_sum(p));
TK_ALONG(div_col, div, expect_row)

#undef TK_ALONG

/// The tile that has a vector's value in each element of its row (a column vector), or of its
/// column (a row vector).
///
///     rt<float, BM, BN> x = broadcast<rt<float, BM, BN>>(bias);
template <tile_operand X, vector_operand V>
TK_LANGUAGE("broadcast")
X broadcast(const V &v) TK_MEANING({ return detail::each<X>([](auto x) { return x; }, v); });
/// Destination first: `broadcast(to, v)` is `to = broadcast<...>(v)`.
template <tile_operand X, vector_operand V>
TK_LANGUAGE("broadcast")
void broadcast(X &to, const V &v) TK_MEANING({ to = broadcast<X>(v); });

/// The tile with a row for each value of `A` and a column for each value of `B`.
template <vector_operand A, vector_operand B>
using outer_of = rt<typename A::element, A::length, B::length>;

// The two forms of a function in arithmetic.h of vectors across each other: `outer_add(a, b)`, and
// destination first `outer_add(to, a, b)`, which is `to = outer_add(a, b)`.
#define TK_OUTER(outer, symbol)                                                                    \
  template <vector_operand A, vector_operand B>                                                    \
  TK_LANGUAGE(#outer)                                                                              \
  outer_of<A, B> outer(const A &a, const B &b) TK_MEANING({                                        \
    detail::expect_column<A>();                                                                    \
    detail::expect_row<B>();                                                                       \
    detail::expect_same_element<A, B>();                                                           \
    return detail::each<outer_of<A, B>>([](auto a, auto b) { return a symbol b; }, a, b);          \
  });                                                                                              \
  template <tile_operand To, vector_operand A, vector_operand B>                                   \
  TK_LANGUAGE(#outer)                                                                              \
  void outer(To &to, const A &a, const B &b) TK_MEANING({                                          \
    detail::expect_destination<To, outer_of<A, B>>();                                              \
    to = outer(a, b);                                                                              \
  });

/// The tile of all sums of an element of `a` and one of `b`: `a[i] + b[j]`.
///
///     rt<float, BM, BN> s = outer_add(a, b);
TK_OUTER(outer_add, +)
/// The tile of all differences, `a[i] - b[j]`: how much state-space models forget between i and j.
///
///     rt<float, BM, BN> decay = exp(outer_sub(sums, transpose(sums)));
TK_OUTER(outer_sub, -)
/// The outer product, `a[i] * b[j]`.
///
///     state += outer_mul(k, v);
TK_OUTER(outer_mul, *)
#undef TK_OUTER

} // namespace tk

#endif // TK_LANGUAGE_BROADCASTS_H
