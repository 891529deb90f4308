//===- ptx/permute.h - Bytes of two registers -----------------------------===//
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-prmt
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_PERMUTE_H
#define TK_PTX_PERMUTE_H

#include <ptx/device.h>

namespace tk {

// prmt.b32: each of the result's four bytes is the one that four bits of `selector` name, lowest first. Bytes 0 to 3 are
// those of `a`, 4 to 7 those of `b`.
TK_DEVICE uint32_t prmt(uint32_t a, uint32_t b, uint32_t selector) { return __byte_perm(a, b, selector); }

// Byte `i`, a constant, as a signed number; a selector's fourth bit asks for nothing but the sign. As a shift and a
// conversion of 8 bits ptxas would join it with a conversion to float, which has a quarter of the rate of 32 bits' one.
TK_DEVICE int signed_byte(uint32_t bytes, int i) {
  int value;
  asm("prmt.b32 %0, %1, 0, %2;" : "=r"(value) : "r"(bytes), "r"(i * 0x1111 + 0x8880));
  return value;
}

} // namespace tk

#endif // TK_PTX_PERMUTE_H
