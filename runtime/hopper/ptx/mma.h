//===- ptx/mma.h - MMAs of one warp, all operands in registers ------------===//
//
// D += A B, where D is 16 x 8, A 16 x K and B K x 8; K is 32 bytes. The 32 lanes
// issue the same instruction and hold, with g = lane / 4 and q = lane % 4:
//
//      D    d[i]: row g + 8 (i / 2), column 2 q + i % 2
//      A    a[r]: row g + 8 (r % 2), 4 bytes of K at byte 16 (r / 2) + 4 q
//      B    b[r]: column g,          4 bytes of K at byte 16 r + 4 q
//
// so A is laid out as wgmma's fragments are, and D as well.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-mma
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_MMA_H
#define TK_PTX_MMA_H

#include <ptx/device.h>

namespace tk {

#define TK_MMA(name, shape, constraint, D, d_type, A, B)                                                               \
  TK_DEVICE void name(D(&d)[4], const uint32_t(&a)[4], const uint32_t(&b)[2]) {                                        \
    asm volatile("mma.sync.aligned." shape ".row.col." d_type "." A "." B "." d_type                                   \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                    \
                 : "+" constraint(d[0]), "+" constraint(d[1]), "+" constraint(d[2]), "+" constraint(d[3])              \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                                  \
  }

// The last word of a name is the type of both operands, or the last two those of A and of B.
TK_MMA(mma_f32_bf16, "m16n8k16", "f", float, "f32", "bf16", "bf16")
TK_MMA(mma_f32_f16, "m16n8k16", "f", float, "f32", "f16", "f16")
TK_MMA(mma_f32_tf32, "m16n8k8", "f", float, "f32", "tf32", "tf32") // the low 13 bits of a tf32 are not read
TK_MMA(mma_f32_e4m3, "m16n8k32", "f", float, "f32", "e4m3", "e4m3")
TK_MMA(mma_f32_e4m3_e5m2, "m16n8k32", "f", float, "f32", "e4m3", "e5m2")
TK_MMA(mma_f32_e5m2_e4m3, "m16n8k32", "f", float, "f32", "e5m2", "e4m3")
TK_MMA(mma_f32_e5m2, "m16n8k32", "f", float, "f32", "e5m2", "e5m2")
TK_MMA(mma_s32_s8, "m16n8k32", "r", int, "s32", "s8", "s8") // wraps around, as do the next three
TK_MMA(mma_s32_s8_u8, "m16n8k32", "r", int, "s32", "s8", "u8")
TK_MMA(mma_s32_u8_s8, "m16n8k32", "r", int, "s32", "u8", "s8")
TK_MMA(mma_s32_u8, "m16n8k32", "r", int, "s32", "u8", "u8")

#undef TK_MMA

} // namespace tk

#endif // TK_PTX_MMA_H
