//===- ptx/mma.h - MMAs of one warp, all operands in registers ------------===//
#ifndef TK_PTX_MMA_H
#define TK_PTX_MMA_H

#include <ptx/device.h>

namespace tk {

#define TK_MMA(name, D, A, B)                                                                      \
  TK_DEVICE void name(D(&d)[4], const uint32_t(&a)[4], const uint32_t(&b)[2], TK_PLACE) {          \
    emulator::mma_sync(d, emulator::number::A, a, emulator::number::B, b, where);                  \
  }

TK_MMA(mma_f32_bf16, float, bf16, bf16)
TK_MMA(mma_f32_f16, float, f16, f16)
TK_MMA(mma_f32_tf32, float, tf32, tf32)
TK_MMA(mma_f32_e4m3, float, e4m3, e4m3)
TK_MMA(mma_f32_e4m3_e5m2, float, e4m3, e5m2)
TK_MMA(mma_f32_e5m2_e4m3, float, e5m2, e4m3)
TK_MMA(mma_f32_e5m2, float, e5m2, e5m2)
TK_MMA(mma_s32_s8, int, s8, s8)
TK_MMA(mma_s32_s8_u8, int, s8, u8)
TK_MMA(mma_s32_u8_s8, int, u8, s8)
TK_MMA(mma_s32_u8, int, u8, u8)

#undef TK_MMA

} // namespace tk

#endif // TK_PTX_MMA_H
