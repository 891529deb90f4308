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

/// e to the power of each element.
///
///     p = exp(sub_row(s, best));
template <value_operand X> TK_LANGUAGE("exp") X exp(const X &x);
/// Destination first: `exp(to, x)` is `to = exp(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("exp") void exp(To &to, const X &x);

/// 2 to the power of each element; the exponential that the GPU has.
///
///     p = exp2(s * log2e);
template <value_operand X> TK_LANGUAGE("exp2") X exp2(const X &x);
/// Destination first: `exp2(to, x)` is `to = exp2(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("exp2") void exp2(To &to, const X &x);

/// The natural logarithm of each element.
///
///     l = best + log(total);
template <value_operand X> TK_LANGUAGE("log") X log(const X &x);
/// Destination first: `log(to, x)` is `to = log(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("log") void log(To &to, const X &x);

/// The logarithm of each element to the base 2.
///
///     l = best + log2(total);
template <value_operand X> TK_LANGUAGE("log2") X log2(const X &x);
/// Destination first: `log2(to, x)` is `to = log2(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("log2") void log2(To &to, const X &x);

/// The square root of each element.
///
///     deviation = sqrt(variance);
template <value_operand X> TK_LANGUAGE("sqrt") X sqrt(const X &x);
/// Destination first: `sqrt(to, x)` is `to = sqrt(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("sqrt") void sqrt(To &to, const X &x);

/// One over the square root of each element.
///
///     x = mul_row(x, rsqrt(row_sum(x * x) * (1.0f / D) + eps));
template <value_operand X> TK_LANGUAGE("rsqrt") X rsqrt(const X &x);
/// Destination first: `rsqrt(to, x)` is `to = rsqrt(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("rsqrt") void rsqrt(To &to, const X &x);

/// The hyperbolic tangent of each element.
///
///     s = cap * tanh(s * (1 / cap));
template <value_operand X> TK_LANGUAGE("tanh") X tanh(const X &x);
/// Destination first: `tanh(to, x)` is `to = tanh(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("tanh") void tanh(To &to, const X &x);

/// The sine of each element (radians).
///
///     x = sin(angle);
template <value_operand X> TK_LANGUAGE("sin") X sin(const X &x);
/// Destination first: `sin(to, x)` is `to = sin(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("sin") void sin(To &to, const X &x);

/// The cosine of each element (radians).
///
///     x = cos(angle);
template <value_operand X> TK_LANGUAGE("cos") X cos(const X &x);
/// Destination first: `cos(to, x)` is `to = cos(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("cos") void cos(To &to, const X &x);

/// The Gauss error function of each element.
///
///     x = erf(x);
template <value_operand X> TK_LANGUAGE("erf") X erf(const X &x);
/// Destination first: `erf(to, x)` is `to = erf(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("erf") void erf(To &to, const X &x);

/// The largest integer that is not above each element.
///
///     x = x - floor(x);
template <value_operand X> TK_LANGUAGE("floor") X floor(const X &x);
/// Destination first: `floor(to, x)` is `to = floor(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("floor") void floor(To &to, const X &x);

/// The Gaussian error linear unit of each element, `x * (1 + erf(x / sqrt(2))) / 2`.
///
///     y = gelu(y + bias);
template <value_operand X> TK_LANGUAGE("gelu") X gelu(const X &x);
/// Destination first: `gelu(to, x)` is `to = gelu(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("gelu") void gelu(To &to, const X &x);

/// The approximation of `gelu` by a tanh, which many models are trained with: `x * (1 + tanh(sqrt(2
/// / pi) * (x + 0.044715 * x * x * x))) / 2`.
///
///     y = gelu_tanh(y + bias);
template <value_operand X> TK_LANGUAGE("gelu_tanh") X gelu_tanh(const X &x);
/// Destination first: `gelu_tanh(to, x)` is `to = gelu_tanh(x)`.
template <value_operand To, value_operand X>
TK_LANGUAGE("gelu_tanh")
void gelu_tanh(To &to, const X &x);

/// The sigmoid linear unit (swish) of each element, `x / (1 + exp(-x))`.
///
///     y = silu(gate) * up;
template <value_operand X> TK_LANGUAGE("silu") X silu(const X &x);
/// Destination first: `silu(to, x)` is `to = silu(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("silu") void silu(To &to, const X &x);

/// Each element, or 0 if it is negative.
///
///     y = relu(y + bias);
template <value_operand X> TK_LANGUAGE("relu") X relu(const X &x);
/// Destination first: `relu(to, x)` is `to = relu(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("relu") void relu(To &to, const X &x);

/// Each element without its sign.
///
///     largest = row_max(abs(x));
template <value_operand X> TK_LANGUAGE("abs") X abs(const X &x);
/// Destination first: `abs(to, x)` is `to = abs(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("abs") void abs(To &to, const X &x);

/// Each element with its sign turned; also written `-x`.
///
///     x = neg(x);
template <value_operand X> TK_LANGUAGE("neg") X neg(const X &x);
/// Destination first: `neg(to, x)` is `to = neg(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("neg") void neg(To &to, const X &x);

/// One over each element.
///
///     o = mul_row(o, rcp(total));
template <value_operand X> TK_LANGUAGE("rcp") X rcp(const X &x);
/// Destination first: `rcp(to, x)` is `to = rcp(x)`.
template <value_operand To, value_operand X> TK_LANGUAGE("rcp") void rcp(To &to, const X &x);

/// Each element with its sign turned: `-x` is `neg(x)`.
template <value_operand X> TK_LANGUAGE("neg") X operator-(const X &x);

#ifndef __TKC__
// Two forms of one function of an element `x`.
#define TK_FUNCTION(operation, value)                                                              \
  template <value_operand X> X operation(const X &x) {                                             \
    return detail::each<X>([](auto x) { return value; }, x);                                       \
  }                                                                                                \
  template <value_operand To, value_operand X> void operation(To &to, const X &x) {                \
    detail::expect_destination<To, X>();                                                           \
    to = operation(x);                                                                             \
  }

TK_FUNCTION(exp, exp(x))
TK_FUNCTION(exp2, exp2(x))
TK_FUNCTION(log, log(x))
TK_FUNCTION(log2, log2(x))
TK_FUNCTION(sqrt, sqrt(x))
TK_FUNCTION(rsqrt, rsqrt(x))
TK_FUNCTION(tanh, tanh(x))
TK_FUNCTION(sin, sin(x))
TK_FUNCTION(cos, cos(x))
TK_FUNCTION(erf, erf(x))
TK_FUNCTION(floor, floor(x))
TK_FUNCTION(gelu, x * 0.5f * (1 + erf(x * 0.70710678118654752440f)))
TK_FUNCTION(gelu_tanh, x * 0.5f * (1 + tanh(0.79788456080286535588f * (x + 0.044715f * x * x * x))))
TK_FUNCTION(silu, x / (1 + exp(-x)))
TK_FUNCTION(relu, max(x, 0))
TK_FUNCTION(abs, abs(x))
TK_FUNCTION(neg, -x)
TK_FUNCTION(rcp, rcp(x))
#undef TK_FUNCTION

template <value_operand X> X operator-(const X &x) { return neg(x); }
#endif

} // namespace tk

#endif // TK_LANGUAGE_FUNCTIONS_H
