//===- arithmetic.h - Sums, products and extremes of elements -------------===//
//
// Both operands are tiles of one type, or vectors of one type, or one of them is
// a number. A tile with a vector of its element type that lies along it works as
// well: a column vector's value meets each element of its row. broadcasts.h has
// that by name.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_ARITHMETIC_H
#define TK_LANGUAGE_ARITHMETIC_H

#include "map.h"
#include "scalars.h"

namespace tk {

/// The sum; also written `a + b`.
///
///     x = add(x, y);
template <value_operand X, operand_for<X> Y> TK_LANGUAGE("add") X add(const X &a, const Y &b);
/// The sum with a number in front.
template <number S, value_operand X> TK_LANGUAGE("add") X add(S a, const X &b);
/// Destination first: `add(to, a, b)` is `to = add(a, b)`.
template <value_operand X, operand_for<X> A, operand_for<X> B>
TK_LANGUAGE("add")
void add(X &to, const A &a, const B &b);

/// The difference; also written `a - b`.
///
///     x = sub(x, y);
template <value_operand X, operand_for<X> Y> TK_LANGUAGE("sub") X sub(const X &a, const Y &b);
/// The difference with a number in front.
template <number S, value_operand X> TK_LANGUAGE("sub") X sub(S a, const X &b);
/// Destination first: `sub(to, a, b)` is `to = sub(a, b)`.
template <value_operand X, operand_for<X> A, operand_for<X> B>
TK_LANGUAGE("sub")
void sub(X &to, const A &a, const B &b);

/// The product, element by element; also written `a * b`.
///
///     x = mul(x, 0.125f);
template <value_operand X, operand_for<X> Y> TK_LANGUAGE("mul") X mul(const X &a, const Y &b);
/// The product, element by element with a number in front.
template <number S, value_operand X> TK_LANGUAGE("mul") X mul(S a, const X &b);
/// Destination first: `mul(to, a, b)` is `to = mul(a, b)`.
template <value_operand X, operand_for<X> A, operand_for<X> B>
TK_LANGUAGE("mul")
void mul(X &to, const A &a, const B &b);

/// The quotient; also written `a / b`.
///
///     x = div(x, norm);
template <value_operand X, operand_for<X> Y> TK_LANGUAGE("div") X div(const X &a, const Y &b);
/// The quotient with a number in front.
template <number S, value_operand X> TK_LANGUAGE("div") X div(S a, const X &b);
/// Destination first: `div(to, a, b)` is `to = div(a, b)`.
template <value_operand X, operand_for<X> A, operand_for<X> B>
TK_LANGUAGE("div")
void div(X &to, const A &a, const B &b);

/// The larger one of each pair of elements.
///
///     best = max(best, row_max(s));
template <value_operand X, operand_for<X> Y> TK_LANGUAGE("max") X max(const X &a, const Y &b);
/// The larger one of each pair of elements with a number in front.
template <number S, value_operand X> TK_LANGUAGE("max") X max(S a, const X &b);
/// Destination first: `max(to, a, b)` is `to = max(a, b)`.
template <value_operand X, operand_for<X> A, operand_for<X> B>
TK_LANGUAGE("max")
void max(X &to, const A &a, const B &b);

/// The smaller one of each pair of elements.
///
///     x = min(x, 6.0f);
template <value_operand X, operand_for<X> Y> TK_LANGUAGE("min") X min(const X &a, const Y &b);
/// The smaller one of each pair of elements with a number in front.
template <number S, value_operand X> TK_LANGUAGE("min") X min(S a, const X &b);
/// Destination first: `min(to, a, b)` is `to = min(a, b)`.
template <value_operand X, operand_for<X> A, operand_for<X> B>
TK_LANGUAGE("min")
void min(X &to, const A &a, const B &b);

/// `a * b + c`, rounded once. The last two are numbers, of a's type, or vectors along it.
///
///     x = fma(x, scale, bias);
template <value_operand X, operand_for<X> B, operand_for<X> C>
TK_LANGUAGE("fma")
X fma(const X &a, const B &b, const C &c);
/// Destination first: `fma(to, a, b, c)` is `to = fma(a, b, c)`.
template <value_operand To, value_operand X, operand_for<X> B, operand_for<X> C>
TK_LANGUAGE("fma")
void fma(To &to, const X &a, const B &b, const C &c);

/// The sum, as `add(a, b)`.
template <value_operand X, operand_for<X> Y> TK_LANGUAGE("add") X operator+(const X &a, const Y &b);
/// The sum, as `add(a, b)`.
template <number S, value_operand X> TK_LANGUAGE("add") X operator+(S a, const X &b);
/// `to += b` is `to = to + b`.
template <value_operand X, operand_for<X> Y> TK_LANGUAGE("add") X &operator+=(X &to, const Y &b);

/// The difference, as `sub(a, b)`.
template <value_operand X, operand_for<X> Y> TK_LANGUAGE("sub") X operator-(const X &a, const Y &b);
/// The difference, as `sub(a, b)`.
template <number S, value_operand X> TK_LANGUAGE("sub") X operator-(S a, const X &b);
/// `to -= b` is `to = to - b`.
template <value_operand X, operand_for<X> Y> TK_LANGUAGE("sub") X &operator-=(X &to, const Y &b);

/// The product, element by element, as `mul(a, b)`.
template <value_operand X, operand_for<X> Y> TK_LANGUAGE("mul") X operator*(const X &a, const Y &b);
/// The product, element by element, as `mul(a, b)`.
template <number S, value_operand X> TK_LANGUAGE("mul") X operator*(S a, const X &b);
/// `to *= b` is `to = to * b`.
template <value_operand X, operand_for<X> Y> TK_LANGUAGE("mul") X &operator*=(X &to, const Y &b);

/// The quotient, as `div(a, b)`.
template <value_operand X, operand_for<X> Y> TK_LANGUAGE("div") X operator/(const X &a, const Y &b);
/// The quotient, as `div(a, b)`.
template <number S, value_operand X> TK_LANGUAGE("div") X operator/(S a, const X &b);
/// `to /= b` is `to = to / b`.
template <value_operand X, operand_for<X> Y> TK_LANGUAGE("div") X &operator/=(X &to, const Y &b);

#ifndef __TKC__
// The forms of one function of two elements `a` and `b`.
#define TK_OPERATION(operation, value)                                                             \
  template <value_operand X, operand_for<X> Y> X operation(const X &a, const Y &b) {               \
    detail::expect_same_element<X, Y>();                                                           \
    return detail::each<X>([](auto a, auto b) { return value; }, a, b);                            \
  }                                                                                                \
  template <number S, value_operand X> X operation(S a, const X &b) {                              \
    return detail::each<X>([](auto a, auto b) { return value; }, a, b);                            \
  }                                                                                                \
  template <value_operand X, operand_for<X> A, operand_for<X> B>                                   \
  void operation(X &to, const A &a, const B &b) {                                                  \
    to = operation(a, b);                                                                          \
  }

// The operator of such a function.
#define TK_OPERATOR(symbol, operation)                                                             \
  template <value_operand X, operand_for<X> Y> X operator symbol(const X &a, const Y &b) {         \
    return operation(a, b);                                                                        \
  }                                                                                                \
  template <number S, value_operand X> X operator symbol(S a, const X &b) {                        \
    return operation(a, b);                                                                        \
  }                                                                                                \
  template <value_operand X, operand_for<X> Y> X &operator symbol##=(X & to, const Y & b) {        \
    return to = operation(to, b);                                                                  \
  }

TK_OPERATION(add, a + b)
TK_OPERATION(sub, a - b)
TK_OPERATION(mul, a *b)
TK_OPERATION(div, a / b)
TK_OPERATION(max, max(a, b))
TK_OPERATION(min, min(a, b))
TK_OPERATOR(+, add)
TK_OPERATOR(-, sub)
TK_OPERATOR(*, mul)
TK_OPERATOR(/, div)
#undef TK_OPERATION
#undef TK_OPERATOR

template <value_operand X, operand_for<X> B, operand_for<X> C>
X fma(const X &a, const B &b, const C &c) {
  detail::expect_same_element<X, B>();
  detail::expect_same_element<X, C>();
  return detail::each<X>(
      [](auto a, auto b, auto c) {
        if constexpr (__is_same(decltype(a + b + c), int))
          return a * b + c;
        else
          return fma(a, b, c);
      },
      a, b, c);
}

template <value_operand To, value_operand X, operand_for<X> B, operand_for<X> C>
void fma(To &to, const X &a, const B &b, const C &c) {
  detail::expect_destination<To, X>();
  to = fma(a, b, c);
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_ARITHMETIC_H
