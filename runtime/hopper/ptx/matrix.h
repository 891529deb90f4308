//===- ptx/matrix.h - 8x8 matrices between registers and shared memory ----===//
//
// One instruction moves one, two or four 8x8 matrices of 16-bit elements. Lane L
// gives the address of row L % 8 of matrix L / 8 (16 bytes, 16-byte aligned).
// Register j of lane t holds elements 2(t % 4) and 2(t % 4) + 1 of row t / 4 of
// matrix j, which is how wgmma lays out its fragments. The `trans` forms
// transpose each matrix on the way.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-stmatrix
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-ldmatrix
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_MATRIX_H
#define TK_PTX_MATRIX_H

#include <ptx/device.h>

namespace tk {

// stmatrix.x4
TK_DEVICE void stmatrix_x4(uint32_t address, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(r0),
               "r"(r1), "r"(r2), "r"(r3)
               : "memory");
}

// stmatrix.x2: lanes 0 to 15 give the addresses.
TK_DEVICE void stmatrix_x2(uint32_t address, uint32_t r0, uint32_t r1) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared::cta.b16 [%0], {%1, %2};" ::"r"(address), "r"(r0), "r"(r1)
               : "memory");
}

// stmatrix.x4.trans
TK_DEVICE void stmatrix_x4_trans(uint32_t address, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(r0),
               "r"(r1), "r"(r2), "r"(r3)
               : "memory");
}

// ldmatrix.x4
TK_DEVICE void ldmatrix_x4(uint32_t address, uint32_t &r0, uint32_t &r1, uint32_t &r2, uint32_t &r3) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(address)
               : "memory");
}

// ldmatrix.x4.trans
TK_DEVICE void ldmatrix_x4_trans(uint32_t address, uint32_t &r0, uint32_t &r1, uint32_t &r2, uint32_t &r3) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(address)
               : "memory");
}

} // namespace tk

#endif // TK_PTX_MATRIX_H
