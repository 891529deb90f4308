//===- ptx/widen.h - Widening conversions, out of a pair ------------------===//
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

} // namespace tk

#endif // TK_PTX_WIDEN_H
