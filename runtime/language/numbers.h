//===- numbers.h - The element types beside bf16 and float ----------------===//
//
// Narrow numbers are for keeping and for multiplying: every other calculation on
// them is done in float (int8: in int) and its result is rounded once.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_NUMBERS_H
#define TK_LANGUAGE_NUMBERS_H

#include "types.h"

namespace tk {

/// An 8-bit integer, -128 to 127.
using int8 = signed char;
/// A 32-bit integer.
using int32 = int;

/// A 16-bit float of IEEE 754 (binary16): 5 bits of exponent, 11 bits of precision, up to 65504. A
/// number becomes a half by rounding to the nearest one, ties to even; beyond 65504 it is infinite.
class TK_LANGUAGE("half") half {
public:
  constexpr half() = default;
  /// The half that is nearest to `value`.
  constexpr half(float value);
  constexpr operator float() const;

private:
  unsigned short bits = 0;
};

/// The other usual name of `half`.
using f16 = half;

/// A float with 11 bits of precision instead of 24, in 32 bits: what tensor cores take of a float.
/// A number becomes a tf32 by rounding to the nearest one, ties to even.
class TK_LANGUAGE("tf32") tf32 {
public:
  constexpr tf32() = default;
  /// The tf32 that is nearest to `value`.
  constexpr tf32(float value);
  constexpr operator float() const;

private:
  unsigned bits = 0;
};

/// An 8-bit float with 4 bits of exponent and 4 bits of precision, up to 448, without infinity. A
/// number becomes an e4m3 by rounding to the nearest one, ties to even; beyond 448 it is 448.
class TK_LANGUAGE("e4m3") e4m3 {
public:
  constexpr e4m3() = default;
  /// The e4m3 that is nearest to `value`.
  constexpr e4m3(float value);
  constexpr operator float() const;

private:
  unsigned char bits = 0;
};

/// An 8-bit float with 5 bits of exponent and 3 bits of precision, up to 57344. A number becomes an
/// e5m2 by rounding to the nearest one, ties to even; beyond 57344 it is 57344.
class TK_LANGUAGE("e5m2") e5m2 {
public:
  constexpr e5m2() = default;
  /// The e5m2 that is nearest to `value`.
  constexpr e5m2(float value);
  constexpr operator float() const;

private:
  unsigned char bits = 0;
};

namespace detail {
template <typename T> struct numbers {
  static constexpr bool is_number = false;
  using type = T; // so that tensors of it can be declared, which are refused by name
};
struct calculated_in_float {
  static constexpr bool is_number = true;
  using type = float;
};
struct calculated_in_int {
  static constexpr bool is_number = true;
  using type = int;
};
template <> struct numbers<float> : calculated_in_float {};
template <> struct numbers<double> : calculated_in_float {};
template <> struct numbers<bf16> : calculated_in_float {};
template <> struct numbers<half> : calculated_in_float {};
template <> struct numbers<tf32> : calculated_in_float {};
template <> struct numbers<e4m3> : calculated_in_float {};
template <> struct numbers<e5m2> : calculated_in_float {};
template <> struct numbers<int> : calculated_in_int {};
template <> struct numbers<int8> : calculated_in_int {};
template <> struct numbers<bool> : calculated_in_int {};
} // namespace detail

/// A number: an element type of the language, or what C++ makes of a literal.
template <typename T>
concept number = detail::numbers<T>::is_number;

/// The type in which elements of type T are computed: `float`, or `int` for integers.
template <number T> using number_of = typename detail::numbers<T>::type;

#ifndef __TKC__
namespace detail {
/// The exponent and mantissa of a finite `value` (whose sign is left out) in a format with less of
/// both, rounded to nearest even. Larger values come out with too large an exponent.
constexpr unsigned narrow(float value, int exponentBits, int mantissaBits) {
  const unsigned word = __builtin_bit_cast(unsigned, value) & 0x7fffffffu;
  const int exponent = static_cast<int>(word >> 23) - 127 + (1 << (exponentBits - 1)) - 1;
  const bool normal = exponent >= 1;
  // Below the normal numbers the first bit is written out, and all move to the right.
  const int shift = 23 - mantissaBits + (normal ? 0 : 1 - exponent);
  if (shift > 24) // less than half of the smallest number
    return 0;
  const unsigned fraction = word & 0x7fffffu;
  const unsigned wide =
      normal ? static_cast<unsigned>(exponent) << 23 | fraction : fraction | 0x800000u;
  // Half of the last kept place, less one, and the last kept bit: ties go to even.
  return (wide + (1u << (shift - 1)) - 1 + (wide >> shift & 1u)) >> shift;
}

/// The number that a finite pattern without its sign stands for.
constexpr float widen(unsigned bits, int exponentBits, int mantissaBits) {
  const int bias = (1 << (exponentBits - 1)) - 1;
  const unsigned exponent = bits >> mantissaBits;
  const unsigned fraction = bits & ((1u << mantissaBits) - 1);
  const unsigned unit = static_cast<unsigned>(127 + 1 - bias - mantissaBits) << 23;
  if (exponent == 0)
    return static_cast<float>(fraction) * __builtin_bit_cast(float, unit);
  const unsigned wide = exponent + 127 - static_cast<unsigned>(bias);
  return __builtin_bit_cast(float, wide << 23 | fraction << (23 - mantissaBits));
}

constexpr bool is_negative(float value) { return __builtin_bit_cast(unsigned, value) >> 31; }
constexpr bool is_nan(float value) { return value != value; }
constexpr bool is_infinite(float value) {
  return (__builtin_bit_cast(unsigned, value) & 0x7fffffffu) == 0x7f800000u;
}

/// The conversion between element types. To an integer it goes towards zero and stops at the
/// type's limits, as on the GPU; NaN becomes 0.
template <typename To, typename From> constexpr To convert(From from) {
  if constexpr (__is_same(To, int) && __is_same(number_of<From>, float)) {
    const float value = from;
    return is_nan(value)            ? 0
           : value >= 2147483648.0f ? 2147483647
           : value < -2147483648.0f ? -2147483647 - 1
                                    : static_cast<int>(value);
  } else if constexpr (__is_same(To, int8)) {
    const int value = convert<int>(from);
    return static_cast<int8>(value > 127 ? 127 : value < -128 ? -128 : value);
  } else if constexpr (__is_same(number_of<To>, float)) {
    return To(static_cast<float>(from));
  } else {
    return static_cast<To>(from);
  }
}
} // namespace detail

constexpr half::half(float value) {
  unsigned rounded = 0x7e00u; // a NaN
  if (!detail::is_nan(value)) {
    rounded = detail::is_infinite(value) ? 0x7c00u : detail::narrow(value, 5, 10);
    rounded = rounded < 0x7c00u ? rounded : 0x7c00u;
  }
  bits = static_cast<unsigned short>(rounded | (detail::is_negative(value) ? 0x8000u : 0));
}

constexpr half::operator float() const {
  const unsigned magnitude = bits & 0x7fffu;
  const float value = magnitude > 0x7c00u    ? __builtin_nanf("")
                      : magnitude == 0x7c00u ? __builtin_inff()
                                             : detail::widen(magnitude, 5, 10);
  return bits >> 15 ? -value : value;
}

constexpr tf32::tf32(float value) {
  const unsigned word = __builtin_bit_cast(unsigned, value);
  if (detail::is_nan(value))
    bits = (word | 0x400000u) & ~0x1fffu;
  else // the exponent is that of float, so rounding may carry into it, up to infinity
    bits = (word + 0xfffu + (word >> 13 & 1u)) & ~0x1fffu;
}

constexpr tf32::operator float() const { return __builtin_bit_cast(float, bits); }

constexpr e4m3::e4m3(float value) {
  unsigned rounded = 0x7fu; // the NaN
  if (!detail::is_nan(value)) {
    rounded = detail::is_infinite(value) ? 0x7eu : detail::narrow(value, 4, 3);
    rounded = rounded < 0x7eu ? rounded : 0x7eu;
  }
  bits = static_cast<unsigned char>(rounded | (detail::is_negative(value) ? 0x80u : 0));
}

constexpr e4m3::operator float() const {
  const unsigned magnitude = bits & 0x7fu;
  const float value = magnitude == 0x7fu ? __builtin_nanf("") : detail::widen(magnitude, 4, 3);
  return bits >> 7 ? -value : value;
}

constexpr e5m2::e5m2(float value) {
  unsigned rounded = 0x7fu; // a NaN
  if (!detail::is_nan(value)) {
    rounded = detail::is_infinite(value) ? 0x7bu : detail::narrow(value, 5, 2);
    rounded = rounded < 0x7bu ? rounded : 0x7bu;
  }
  bits = static_cast<unsigned char>(rounded | (detail::is_negative(value) ? 0x80u : 0));
}

constexpr e5m2::operator float() const {
  const unsigned magnitude = bits & 0x7fu;
  const float value = magnitude > 0x7cu    ? __builtin_nanf("")
                      : magnitude == 0x7cu ? __builtin_inff()
                                           : detail::widen(magnitude, 5, 2);
  return bits >> 7 ? -value : value;
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_NUMBERS_H
