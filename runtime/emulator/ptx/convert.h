//===- ptx/convert.h - Narrowing conversions, two values at a time --------===//
//
// Conversions are where a kernel first uses the accumulators of a product, so
// they look for the poison of values that have not arrived.
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_CONVERT_H
#define TK_PTX_CONVERT_H

#include <core/number.h>
#include <ptx/device.h>

namespace tk {

TK_DEVICE float readable(float value, const char *instruction, place where) {
  if (emulator::is_suspicious(value))
    emulator::suspicious_read(instruction, std::bit_cast<uint32_t>(value), where);
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

} // namespace tk

#endif // TK_PTX_CONVERT_H
