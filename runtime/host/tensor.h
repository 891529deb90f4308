//===- tensor.h - The tensor view that crosses the C interface ------------===//
//
// Plain C. A view of memory somebody else owns: up to four dimensions, slowest
// first, as the language's gl<T, b, d, r, c> lists them. Strides are counted in
// elements. On the GPU `data` is a device pointer; for the reference and the
// emulator it is a host pointer.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_TENSOR_H
#define TK_HOST_TENSOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tk_dtype {
  TK_BF16 = 0,
  TK_F16 = 1,
  TK_F32 = 2, // a kernel's tf32 tensors are these, too
  TK_E4M3 = 3,
  TK_E5M2 = 4,
  TK_I8 = 5,
  TK_I32 = 6
} tk_dtype;

typedef struct tk_tensor {
  void *data;
  int32_t dtype;      // a tk_dtype
  int32_t rank;       // 1 to 4; only the first `rank` extents and strides are read
  int64_t extents[4]; // elements
  int64_t strides[4]; // elements; the last must be 1
} tk_tensor;

// A CUDA stream, without needing CUDA's headers: cudaStream_t is this very type.
typedef struct CUstream_st *tk_stream;

#ifdef __cplusplus
}
#endif

#endif // TK_HOST_TENSOR_H
