//===- bits.h - Floats as bits, and bits as floats ------------------------===//
//
// Elements of 32 bits keep their bits and change their type: the exponent of a
// float is `float_as_int(x) >> 23 & 255`. Narrow floats become `float` first.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_BITS_H
#define TK_LANGUAGE_BITS_H

#include "map.h"
#include "scalars.h"

namespace tk {

namespace detail {
/// The tile or vector like X with elements of type U.
template <typename X, typename U> struct like;
template <typename T, int rows, int cols, typename layout, typename U>
struct like<rt<T, rows, cols, layout>, U> {
  using type = rt<U, rows, cols, layout>;
};
template <typename T, int length, typename orientation, typename U>
struct like<rv<T, length, orientation>, U> {
  using type = rv<U, length, orientation>;
};
#ifdef __TKC__ // shared ones are refused by name
template <typename T, int rows, int cols, typename U> struct like<st<T, rows, cols>, U> {
  using type = rt<U, rows, cols>;
};
template <typename T, int length, typename U> struct like<sv<T, length>, U> {
  using type = rv<U, length, col>;
};
#endif
template <typename X, typename U> using like_t = typename like<X, U>::type;
} // namespace detail

/// The bits of each float, as an integer.
///
///     rt<int32, BM, BN> exponent = (float_as_int(x) >> 23 & 255) - 127;
template <value_operand X>
TK_LANGUAGE("float_as_int")
detail::like_t<X, int> float_as_int(const X &x);
/// Destination first: `float_as_int(to, x)`.
template <value_operand To, value_operand X>
TK_LANGUAGE("float_as_int")
void float_as_int(To &to, const X &x);

/// The float of each integer's bits.
///
///     x = int_as_float(float_as_int(x) & ~0x1fff);   11 bits of precision, cut off
template <value_operand X>
TK_LANGUAGE("int_as_float")
detail::like_t<X, float> int_as_float(const X &x);
/// Destination first: `int_as_float(to, x)`.
template <value_operand To, value_operand X>
TK_LANGUAGE("int_as_float")
void int_as_float(To &to, const X &x);

#ifndef __TKC__
namespace detail {
/// The X whose elements are f of another one's.
template <typename X, typename Y, typename F> X each_as(const Y &from, F f) {
  X result;
  if constexpr (register_tile<X>) {
    for (int i = 0; i < X::height; ++i)
      for (int j = 0; j < X::width; ++j)
        result.at(i, j) = f(from.at(i, j));
  } else {
    for (int i = 0; i < X::length; ++i)
      result.at(i) = f(from.at(i));
  }
  return result;
}
} // namespace detail

template <value_operand X> detail::like_t<X, int> float_as_int(const X &x) {
  static_assert(__is_same(typename X::element, float), "the bits of a float are taken");
  return detail::each_as<detail::like_t<X, int>>(x, [](float x) { return float_as_int(x); });
}
template <value_operand To, value_operand X> void float_as_int(To &to, const X &x) {
  to = float_as_int(x);
}
template <value_operand X> detail::like_t<X, float> int_as_float(const X &x) {
  static_assert(__is_same(typename X::element, int), "the bits of a float are an int");
  return detail::each_as<detail::like_t<X, float>>(x, [](int x) { return int_as_float(x); });
}
template <value_operand To, value_operand X> void int_as_float(To &to, const X &x) {
  to = int_as_float(x);
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_BITS_H
