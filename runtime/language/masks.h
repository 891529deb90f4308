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

/// Keeps the elements that are not to the right of a diagonal, c - r <= diagonal, and replaces the
/// rest, by -inf if nothing else is said: a query sees no later key.
///
///     s = causal(s, m * BM - j * BN);
template <tile_operand X>
TK_LANGUAGE("causal")
X causal(const X &x, int diagonal = 0, number_of<typename X::element> value = -inf);
/// Destination first: `causal(to, x)` is `to = causal(x)`.
template <tile_operand To, tile_operand X>
TK_LANGUAGE("causal")
void causal(To &to, const X &x, int diagonal = 0, number_of<typename X::element> value = -inf);

/// The lower triangle: keeps c - r <= diagonal and replaces the rest, by 0 if nothing else is said.
///
///     s = tril(s);
template <tile_operand X>
TK_LANGUAGE("tril")
X tril(const X &x, int diagonal = 0, number_of<typename X::element> value = 0);
/// Destination first: `tril(to, x)` is `to = tril(x)`.
template <tile_operand To, tile_operand X>
TK_LANGUAGE("tril")
void tril(To &to, const X &x, int diagonal = 0, number_of<typename X::element> value = 0);

/// The upper triangle: keeps c - r >= diagonal and replaces the rest, by 0 if nothing else is said.
///
///     s = triu(s, 1);
template <tile_operand X>
TK_LANGUAGE("triu")
X triu(const X &x, int diagonal = 0, number_of<typename X::element> value = 0);
/// Destination first: `triu(to, x)` is `to = triu(x)`.
template <tile_operand To, tile_operand X>
TK_LANGUAGE("triu")
void triu(To &to, const X &x, int diagonal = 0, number_of<typename X::element> value = 0);

/// Replaces the one with number `column` and all to the right of it, by 0 if nothing else is said.
///
///     s = right_fill(s, K.rows() - j * BN, -inf);
template <tile_operand X>
TK_LANGUAGE("right_fill")
X right_fill(const X &x, int column, number_of<typename X::element> value = 0);
/// Destination first: `right_fill(to, x, column)` is `to = right_fill(x, column)`.
template <tile_operand To, tile_operand X>
TK_LANGUAGE("right_fill")
void right_fill(To &to, const X &x, int column, number_of<typename X::element> value = 0);

/// Replaces all columns to the left of `column`, by 0 if nothing else is said.
///
///     s = left_fill(s, first - j * BN, -inf);
template <tile_operand X>
TK_LANGUAGE("left_fill")
X left_fill(const X &x, int column, number_of<typename X::element> value = 0);
/// Destination first: `left_fill(to, x, column)` is `to = left_fill(x, column)`.
template <tile_operand To, tile_operand X>
TK_LANGUAGE("left_fill")
void left_fill(To &to, const X &x, int column, number_of<typename X::element> value = 0);

/// Replaces row `line` and all below it, by 0 if nothing else is said.
///
///     x = lower_fill(x, A.rows() - m * BM);
template <tile_operand X>
TK_LANGUAGE("lower_fill")
X lower_fill(const X &x, int line, number_of<typename X::element> value = 0);
/// Destination first: `lower_fill(to, x, line)` is `to = lower_fill(x, line)`.
template <tile_operand To, tile_operand X>
TK_LANGUAGE("lower_fill")
void lower_fill(To &to, const X &x, int line, number_of<typename X::element> value = 0);

/// Replaces all rows above `line`, by 0 if nothing else is said.
///
///     x = upper_fill(x, first - m * BM);
template <tile_operand X>
TK_LANGUAGE("upper_fill")
X upper_fill(const X &x, int line, number_of<typename X::element> value = 0);
/// Destination first: `upper_fill(to, x, line)` is `to = upper_fill(x, line)`.
template <tile_operand To, tile_operand X>
TK_LANGUAGE("upper_fill")
void upper_fill(To &to, const X &x, int line, number_of<typename X::element> value = 0);

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

// The forms of a mask that `kept` of the row i, the column j and a number describes.
#define TK_MASK(operation, number, kept)                                                           \
  template <tile_operand X>                                                                        \
  X operation(const X &x, int number, number_of<typename X::element> value) {                      \
    return mask(x, [=]([[maybe_unused]] int i, [[maybe_unused]] int j) { return kept; }, value);   \
  }                                                                                                \
  template <tile_operand To, tile_operand X>                                                       \
  void operation(To &to, const X &x, int number, number_of<typename X::element> value) {           \
    detail::expect_destination<To, X>();                                                           \
    to = operation(x, number, value);                                                              \
  }

TK_MASK(causal, diagonal, j - i <= diagonal)
TK_MASK(tril, diagonal, j - i <= diagonal)
TK_MASK(triu, diagonal, j - i >= diagonal)
TK_MASK(right_fill, column, j < column)
TK_MASK(left_fill, column, j >= column)
TK_MASK(lower_fill, line, i < line)
TK_MASK(upper_fill, line, i >= line)
#undef TK_MASK

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
