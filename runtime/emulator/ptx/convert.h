//===- ptx/convert.h - Narrowing conversions ------------------------------===//
//
// Conversions are where a kernel first uses the accumulators of an MMA, so
// they look for the poison of values that have not arrived.
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_CONVERT_H
#define TK_PTX_CONVERT_H

#include <core/number.h>
#include <ptx/device.h>

#include <cmath>

namespace tk {

TK_DEVICE float readable(float value, const char *instruction, place where) {
  if (const uint32_t bits = __builtin_bit_cast(uint32_t, value); emulator::is_suspicious(bits))
    emulator::suspicious_read(instruction, bits, where);
  return value;
}

TK_DEVICE uint32_t cvt_bf16x2(float low, float high, TK_PLACE) {
  low = readable(low, "cvt.rn.bf16x2.f32", where),
  high = readable(high, "cvt.rn.bf16x2.f32", where);
  return emulator::bf16_bits(low) | uint32_t(emulator::bf16_bits(high)) << 16;
}

TK_DEVICE uint32_t cvt_f16x2(float low, float high, TK_PLACE) {
  low = readable(low, "cvt.rn.f16x2.f32", where), high = readable(high, "cvt.rn.f16x2.f32", where);
  return emulator::f16_bits(low) | uint32_t(emulator::f16_bits(high)) << 16;
}

TK_DEVICE uint16_t cvt_e4m3x2(float low, float high, TK_PLACE) {
  low = readable(low, "cvt.rn.satfinite.e4m3x2.f32", where);
  high = readable(high, "cvt.rn.satfinite.e4m3x2.f32", where);
  return uint16_t(emulator::e4m3_bits(low) | emulator::e4m3_bits(high) << 8);
}

TK_DEVICE uint16_t cvt_e5m2x2(float low, float high, TK_PLACE) {
  low = readable(low, "cvt.rn.satfinite.e5m2x2.f32", where);
  high = readable(high, "cvt.rn.satfinite.e5m2x2.f32", where);
  return uint16_t(emulator::e5m2_bits(low) | emulator::e5m2_bits(high) << 8);
}

TK_DEVICE uint32_t cvt_e4m3x4(float a, float b, float c, float d, TK_PLACE) {
  return cvt_e4m3x2(a, b, where) | uint32_t(cvt_e4m3x2(c, d, where)) << 16;
}
TK_DEVICE uint32_t cvt_e5m2x4(float a, float b, float c, float d, TK_PLACE) {
  return cvt_e5m2x2(a, b, where) | uint32_t(cvt_e5m2x2(c, d, where)) << 16;
}

TK_DEVICE float cvt_tf32(float value, TK_PLACE) {
  return emulator::tf32_rounded(readable(value, "cvt.rn.tf32.f32", where));
}

TK_DEVICE int cvt_s32(float value, TK_PLACE) {
  value = readable(value, "cvt.rzi.s32.f32", where);
  return value != value           ? 0
         : value >= 2147483648.0f ? INT32_MAX
         : value < -2147483648.0f ? INT32_MIN
                                  : int(value);
}

TK_DEVICE uint32_t cvt_up_u32(float value, TK_PLACE) {
  value = readable(value, "cvt.rpi.u32.f32", where);
  return !(value > 0)            ? 0 // NaN too
         : value > 4294967040.0f ? UINT32_MAX
                                 : uint32_t(std::ceil(value));
}

} // namespace tk

#endif // TK_PTX_CONVERT_H
