//===- functions.h - Functions of each element ----------------------------===//
//
// Each has two forms: `y = exp(x)` gives a new tile or vector, `exp(y, x)` puts it
// in one that is there, which may be x itself. They are calculated in float, and
// the result is rounded to the element type once.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_FUNCTIONS_H
#define TK_LANGUAGE_FUNCTIONS_H

#include "map.h"
#include "scalars.h"

namespace tk {

// The two forms of a function of each element `x`.
#define TK_FUNCTION(function, value)                                                               \
  template <value_operand X>                                                                       \
  TK_LANGUAGE(#function)                                                                           \
  X function(const X &x) TK_MEANING({ return detail::each<X>([](auto x) { return value; }, x); }); \
  template <value_operand To, value_operand X>                                                     \
  TK_LANGUAGE(#function)                                                                           \
  void function(To &to, const X &x) TK_MEANING({                                                   \
    detail::expect_destination<To, X>();                                                           \
    to = function(x);                                                                              \
  });

/// e to the power of each element.
///
///     p = exp(sub_row(s, best));
TK_FUNCTION(exp, exp(x))

/// 2 to the power of each element; the exponential that the GPU has.
///
///     p = exp2(s * log2e);
TK_FUNCTION(exp2, exp2(x))

/// The natural logarithm of each element.
///
///     l = best + log(total);
TK_FUNCTION(log, log(x))

/// The logarithm of each element to the base 2.
///
///     l = best + log2(total);
TK_FUNCTION(log2, log2(x))

/// The square root of each element.
///
///     deviation = sqrt(variance);
TK_FUNCTION(sqrt, sqrt(x))

/// One over the square root of each element.
///
///     x = mul_row(x, rsqrt(row_sum(x * x) * (1.0f / D) + eps));
TK_FUNCTION(rsqrt, rsqrt(x))

/// The hyperbolic tangent of each element.
///
///     s = cap * tanh(s * (1 / cap));
TK_FUNCTION(tanh, tanh(x))

/// The sine of each element (radians).
///
///     x = sin(angle);
TK_FUNCTION(sin, sin(x))

/// The cosine of each element (radians).
///
///     x = cos(angle);
TK_FUNCTION(cos, cos(x))

/// The Gauss error function of each element.
///
///     x = erf(x);
TK_FUNCTION(erf, erf(x))

/// The largest integer that is not above each element.
///
///     x = x - floor(x);
TK_FUNCTION(floor, floor(x))

/// The Gaussian error linear unit of each element, `x * (1 + erf(x / sqrt(2))) / 2`.
///
///     y = gelu(y + bias);
TK_FUNCTION(gelu, x * 0.5f * (1 + erf(x * 0.70710678118654752440f)))

/// The approximation of `gelu` by a tanh, which many models are trained with: `x * (1 + tanh(sqrt(2
/// / pi) * (x + 0.044715 * x * x * x))) / 2`.
///
///     y = gelu_tanh(y + bias);
TK_FUNCTION(gelu_tanh, x * 0.5f * (1 + tanh(0.79788456080286535588f * (x + 0.044715f * x * x * x))))

/// The sigmoid linear unit (swish) of each element, `x / (1 + exp(-x))`.
///
///     y = silu(gate) * up;
TK_FUNCTION(silu, x / (1 + exp(-x)))

/// Each element, or 0 if it is negative.
///
///     y = relu(y + bias);
TK_FUNCTION(relu, max(x, 0))

/// Each element without its sign.
///
///     largest = row_max(abs(x));
TK_FUNCTION(abs, abs(x))

/// Each element with its sign turned; also written `-x`.
///
///     x = neg(x);
TK_FUNCTION(neg, -x)

/// One over each element.
///
///     o = mul_row(o, rcp(total));
TK_FUNCTION(rcp, rcp(x))

/// The opposite bits of each element, an integer; also written `~x`.
///
///     x = bit_not(x);
TK_FUNCTION(bit_not, ~x)

#undef TK_FUNCTION

/// The opposite bits of each element: `~x` is `bit_not(x)`.
template <value_operand X>
TK_LANGUAGE("bit_not")
X operator~(const X &x) TK_MEANING({ return bit_not(x); });

/// Each element with its sign turned: `-x` is `neg(x)`.
template <value_operand X>
TK_LANGUAGE("neg")
X operator-(const X &x) TK_MEANING({ return neg(x); });

} // namespace tk

#endif // TK_LANGUAGE_FUNCTIONS_H
