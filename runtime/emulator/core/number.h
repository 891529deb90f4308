//===- core/number.h - 16-bit floats, and the poison that marks no value --===//
//
// Memory that an asynchronous operation has yet to write holds signalling NaNs
// with a payload of our own. Arithmetic keeps the payload (it only sets the
// quiet bit), so a poisoned register is still recognised after a few
// operations, and what is never recognised at least comes out as NaN.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_NUMBER_H
#define TK_EMULATOR_CORE_NUMBER_H

#include <bit>
#include <cstdint>

namespace tk::emulator {

enum class number : uint8_t { bf16, f16 };

constexpr uint32_t poison_bits = 0x7fbadbad; // as a float
constexpr uint8_t poison_byte = 0xff; // shared memory: NaN in every 8, 16 and 32-bit float type

// Sign and quiet bit do not count.
constexpr bool is_poison(float value) {
  return (std::bit_cast<uint32_t>(value) & 0x7fbfffff) == poison_bits;
}

constexpr float bf16_value(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

// Rounds to nearest even; NaN becomes the canonical 0x7fff, as cvt.rn does.
constexpr uint16_t bf16_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return 0x7fff;
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

constexpr float f16_value(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000) << 16;
  const uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 31)
    return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
  if (exponent != 0)
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = float(mantissa) * 0x1p-24f; // subnormal
  return sign ? -magnitude : magnitude;
}

constexpr uint16_t f16_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = uint16_t(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return 0x7fff;
  if (magnitude >= 0x477ff000) // rounds to 65536 or more
    return uint16_t(sign | 0x7c00);
  if (magnitude < 0x38800000) { // subnormal: the float adder does the rounding
    const float rounded = std::bit_cast<float>(magnitude) + 0.5f;
    return uint16_t(sign | (std::bit_cast<uint32_t>(rounded) - std::bit_cast<uint32_t>(0.5f)));
  }
  return uint16_t(sign | ((magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13));
}

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_NUMBER_H
