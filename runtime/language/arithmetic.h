//===- arithmetic.h - Sums, products, extremes, bits of elements ----------===//
//
// Both operands are tiles of one type, or vectors of one type, or one of them is
// a number. Operations on bits take integers. A tile with a vector of its element type that lies
// along it works as well: a column vector's value meets each element of its row. broadcasts.h has
// that by name.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_ARITHMETIC_H
#define TK_LANGUAGE_ARITHMETIC_H

#include "map.h"
#include "scalars.h"

namespace tk {

// The forms of a function of two elements `a` and `b`: of two operands, with a number in front, and
// destination first, `add(to, a, b)`, which is `to = add(a, b)`.
// clang-format off: it takes `a * b` for a pointer.
#define TK_OPERATION(operation, value)                                                             \
  template <value_operand X, operand_for<X> Y>                                                     \
  TK_LANGUAGE(#operation)                                                                          \
  X operation(const X &a, const Y &b) TK_MEANING({                                                 \
    detail::expect_same_element<X, Y>();                                                           \
    return detail::each<X>([](auto a, auto b) { return value; }, a, b);                            \
  });                                                                                              \
  template <number S, value_operand X>                                                             \
  TK_LANGUAGE(#operation)                                                                          \
  X operation(S a, const X &b)                                                                     \
      TK_MEANING({ return detail::each<X>([](auto a, auto b) { return value; }, a, b); });         \
  template <value_operand X, operand_for<X> A, operand_for<X> B>                                   \
  TK_LANGUAGE(#operation)                                                                          \
  void operation(X &to, const A &a, const B &b) TK_MEANING({ to = operation(a, b); });

/// The sum; also written `a + b`.
///
///     x = add(x, y);
TK_OPERATION(add, a + b)

/// The difference; also written `a - b`.
///
///     x = sub(x, y);
TK_OPERATION(sub, a - b)

/// The product, element by element; also written `a * b`.
///
///     x = mul(x, 0.125f);
TK_OPERATION(mul, a * b)

/// The quotient; also written `a / b`.
///
///     x = div(x, norm);
TK_OPERATION(div, a / b)

/// The larger one of each pair of elements.
///
///     best = max(best, row_max(s));
TK_OPERATION(max, max(a, b))

/// The smaller one of each pair of elements.
///
///     x = min(x, 6.0f);
TK_OPERATION(min, min(a, b))

/// The bits that both elements of each pair have, integers; also written `a & b`.
///
///     low = bit_and(x, 15);
TK_OPERATION(bit_and, a & b)

/// The bits that one of them has, or both; also written `a | b`.
///
///     x = bit_or(x, flags);
TK_OPERATION(bit_or, a | b)

/// The bits that one of them has alone; also written `a ^ b`.
///
///     x = bit_xor(x, y);
TK_OPERATION(bit_xor, a ^ b)

/// The bits moved to the left by `b` places, 0 to 31; also written `a << b`.
///
///     x = shift_left(x, 4);
TK_OPERATION(shift_left, a << b)

/// The bits moved to the right by `b` places, 0 to 31, the sign staying; also written `a >> b`.
///
///     high = shift_right(x, 4);
TK_OPERATION(shift_right, a >> b)

#undef TK_OPERATION
// clang-format on

/// `a * b + c`, rounded once. The last two are numbers, of a's type, or vectors along it.
///
///     x = fma(x, scale, bias);
template <value_operand X, operand_for<X> B, operand_for<X> C>
TK_LANGUAGE("fma")
X fma(const X &a, const B &b, const C &c) TK_MEANING({
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
});
/// Destination first: `fma(to, a, b, c)` is `to = fma(a, b, c)`.
template <value_operand To, value_operand X, operand_for<X> B, operand_for<X> C>
TK_LANGUAGE("fma")
void fma(To &to, const X &a, const B &b, const C &c) TK_MEANING({
  detail::expect_destination<To, X>();
  to = fma(a, b, c);
});

// The operator of such a function: `a + b`, `2 + b`, and `to += b`, which is `to = to + b`.
#define TK_OPERATOR(symbol, operation)                                                             \
  template <value_operand X, operand_for<X> Y>                                                     \
  TK_LANGUAGE(#operation)                                                                          \
  X operator symbol(const X &a, const Y &b) TK_MEANING({ return operation(a, b); });               \
  template <number S, value_operand X>                                                             \
  TK_LANGUAGE(#operation)                                                                          \
  X operator symbol(S a, const X &b) TK_MEANING({ return operation(a, b); });                      \
  template <value_operand X, operand_for<X> Y>                                                     \
  TK_LANGUAGE(#operation)                                                                          \
  X &operator symbol##=(X & to, const Y & b) TK_MEANING({ return to = operation(to, b); });

/// The sum, as `add(a, b)`.
TK_OPERATOR(+, add)
/// The difference, as `sub(a, b)`.
TK_OPERATOR(-, sub)
/// The product, element by element, as `mul(a, b)`.
TK_OPERATOR(*, mul)
/// The quotient, as `div(a, b)`.
TK_OPERATOR(/, div)
/// The bits that both have, as `bit_and(a, b)`.
TK_OPERATOR(&, bit_and)
/// The bits that one of them has, or both, as `bit_or(a, b)`.
TK_OPERATOR(|, bit_or)
/// The bits that one of them has alone, as `bit_xor(a, b)`.
TK_OPERATOR(^, bit_xor)
/// The bits moved to the left, as `shift_left(a, b)`.
TK_OPERATOR(<<, shift_left)
/// The bits moved to the right, as `shift_right(a, b)`.
TK_OPERATOR(>>, shift_right)
#undef TK_OPERATOR

} // namespace tk

#endif // TK_LANGUAGE_ARITHMETIC_H
