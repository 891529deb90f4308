//===- ptx/math.h - Functions that are one instruction --------------------===//
//
// Computed to more bits than the GPU has, and rounded: a kernel must not rely on
// an approximation's last bits. Subnormal results and arguments are zero here too.
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_MATH_H
#define TK_PTX_MATH_H

#include <core/number.h>
#include <ptx/device.h>
#include <ptx/widen.h>

#include <cmath>

namespace tk {

inline float flushed(float x) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, x);
  return (bits & 0x7f800000) == 0 ? __builtin_bit_cast(float, bits & 0x80000000) : x;
}

inline float ex2(float x) { return flushed(float(std::exp2(double(flushed(x))))); }
inline float lg2(float x) { return float(std::log2(double(flushed(x)))); }
inline float rcp(float x) { return flushed(float(1.0 / double(flushed(x)))); }
inline float divide(float a, float b) {
  return flushed(float(double(flushed(a)) / double(flushed(b))));
}
inline float rsqrt_approx(float x) { return float(1.0 / std::sqrt(double(flushed(x)))); }
inline float sqrt_approx(float x) { return float(std::sqrt(double(flushed(x)))); }
inline float tanh_approx(float x) { return float(std::tanh(double(x))); }
inline float sin_approx(float x) { return flushed(float(std::sin(double(flushed(x))))); }
inline float cos_approx(float x) { return float(std::cos(double(flushed(x)))); }

// The host's compiler, too, may contract a product and a sum, unless it cannot see the one for the
// other.
inline float rounded_alone(float x) {
#if defined(__x86_64__)
  asm("" : "+x"(x));
#elif defined(__aarch64__)
  asm("" : "+w"(x));
#else
  asm("" : "+m"(x));
#endif
  return x;
}
inline float add_rn(float a, float b) { return rounded_alone(a) + rounded_alone(b); }
inline float sub_rn(float a, float b) { return rounded_alone(a) - rounded_alone(b); }

TK_DEVICE uint32_t fma_bf16x2(uint32_t a, uint32_t b, uint32_t c) {
  const auto sum = [](float x, float y, float z) { return uint32_t(emulator::bf16_fma(x, y, z)); };
  return sum(bf16_low(a), bf16_low(b), bf16_low(c)) | sum(bf16_high(a), bf16_high(b), bf16_high(c))
                                                          << 16;
}
TK_DEVICE uint32_t mul_bf16x2(uint32_t a, uint32_t b) {
  return fma_bf16x2(a, b, 0x80008000); // minus zero, which changes no product's sign
}

struct wide_product {
  uint32_t low, high;
};
inline wide_product mul_wide(uint32_t a, uint32_t b) {
  const uint64_t product = uint64_t(a) * b;
  return {uint32_t(product), uint32_t(product >> 32)};
}

inline uint32_t opaque(uint32_t value) { return value; }

TK_DEVICE float arrived(float value, TK_PLACE) {
  if (const uint32_t bits = __builtin_bit_cast(uint32_t, value); emulator::is_suspicious(bits))
    emulator::suspicious_read("arithmetic", bits, where);
  return value;
}
TK_DEVICE int arrived(int value, TK_PLACE) {
  if (emulator::is_suspicious(uint32_t(value)))
    emulator::suspicious_read("arithmetic", uint32_t(value), where);
  return value;
}

} // namespace tk

#endif // TK_PTX_MATH_H
