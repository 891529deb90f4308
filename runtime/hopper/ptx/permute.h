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

} // namespace tk

#endif // TK_PTX_PERMUTE_H
