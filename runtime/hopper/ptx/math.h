//===- ptx/math.h - Functions that are one instruction --------------------===//
//
// The special function unit computes these to about 22 bits, a quarter as fast
// as an addition; results and arguments below 2^-126 count as zero. The library
// functions of the same names add instructions for the last bits and for
// subnormal numbers, which a tile kernel cannot afford and does not need.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_MATH_H
#define TK_PTX_MATH_H

#include <ptx/device.h>

namespace tk {

#define TK_APPROXIMATION(name, instruction)                                                                            \
  TK_DEVICE float name(float x) {                                                                                      \
    float result;                                                                                                      \
    asm(instruction " %0, %1;" : "=f"(result) : "f"(x));                                                               \
    return result;                                                                                                     \
  }

TK_APPROXIMATION(ex2, "ex2.approx.ftz.f32")                  // 2^x, 2 ulp
TK_APPROXIMATION(lg2, "lg2.approx.ftz.f32")                  // the logarithm to base 2, 2^-22 absolute near 1
TK_APPROXIMATION(rcp, "rcp.approx.ftz.f32")                  // 1 / x, 1 ulp
TK_APPROXIMATION(rsqrt_approx, "rsqrt.approx.ftz.f32")       // 2^-22.9 relative
TK_APPROXIMATION(sqrt_approx, "sqrt.approx.ftz.f32")         // 2^-23 relative
TK_APPROXIMATION(tanh_approx, "tanh.approx.f32")             // 2^-11 relative
TK_APPROXIMATION(sin_approx, "sin.approx.ftz.f32")           // 2^-20.5 absolute between -pi and pi
TK_APPROXIMATION(cos_approx, "cos.approx.ftz.f32")           // the same

#undef TK_APPROXIMATION

// a / b, 2 ulp. Where b is above 2^126, and 1 / b counts as zero, both are made smaller: five instructions. C++'s
// division rounds right, in eight, a test and, where that fails, a call: a fifth of a product with silu after it.
TK_DEVICE float divide(float a, float b) {
  float quotient;
  asm("div.full.ftz.f32 %0, %1, %2;" : "=f"(quotient) : "f"(a), "f"(b));
  return quotient;
}

// a + b and a - b, rounded for themselves. nvcc makes one multiply-add of a product and a sum, so x * c - m is not zero
// where m is x * c, rounded: it is the rounding error, for large numbers a large number. That must not become
// an exponent.
TK_DEVICE float add_rn(float a, float b) { return __fadd_rn(a, b); }
TK_DEVICE float sub_rn(float a, float b) { return __fsub_rn(a, b); }

// mul.rn.bf16x2 and fma.rn.bf16x2: two bf16 in a register, each result rounded once.
TK_DEVICE uint32_t mul_bf16x2(uint32_t a, uint32_t b) {
  uint32_t result;
  asm("mul.rn.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  return result;
}
TK_DEVICE uint32_t fma_bf16x2(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t result;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}

// All 64 bits of a product. As C++ would have it, in a uint64_t, the words that are then computed with one by one become
// 64-bit operations of two or three instructions each.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#integer-arithmetic-instructions-mul
struct wide_product {
  uint32_t low, high;
};
TK_DEVICE wide_product mul_wide(uint32_t a, uint32_t b) {
  wide_product result;
  asm("{\n"
      ".reg .b64 product;\n"
      "mul.wide.u32 product, %2, %3;\n"
      "mov.b64 {%0, %1}, product;\n"
      "}"
      : "=r"(result.low), "=r"(result.high)
      : "r"(a), "r"(b));
  return result;
}

// The value itself, which the compiler does not know more about.
TK_DEVICE uint32_t opaque(uint32_t value) {
  uint32_t result;
  asm("mov.b32 %0, %1;" : "=r"(result) : "r"(value));
  return result;
}

// A register of a tile, before it is computed with. The emulator checks here that no MMA in flight writes it.
TK_DEVICE float arrived(float value) { return value; }
TK_DEVICE int arrived(int value) { return value; }

} // namespace tk

#endif // TK_PTX_MATH_H
