//===- ptx/widen.h - Widening conversions, out of a register --------------===//
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvt
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_WIDEN_H
#define TK_PTX_WIDEN_H

#include <ptx/device.h>

namespace tk {

// A bf16 is the high half of the float of the same value.
TK_DEVICE float bf16_low(uint32_t pair) { return __uint_as_float(pair << 16); }
TK_DEVICE float bf16_high(uint32_t pair) { return __uint_as_float(pair & 0xffff0000); }

// cvt.f32.f16
TK_DEVICE float cvt_f32_f16(uint16_t bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
TK_DEVICE float f16_low(uint32_t pair) { return cvt_f32_f16(uint16_t(pair)); }
TK_DEVICE float f16_high(uint32_t pair) { return cvt_f32_f16(uint16_t(pair >> 16)); }

// cvt.rn.f16x2.e4m3x2 and e5m2x2: two 8-bit floats as two 16-bit ones, exactly.
TK_DEVICE uint32_t cvt_f16x2_e4m3x2(uint16_t pair) {
  uint32_t wide;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(wide) : "h"(pair));
  return wide;
}
TK_DEVICE uint32_t cvt_f16x2_e5m2x2(uint16_t pair) {
  uint32_t wide;
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(wide) : "h"(pair));
  return wide;
}

// The float of these 32 bits, and the other way round.
TK_DEVICE float as_float(uint32_t bits) { return __uint_as_float(bits); }
TK_DEVICE uint32_t as_bits(float value) { return __float_as_uint(value); }

} // namespace tk

#endif // TK_PTX_WIDEN_H
