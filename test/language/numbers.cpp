// Tests that the element types hold the numbers their formats define, and that a float becomes the
// nearest one, ties to even.
//
// RUN: %gxx %s -o %t && %t
// RUN: %clangxx %s -o %t && %t
#include <bit>
#include <cstdint>
#include <limits>

#include "expect.h"

namespace {
/// What a pattern of a format means by definition, before the patterns for infinity and NaN.
double meaning(unsigned bits, int exponentBits, int mantissaBits) {
  const int bias = (1 << (exponentBits - 1)) - 1;
  const int exponent = bits >> mantissaBits & ((1 << exponentBits) - 1);
  const int mantissa = bits & ((1 << mantissaBits) - 1);
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissaBits)
                    : std::ldexp((1 << mantissaBits) + mantissa, exponent - bias - mantissaBits);
  return bits >> (exponentBits + mantissaBits) ? -magnitude : magnitude;
}

/// Every pattern up to `largest` keeps its meaning there and back, and floats at, between and
/// beside neighbours go to the nearer one, or from the middle to the even one.
template <typename T, typename Bits>
void check(const char *name, int exponentBits, int mantissaBits, unsigned largest) {
  for (unsigned bits = 0; bits <= largest; ++bits) {
    const double value = meaning(bits, exponentBits, mantissaBits);
    const T number = std::bit_cast<T>(static_cast<Bits>(bits));
    expect(name, bits, 0, static_cast<float>(number), value, 0);
    expect(name, bits, 1, std::bit_cast<Bits>(T(static_cast<float>(value))), bits, 0);
    const unsigned minus = bits | 1u << (exponentBits + mantissaBits);
    expect(name, bits, 2, std::bit_cast<Bits>(T(static_cast<float>(-value))), minus, 0);
    if (bits == largest)
      break;
    const float middle =
        static_cast<float>((value + meaning(bits + 1, exponentBits, mantissaBits)) / 2);
    expect(name, bits, 3, std::bit_cast<Bits>(T(middle)), bits + bits % 2, 0);
    expect(name, bits, 4, std::bit_cast<Bits>(T(std::nextafter(middle, 0.0f))), bits, 0);
    expect(name, bits, 5, std::bit_cast<Bits>(T(std::nextafter(middle, inf))), bits + 1, 0);
  }
}
} // namespace

int main() {
  check<half, std::uint16_t>("half", 5, 10, 0x7bff);
  check<e4m3, std::uint8_t>("e4m3", 4, 3, 0x7e);
  check<e5m2, std::uint8_t>("e5m2", 5, 2, 0x7b);
  check<bf16, std::uint16_t>("bf16", 8, 7, 0x7f7f);

  // Beyond the largest: half becomes infinite half a step beyond, the 8-bit types stay.
  expect("half", 0, 0, half(65519.9f), 65504, 0);
  expect("half", 1, 0, half(65520.0f), inf, 0);
  expect("half", 2, 0, half(-inf), -inf, 0);
  expect("half", 3, 0, half(NAN), NAN, 0);
  expect("e4m3", 0, 0, e4m3(1e30f), 448, 0);
  expect("e4m3", 1, 0, e4m3(-inf), -448, 0);
  expect("e4m3", 2, 0, e4m3(NAN), NAN, 0);
  expect("e5m2", 0, 0, e5m2(1e30f), 57344, 0);
  expect("e5m2", 1, 0, e5m2(-inf), -57344, 0);
  expect("e5m2", 2, 0, e5m2(NAN), NAN, 0);
  expect("e5m2", 3, 0, std::bit_cast<e5m2>(std::uint8_t(0xfc)), -inf, 0);
  expect("half", 4, 0, half(std::numeric_limits<float>::denorm_min()), 0, 0);

  // tf32 has float's exponent: 10 bits after the first are left of 23.
  expect("tf32", 0, 0, tf32(1 + 0x1p-10f), 1 + 0x1p-10, 0);
  expect("tf32", 1, 0, tf32(1 + 0x1p-11f), 1, 0);
  expect("tf32", 2, 0, tf32(1 + 3 * 0x1p-11f), 1 + 0x1p-9, 0);
  expect("tf32", 3, 0, tf32(-1 - 0x1p-11f - 0x1p-20f), -1 - 0x1p-10, 0);
  expect("tf32", 4, 0, tf32(3.4e38f), 3.4e38, 0x1p-11);
  expect("tf32", 5, 0, tf32(std::numeric_limits<float>::max()), inf, 0);
  expect("tf32", 6, 0, tf32(-inf), -inf, 0);
  expect("tf32", 7, 0, tf32(NAN), NAN, 0);

  static_assert(half(0.333f) == half(float(half(0.333f))) && sizeof(half) == 2);
  static_assert(sizeof(e4m3) == 1 && sizeof(e5m2) == 1 && sizeof(tf32) == 4 && sizeof(bf16) == 2);
  return finished();
}
