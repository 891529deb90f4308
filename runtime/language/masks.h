//===- masks.h - Parts of a tile replaced by a value ----------------------===//
//
// A mask keeps elements by their row and column within the tile. A tile at another
// place of its matrix says so by `diagonal`: element (r, c) lies on diagonal
// c - r, and for a tile whose first element is (m, n) of the whole matrix the
// main diagonal is the tile's diagonal m - n.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_MASKS_H
#define TK_LANGUAGE_MASKS_H

#include "map.h"
#include "scalars.h"

namespace tk {

#ifdef __TKC__
/// A predicate of an element's row and column: a lambda `bool(int r, int c)`.
template <typename F>
concept predicate = !number<F> && !detail::has_elements<F>;
#else
template <typename F>
concept predicate = requires(F f) { f(0, 0) ? 0 : 0; };
#endif

/// Keeps the elements for which `keep(row, column)` is true and replaces the others, by -inf if
/// nothing else is said.
///
///     s = mask(s, [=](int r, int c) { return j * BN + c < K.rows(); });
template <tile_operand X, predicate F>
TK_LANGUAGE("mask")
X mask(const X &x, F keep, number_of<typename X::element> value = -inf);
/// Destination first: `mask(to, x, keep)` is `to = mask(x, keep)`.
template <tile_operand To, tile_operand X, predicate F>
TK_LANGUAGE("mask")
void mask(To &to, const X &x, F keep, number_of<typename X::element> value = -inf);

// The two forms of a mask that `kept` of the row `i`, the column `j` and a number describes:
// `tril(x, diagonal, value)`, and destination first `tril(to, x, diagonal, value)`.
#define TK_MASK(mask_of, number, parameter, otherwise, kept)                                       \
  template <tile_operand X>                                                                        \
  TK_LANGUAGE(#mask_of)                                                                            \
  X mask_of(const X &x, parameter, number_of<typename X::element> value = otherwise) TK_MEANING({  \
    return mask(x, [=]([[maybe_unused]] int i, [[maybe_unused]] int j) { return kept; }, value);   \
  });                                                                                              \
  template <tile_operand To, tile_operand X>                                                       \
  TK_LANGUAGE(#mask_of)                                                                            \
  void mask_of(To &to, const X &x, parameter, number_of<typename X::element> value = otherwise)    \
      TK_MEANING({                                                                                 \
        detail::expect_destination<To, X>();                                                       \
        to = mask_of(x, number, value);                                                            \
      });

/// Keeps the elements that are not to the right of a diagonal, c - r <= diagonal, and replaces the
/// rest, by -inf if nothing else is said: a query sees no later key.
///
///     s = causal(s, m * BM - j * BN);
TK_MASK(causal, diagonal, int diagonal = 0, -inf, j - i <= diagonal)

/// The lower triangle: keeps c - r <= diagonal and replaces the rest, by 0 if nothing else is said.
///
///     s = tril(s);
TK_MASK(tril, diagonal, int diagonal = 0, 0, j - i <= diagonal)

/// The upper triangle: keeps c - r >= diagonal and replaces the rest, by 0 if nothing else is said.
///
///     s = triu(s, 1);
TK_MASK(triu, diagonal, int diagonal = 0, 0, j - i >= diagonal)

/// Replaces the one with number `column` and all to the right of it, by 0 if nothing else is said.
///
///     s = right_fill(s, K.rows() - j * BN, -inf);
TK_MASK(right_fill, column, int column, 0, j < column)

/// Replaces all columns to the left of `column`, by 0 if nothing else is said.
///
///     s = left_fill(s, first - j * BN, -inf);
TK_MASK(left_fill, column, int column, 0, j >= column)

/// Replaces row `line` and all below it, by 0 if nothing else is said.
///
///     x = lower_fill(x, A.rows() - m * BM);
TK_MASK(lower_fill, line, int line, 0, i < line)

/// Replaces all rows above `line`, by 0 if nothing else is said.
///
///     x = upper_fill(x, first - m * BM);
TK_MASK(upper_fill, line, int line, 0, i >= line)

#undef TK_MASK

/// Each element of `a` where `keep(row, column)` is true, of `b` elsewhere.
///
///     x = select(x, y, [=](int r, int c) { return c % 2 == 0; });
template <tile_operand X, operand_for<X> Y, predicate F>
TK_LANGUAGE("select")
X select(const X &a, const Y &b, F keep);
/// Each element of `a` where that of `where` is not 0, of `b` elsewhere.
///
///     x = select(mask, x, -inf);
template <value_operand X, operand_for<X> M, operand_for<X> Y>
TK_LANGUAGE("select")
X select(const M &where, const X &a, const Y &b);
/// Destination first: `select(to, a, b, keep)` is `to = select(a, b, keep)`.
template <value_operand X, typename A, typename B, typename C>
TK_LANGUAGE("select")
void select(X &to, const A &a, const B &b, const C &c);

#ifndef __TKC__
template <tile_operand X, predicate F>
X mask(const X &x, F keep, number_of<typename X::element> value) {
  return detail::each<X>([&](auto x, int i, int j) { return keep(i, j) ? x : value; }, x);
}
template <tile_operand To, tile_operand X, predicate F>
void mask(To &to, const X &x, F keep, number_of<typename X::element> value) {
  detail::expect_destination<To, X>();
  to = mask(x, keep, value);
}

template <tile_operand X, operand_for<X> Y, predicate F> X select(const X &a, const Y &b, F keep) {
  detail::expect_same_element<X, Y>();
  return detail::each<X>(
      [&](auto a, auto b, int i, int j) { return keep(i, j) ? a : static_cast<decltype(a)>(b); }, a,
      b);
}
template <value_operand X, operand_for<X> M, operand_for<X> Y>
X select(const M &where, const X &a, const Y &b) {
  detail::expect_same_element<X, Y>();
  return detail::each<X>(
      [](auto where, auto a, auto b) { return where != 0 ? a : static_cast<decltype(a)>(b); },
      where, a, b);
}
template <value_operand X, typename A, typename B, typename C>
void select(X &to, const A &a, const B &b, const C &c) {
  to = select(a, b, c);
}
#else
// As in map.h: Clang asks for the definitions.
template <tile_operand X, predicate F> X mask(const X &, F, number_of<typename X::element>) {
  __builtin_unreachable();
}
template <tile_operand To, tile_operand X, predicate F>
void mask(To &, const X &, F, number_of<typename X::element>) {}
template <tile_operand X, operand_for<X> Y, predicate F> X select(const X &, const Y &, F) {
  __builtin_unreachable();
}
template <value_operand X, typename A, typename B, typename C>
void select(X &, const A &, const B &, const C &) {}
#endif

} // namespace tk

#endif // TK_LANGUAGE_MASKS_H
