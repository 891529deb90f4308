//===- scalars.h - Functions of single numbers, and constants -------------===//
//
// The functions that a lambda over the elements of a tile may call, and scalar code as well.
// They are templates so that a C library's own `exp` and `abs`, where its header
// is included too, are never as good a match.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_SCALARS_H
#define TK_LANGUAGE_SCALARS_H

#include "numbers.h"

namespace tk {

/// Infinity: `-inf` is where a maximum begins.
inline constexpr float inf = __builtin_inff();
/// The logarithm of e to the base 2: `exp(x)` is `exp2(x * log2e)`.
inline constexpr float log2e = 1.44269504088896340736f;
/// The natural logarithm of 2: `log(x)` is `log2(x) * ln2`.
inline constexpr float ln2 = 0.69314718055994530942f;
/// The circle's pi.
inline constexpr float pi = 3.14159265358979323846f;

// A function of a float.
#define TK_FUNCTION(function, value)                                                               \
  template <number T>                                                                              \
  TK_LANGUAGE(#function)                                                                           \
  float function(T argument) TK_MEANING({                                                          \
    const float x = static_cast<float>(argument);                                                  \
    return value;                                                                                  \
  });

/// e to the power `x`.
TK_FUNCTION(exp, __builtin_expf(x))
/// 2 to the power `x`.
TK_FUNCTION(exp2, __builtin_exp2f(x))
/// The natural logarithm of `x`.
TK_FUNCTION(log, __builtin_logf(x))
/// The logarithm of `x` to the base 2.
TK_FUNCTION(log2, __builtin_log2f(x))
/// The square root of `x`.
TK_FUNCTION(sqrt, __builtin_sqrtf(x))
/// One over the square root of `x`.
TK_FUNCTION(rsqrt, static_cast<float>(1.0 / __builtin_sqrt(x)))
/// The hyperbolic tangent of `x`.
TK_FUNCTION(tanh, __builtin_tanhf(x))
/// The sine of `x` (radians).
TK_FUNCTION(sin, __builtin_sinf(x))
/// The cosine of `x` (radians).
TK_FUNCTION(cos, __builtin_cosf(x))
/// The Gauss error function of `x`.
TK_FUNCTION(erf, __builtin_erff(x))
/// The largest integer that is not above `x`.
TK_FUNCTION(floor, __builtin_floorf(x))
/// One over `x`.
TK_FUNCTION(rcp, 1.0f / x)
#undef TK_FUNCTION

/// `x` without its sign.
template <number T>
TK_LANGUAGE("abs")
number_of<T> abs(T x) TK_MEANING({
  if constexpr (__is_same(number_of<T>, int))
    return x < 0 ? -x : x;
  else
    return __builtin_fabsf(static_cast<float>(x));
});
/// The larger one of `a` and `b`; of a NaN and a number, the number.
template <number T, number U>
TK_LANGUAGE("max")
decltype(T() + U()) max(T a, U b) TK_MEANING({
  const decltype(T() + U()) x = a, y = b;
  return x > y || y != y ? x : y;
});
/// The smaller one of `a` and `b`; of a NaN and a number, the number.
template <number T, number U>
TK_LANGUAGE("min")
decltype(T() + U()) min(T a, U b) TK_MEANING({
  const decltype(T() + U()) x = a, y = b;
  return x < y || y != y ? x : y;
});
/// `a * b + c`, rounded once.
template <number T, number U, number V>
TK_LANGUAGE("fma")
float fma(T a, U b, V c) TK_MEANING({
  return __builtin_fmaf(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
});
/// The bits of a float, as an integer.
TK_LANGUAGE("float_as_int") int float_as_int(float x);
/// The float of these bits.
TK_LANGUAGE("int_as_float") float int_as_float(int bits);

#ifndef __TKC__
inline int float_as_int(float x) { return __builtin_bit_cast(int, x); }
inline float int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
#endif

} // namespace tk

#endif // TK_LANGUAGE_SCALARS_H
