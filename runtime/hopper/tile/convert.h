//===- tile/convert.h - Elements of one type from another -----------------===//
//
// Narrowing rounds to nearest even; 8-bit floats and integers saturate; a float
// becomes an integer towards zero, and NaN becomes 0, as the language defines.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_CONVERT_H
#define TK_TILE_CONVERT_H

#include <ptx/convert.h>
#include <ptx/permute.h>
#include <ptx/widen.h>
#include <tile/types.h>

namespace tk {

// Two neighbours in one register, the first in its low half.
template <typename T> TK_DEVICE uint32_t pack(float low, float high) {
  static_assert(is_16_bit_float<T>, "only bf16 and f16 are packed in pairs");
  if constexpr (is_same<T, bf16>)
    return cvt_bf16x2(low, high);
  else
    return cvt_f16x2(low, high);
}

// As an integer of 8 bits: up to its limits.
TK_DEVICE int saturated(int value) { return value > 127 ? 127 : value < -128 ? -128 : value; }
TK_DEVICE int saturated(float value) { return saturated(cvt_s32(value)); }

// Four elements of 8 bits in one register, the first in its low byte.
template <typename T, typename V> TK_DEVICE uint32_t pack(V a, V b, V c, V d) {
  static_assert(sizeof(T) == 1, "only 8-bit elements are packed in fours");
  if constexpr (is_same<T, e4m3>)
    return cvt_e4m3x4(a, b, c, d);
  else if constexpr (is_same<T, e5m2>)
    return cvt_e5m2x4(a, b, c, d);
  else
    return uint32_t(saturated(a) & 255) | uint32_t(saturated(b) & 255) << 8 | uint32_t(saturated(c) & 255) << 16 |
           uint32_t(saturated(d)) << 24;
}

// Element `i` of a register that holds several.
template <typename T> TK_DEVICE number_of<T> unpack(uint32_t packed, int i) {
  if constexpr (is_same<T, bf16>)
    return i ? bf16_high(packed) : bf16_low(packed);
  else if constexpr (is_same<T, f16>)
    return i ? f16_high(packed) : f16_low(packed);
  else if constexpr (is_same<T, tf32>)
    return as_float(packed);
  else if constexpr (is_same<T, int8>)
    return signed_byte(packed, i);
  else {
    const uint16_t pair = uint16_t(packed >> (16 * (i / 2)));
    const uint32_t wide = is_same<T, e4m3> ? cvt_f16x2_e4m3x2(pair) : cvt_f16x2_e5m2x2(pair);
    return i % 2 ? f16_high(wide) : f16_low(wide);
  }
}

// A number as an element of type T, held as what T is computed with.
template <typename T, typename V> TK_DEVICE number_of<T> rounded(V value) {
  if constexpr (is_same<T, float>)
    return float(value);
  else if constexpr (is_same<T, int8>)
    return saturated(value);
  else if constexpr (is_same<T, int> && is_same<V, float>)
    return cvt_s32(value);
  else if constexpr (is_same<T, int>)
    return value;
  else if constexpr (is_same<T, tf32>)
    return cvt_tf32(float(value));
  else if constexpr (is_16_bit_float<T>)
    return unpack<T>(pack<T>(float(value), 0.0f), 0);
  else
    return unpack<T>(pack<T>(float(value), 0.0f, 0.0f, 0.0f), 0);
}

// The bits of a number that is one of T's, in the low part of the result.
template <typename T> TK_DEVICE uint32_t bits_of(number_of<T> value) {
  if constexpr (is_same<T, float> || is_same<T, tf32>)
    return as_bits(value);
  else if constexpr (is_integer<T>)
    return uint32_t(value);
  else if constexpr (is_16_bit_float<T>)
    return pack<T>(value, 0.0f);
  else
    return pack<T>(value, 0.0f, 0.0f, 0.0f);
}

// The number that bits stand for.
template <typename T> TK_DEVICE number_of<T> value_of(uint32_t bits) {
  if constexpr (is_same<T, float>)
    return as_float(bits);
  else if constexpr (is_same<T, int>)
    return int(bits);
  else
    return unpack<T>(bits, 0);
}

} // namespace tk

#endif // TK_TILE_CONVERT_H
