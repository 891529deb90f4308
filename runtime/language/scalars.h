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

/// e to the power `x`.
template <number T> TK_LANGUAGE("exp") float exp(T x);
/// 2 to the power `x`.
template <number T> TK_LANGUAGE("exp2") float exp2(T x);
/// The natural logarithm of `x`.
template <number T> TK_LANGUAGE("log") float log(T x);
/// The logarithm of `x` to the base 2.
template <number T> TK_LANGUAGE("log2") float log2(T x);
/// The square root of `x`.
template <number T> TK_LANGUAGE("sqrt") float sqrt(T x);
/// One over the square root of `x`.
template <number T> TK_LANGUAGE("rsqrt") float rsqrt(T x);
/// The hyperbolic tangent of `x`.
template <number T> TK_LANGUAGE("tanh") float tanh(T x);
/// The sine of `x` (radians).
template <number T> TK_LANGUAGE("sin") float sin(T x);
/// The cosine of `x` (radians).
template <number T> TK_LANGUAGE("cos") float cos(T x);
/// The Gauss error function of `x`.
template <number T> TK_LANGUAGE("erf") float erf(T x);
/// The largest integer that is not above `x`.
template <number T> TK_LANGUAGE("floor") float floor(T x);
/// One over `x`.
template <number T> TK_LANGUAGE("rcp") float rcp(T x);
/// `x` without its sign.
template <number T> TK_LANGUAGE("abs") number_of<T> abs(T x);
/// The larger one of `a` and `b`; of a NaN and a number, the number.
template <number T, number U> TK_LANGUAGE("max") decltype(T() + U()) max(T a, U b);
/// The smaller one of `a` and `b`; of a NaN and a number, the number.
template <number T, number U> TK_LANGUAGE("min") decltype(T() + U()) min(T a, U b);
/// `a * b + c`, rounded once.
template <number T, number U, number V> TK_LANGUAGE("fma") float fma(T a, U b, V c);

#ifndef __TKC__
template <number T> float exp(T x) { return __builtin_expf(static_cast<float>(x)); }
template <number T> float exp2(T x) { return __builtin_exp2f(static_cast<float>(x)); }
template <number T> float log(T x) { return __builtin_logf(static_cast<float>(x)); }
template <number T> float log2(T x) { return __builtin_log2f(static_cast<float>(x)); }
template <number T> float sqrt(T x) { return __builtin_sqrtf(static_cast<float>(x)); }
template <number T> float rsqrt(T x) {
  return static_cast<float>(1.0 / __builtin_sqrt(static_cast<float>(x)));
}
template <number T> float tanh(T x) { return __builtin_tanhf(static_cast<float>(x)); }
template <number T> float sin(T x) { return __builtin_sinf(static_cast<float>(x)); }
template <number T> float cos(T x) { return __builtin_cosf(static_cast<float>(x)); }
template <number T> float erf(T x) { return __builtin_erff(static_cast<float>(x)); }
template <number T> float floor(T x) { return __builtin_floorf(static_cast<float>(x)); }
template <number T> float rcp(T x) { return 1.0f / static_cast<float>(x); }
template <number T> number_of<T> abs(T x) {
  if constexpr (__is_same(number_of<T>, int))
    return x < 0 ? -x : x;
  else
    return __builtin_fabsf(static_cast<float>(x));
}
template <number T, number U> decltype(T() + U()) max(T a, U b) {
  const decltype(T() + U()) x = a, y = b;
  return x > y || y != y ? x : y;
}
template <number T, number U> decltype(T() + U()) min(T a, U b) {
  const decltype(T() + U()) x = a, y = b;
  return x < y || y != y ? x : y;
}
template <number T, number U, number V> float fma(T a, U b, V c) {
  return __builtin_fmaf(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_SCALARS_H
