//===- ptx/convert.h - Narrowing conversions ------------------------------===//
//
// All round to nearest even. `low` becomes the low part of the result. 8-bit
// floats saturate: larger values, infinity too, become the largest number.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvt
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_CONVERT_H
#define TK_PTX_CONVERT_H

#include <ptx/device.h>

namespace tk {

// cvt.rn.bf16x2.f32
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

// cvt.rn.satfinite.e4m3x2.f32
TK_DEVICE uint16_t cvt_e4m3x2(float low, float high) {
  uint16_t packed;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %2, %1;" : "=h"(packed) : "f"(low), "f"(high));
  return packed;
}

// cvt.rn.satfinite.e5m2x2.f32
TK_DEVICE uint16_t cvt_e5m2x2(float low, float high) {
  uint16_t packed;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %2, %1;" : "=h"(packed) : "f"(low), "f"(high));
  return packed;
}

// Two of these into one register: ptxas makes the second one fill the high half only if it sees both beside the move.
#define TK_FOUR_NARROW(name, instruction)                                                                              \
  TK_DEVICE uint32_t name(float a, float b, float c, float d) {                                                        \
    uint32_t packed;                                                                                                   \
    asm("{\n.reg .b16 low, high;\n" instruction " low, %2, %1;\n" instruction " high, %4, %3;\n"                         \
        "mov.b32 %0, {low, high};\n}"                                                                                  \
        : "=r"(packed)                                                                                                 \
        : "f"(a), "f"(b), "f"(c), "f"(d));                                                                             \
    return packed;                                                                                                     \
  }
TK_FOUR_NARROW(cvt_e4m3x4, "cvt.rn.satfinite.e4m3x2.f32")
TK_FOUR_NARROW(cvt_e5m2x4, "cvt.rn.satfinite.e5m2x2.f32")
#undef TK_FOUR_NARROW

// cvt.rn.tf32.f32: a float whose low 13 bits are zero.
TK_DEVICE float cvt_tf32(float value) {
  uint32_t bits;
  asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return __uint_as_float(bits & 0xffffe000);
}

// cvt.rzi.s32.f32: towards zero, up to the limits of int; NaN becomes 0.
TK_DEVICE int cvt_s32(float value) { return __float2int_rz(value); }

// cvt.rpi.u32.f32: upwards, up to the limits of uint32_t; NaN becomes 0.
TK_DEVICE uint32_t cvt_up_u32(float value) { return __float2uint_ru(value); }

} // namespace tk

#endif // TK_PTX_CONVERT_H
