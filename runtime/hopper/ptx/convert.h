//===- ptx/convert.h - Narrowing conversions, two values at a time --------===//
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvt
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_CONVERT_H
#define TK_PTX_CONVERT_H

#include <ptx/device.h>

namespace tk {

// cvt.rn.bf16x2.f32: rounds to nearest even; `low` becomes the low half.
TK_DEVICE uint32_t cvt_bf16x2(float low, float high) {
  uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %2, %1;" : "=r"(packed) : "f"(low), "f"(high));
  return packed;
}

// cvt.rn.f16x2.f32
TK_DEVICE uint32_t cvt_f16x2(float low, float high) {
  uint32_t packed;
  asm("cvt.rn.f16x2.f32 %0, %2, %1;" : "=r"(packed) : "f"(low), "f"(high));
  return packed;
}

} // namespace tk

#endif // TK_PTX_CONVERT_H
