//===- ptx/widen.h - Widening conversions, out of a register --------------===//
#ifndef TK_PTX_WIDEN_H
#define TK_PTX_WIDEN_H

#include <core/number.h>
#include <ptx/device.h>

namespace tk {

TK_DEVICE float bf16_low(uint32_t pair) { return emulator::bf16_value(uint16_t(pair)); }
TK_DEVICE float bf16_high(uint32_t pair) { return emulator::bf16_value(uint16_t(pair >> 16)); }

TK_DEVICE float cvt_f32_f16(uint16_t bits) { return emulator::f16_value(bits); }
TK_DEVICE float f16_low(uint32_t pair) { return cvt_f32_f16(uint16_t(pair)); }
TK_DEVICE float f16_high(uint32_t pair) { return cvt_f32_f16(uint16_t(pair >> 16)); }

TK_DEVICE uint32_t cvt_f16x2_e4m3x2(uint16_t pair) {
  return emulator::f16_bits(emulator::e4m3_value(uint8_t(pair))) |
         uint32_t(emulator::f16_bits(emulator::e4m3_value(uint8_t(pair >> 8)))) << 16;
}
TK_DEVICE uint32_t cvt_f16x2_e5m2x2(uint16_t pair) { // the high bytes of the f16 of the same values
  return uint32_t(pair & 0xff) << 8 | uint32_t(pair & 0xff00) << 16;
}

TK_DEVICE float as_float(uint32_t bits) { return __builtin_bit_cast(float, bits); }
TK_DEVICE uint32_t as_bits(float value) { return __builtin_bit_cast(uint32_t, value); }

} // namespace tk

#endif // TK_PTX_WIDEN_H
