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
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-movmatrix
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_MATRIX_H
#define TK_PTX_MATRIX_H

#include <ptx/device.h>

namespace tk {

// With fewer than four matrices, the lanes from 8 times their number on give no address.
#define TK_MATRIX_FORMS(suffix, qualifier)                                                                             \
  TK_DEVICE void stmatrix_x1##suffix(uint32_t address, uint32_t r0) {                                                  \
    asm volatile("stmatrix.sync.aligned.m8n8.x1" qualifier ".shared::cta.b16 [%0], {%1};" ::"r"(address), "r"(r0)      \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void stmatrix_x2##suffix(uint32_t address, uint32_t r0, uint32_t r1) {                                     \
    asm volatile("stmatrix.sync.aligned.m8n8.x2" qualifier ".shared::cta.b16 [%0], {%1, %2};" ::"r"(address),          \
                 "r"(r0), "r"(r1)                                                                                      \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void stmatrix_x4##suffix(uint32_t address, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3) {           \
    asm volatile("stmatrix.sync.aligned.m8n8.x4" qualifier ".shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),  \
                 "r"(r0), "r"(r1), "r"(r2), "r"(r3)                                                                    \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void ldmatrix_x1##suffix(uint32_t address, uint32_t &r0) {                                                 \
    asm volatile("ldmatrix.sync.aligned.m8n8.x1" qualifier ".shared::cta.b16 {%0}, [%1];"                              \
                 : "=r"(r0)                                                                                            \
                 : "r"(address)                                                                                        \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void ldmatrix_x2##suffix(uint32_t address, uint32_t &r0, uint32_t &r1) {                                   \
    asm volatile("ldmatrix.sync.aligned.m8n8.x2" qualifier ".shared::cta.b16 {%0, %1}, [%2];"                          \
                 : "=r"(r0), "=r"(r1)                                                                                  \
                 : "r"(address)                                                                                        \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void ldmatrix_x4##suffix(uint32_t address, uint32_t &r0, uint32_t &r1, uint32_t &r2, uint32_t &r3) {       \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" qualifier ".shared::cta.b16 {%0, %1, %2, %3}, [%4];"                  \
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)                                                              \
                 : "r"(address)                                                                                        \
                 : "memory");                                                                                          \
  }

TK_MATRIX_FORMS(, "")             // stmatrix_x1, x2, x4, ldmatrix_x1, x2, x4
TK_MATRIX_FORMS(_trans, ".trans") // stmatrix_x1_trans, ...

#undef TK_MATRIX_FORMS

// movmatrix.trans: the transpose of one matrix that a warp holds, without shared memory.
TK_DEVICE uint32_t movmatrix_trans(uint32_t r0) {
  uint32_t result;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(result) : "r"(r0));
  return result;
}

} // namespace tk

#endif // TK_PTX_MATRIX_H
