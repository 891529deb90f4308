//===- core/number.h - Element types, and the poison that marks no value --===//
//
// Memory that an asynchronous operation has yet to write holds signalling NaNs
// with a payload of our own. Arithmetic keeps the payload (it only sets the
// quiet bit), so a poisoned register is still recognised after a few
// operations, and what is never recognised at least comes out as NaN.
//
// Registers that nothing has been written to hold another pattern, if the kernel
// is compiled with -ftrivial-auto-var-init=pattern.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_NUMBER_H
#define TK_EMULATOR_CORE_NUMBER_H

#include <cstdint>

namespace tk::emulator {

enum class number : uint8_t { bf16, f16, tf32, e4m3, e5m2, s8, u8 };

constexpr uint32_t bytes_of(number type) {
  return type == number::tf32 ? 4 : type == number::bf16 || type == number::f16 ? 2 : 1;
}
constexpr bool is_integer(number type) { return type == number::s8 || type == number::u8; }

constexpr uint32_t poison_bits = 0x7fbadbad;        // as a float
constexpr uint32_t uninitialised_bits = 0xfefefefe; // what the compiler fills variables with
constexpr uint8_t poison_byte = 0xff; // shared memory: NaN in every 8, 16 and 32-bit float type

// Kernels ask these of every register that they read, and tests compile them without optimization:
// a call each, which is why std::bit_cast is not used here.

// Of a float: all but sign and quiet bit, which do not count.
constexpr uint32_t payload = 0x7fbfffff;
constexpr bool is_poison(uint32_t bits) { return (bits & payload) == poison_bits; }

// A value that a kernel should not have read, see suspicious_read.
constexpr bool is_suspicious(uint32_t bits) {
  return (bits & payload) == poison_bits || bits == uninitialised_bits;
}

constexpr float bf16_value(uint16_t bits) {
  return __builtin_bit_cast(float, uint32_t(bits) << 16);
}

// Rounds to nearest even; NaN becomes the canonical 0x7fff, as cvt.rn does.
constexpr uint16_t bf16_bits(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return 0x7fff;
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// Towards `exact` by one unit in the last place, if that is not what `rounded` is and its last bit
// is even: rounding to odd, after which rounding to fewer bits is as right as if there had been
// none.
template <typename float_type, typename bits_type>
constexpr float_type to_odd(float_type rounded, double exact_minus_rounded) {
  const bits_type bits = __builtin_bit_cast(bits_type, rounded);
  if (exact_minus_rounded == 0 || bits % 2)
    return rounded;
  const bool is_larger = (exact_minus_rounded > 0) == (rounded > 0) || bits << 1 == 0;
  return __builtin_bit_cast(float_type, is_larger ? bits + 1 : bits - 1);
}

// x y + z of bf16 values, rounded once: fma.rn.bf16.
constexpr uint16_t bf16_fma(float x, float y, float z) {
  const double product = double(x) * double(y), sum = product + double(z); // the product is exact
  const double part = sum - product, rest = (product - (sum - part)) + (double(z) - part);
  if (!(sum - sum == 0)) // infinite, or no number
    return bf16_bits(float(sum));
  const double exact = to_odd<double, uint64_t>(sum, rest);
  const float narrow = float(exact);
  return bf16_bits(narrow - narrow == 0 ? to_odd<float, uint32_t>(narrow, exact - double(narrow))
                                        : narrow);
}

constexpr float f16_value(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000) << 16;
  const uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 31)
    return __builtin_bit_cast(float, sign | 0x7f800000 | mantissa << 13);
  if (exponent != 0)
    return __builtin_bit_cast(float, sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = float(mantissa) * 0x1p-24f; // subnormal
  return sign ? -magnitude : magnitude;
}

constexpr uint16_t f16_bits(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint16_t sign = uint16_t(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return 0x7fff;
  if (magnitude >= 0x477ff000) // rounds to 65536 or more
    return uint16_t(sign | 0x7c00);
  if (magnitude < 0x38800000) { // subnormal: the float adder does the rounding
    const float rounded = __builtin_bit_cast(float, magnitude) + 0.5f;
    return uint16_t(sign |
                    (__builtin_bit_cast(uint32_t, rounded) - __builtin_bit_cast(uint32_t, 0.5f)));
  }
  return uint16_t(sign | ((magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13));
}

// Bias 7, no infinity, one NaN.
constexpr float e4m3_value(uint8_t bits) {
  const uint32_t sign = uint32_t(bits & 0x80) << 24;
  const uint32_t exponent = bits >> 3 & 15, mantissa = bits & 7;
  if ((bits & 0x7f) == 0x7f)
    return __builtin_bit_cast(float, 0x7fc00000u);
  if (exponent != 0)
    return __builtin_bit_cast(float, sign | (exponent + 120) << 23 | mantissa << 20);
  const float magnitude = float(mantissa) * 0x1p-9f; // subnormal
  return sign ? -magnitude : magnitude;
}

// The high byte of the f16 of the same value.
constexpr float e5m2_value(uint8_t bits) { return f16_value(uint16_t(bits << 8)); }

// A float in a format with less exponent and mantissa, rounded to nearest even; what is larger than
// `largest` becomes `largest`, as .satfinite does.
constexpr uint8_t narrow_bits(float value, int bias, int mantissa, uint8_t largest) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value), magnitude = bits & 0x7fffffff;
  const uint8_t sign = uint8_t(bits >> 24 & 0x80);
  if (magnitude > 0x7f800000)
    return 0x7f; // NaN
  const int exponent = int(magnitude >> 23) - 127 + bias;
  const int shift =
      23 - mantissa + (exponent >= 1 ? 0 : 1 - exponent); // subnormal results lose more bits
  if (shift > 24)
    return sign;
  const uint32_t fraction = magnitude & 0x7fffff;
  const uint32_t wide = exponent >= 1 ? uint32_t(exponent) << 23 | fraction : 0x800000 | fraction;
  const uint32_t rounded = (wide + (1u << (shift - 1)) - 1 + (wide >> shift & 1)) >> shift;
  return uint8_t(sign | (magnitude == 0x7f800000 || rounded > largest ? largest : rounded));
}
constexpr uint8_t e4m3_bits(float value) { return narrow_bits(value, 7, 3, 0x7e); }
constexpr uint8_t e5m2_bits(float value) { return narrow_bits(value, 15, 2, 0x7b); }

// The float with 13 bits less, rounded to nearest even.
constexpr float tf32_rounded(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return __builtin_bit_cast(float, (bits | 0x400000) & 0xffffe000);
  return __builtin_bit_cast(float, (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000);
}

// Products read 19 bits of a float.
constexpr float tf32_value(uint32_t bits) { return __builtin_bit_cast(float, bits & 0xffffe000); }

// The element at these bytes; an integer comes as a float, exactly.
inline float value_at(const unsigned char *bytes, number type) {
  switch (type) {
  case number::bf16:
    return bf16_value(uint16_t(bytes[0] | bytes[1] << 8));
  case number::f16:
    return f16_value(uint16_t(bytes[0] | bytes[1] << 8));
  case number::tf32:
    return tf32_value(bytes[0] | bytes[1] << 8 | bytes[2] << 16 | uint32_t(bytes[3]) << 24);
  case number::e4m3:
    return e4m3_value(bytes[0]);
  case number::e5m2:
    return e5m2_value(bytes[0]);
  case number::s8:
    return float(int8_t(bytes[0]));
  case number::u8:
    return float(bytes[0]);
  }
  return 0;
}

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_NUMBER_H
