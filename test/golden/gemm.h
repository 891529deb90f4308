// Written by tkc 0.1.0 from gemm.tk. Do not edit: change gemm.tk and run tkc again.
#ifndef TK_GEMM_H
#define TK_GEMM_H

#include <host/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

// gemm<BM = 128, BN = 256, BK = 64>, gemm.tk:4
//   A  bf16, rank 2, read
//   B  bf16, rank 2, read
//   C  bf16, rank 2, written
// Requires A.rows = C.rows, A.cols = B.rows, B.cols = C.cols; rows may be strided, by multiples of 16 bytes.
tk_status gemm(const tk_tensor *A, const tk_tensor *B, const tk_tensor *C, tk_stream stream);

#ifdef __cplusplus
}
#endif

#endif // TK_GEMM_H
