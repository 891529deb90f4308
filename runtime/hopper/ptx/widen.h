//===- ptx/widen.h - Widening conversions, out of a pair ------------------===//
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

} // namespace tk

#endif // TK_PTX_WIDEN_H
