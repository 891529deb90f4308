//===- abi.h - The C interface of compiled kernels ------------------------===//
//
// Plain C, and all of it: every emitted NAME.h includes this header and declares
// one function per kernel,
//
//     tk_status NAME(const tk_tensor *..., scalars ..., tk_stream stream);
//
// which checks its arguments, launches the kernel in `stream` and returns without
// waiting for it. docs/launch.md says what holds for threads, streams, CUDA graphs
// and the lifetimes of pointers.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_ABI_H
#define TK_HOST_ABI_H

#include <stdint.h>

// Changes whenever a program compiled against an older header could misread these declarations.
#define TK_ABI_VERSION 1

// Dimensions of a tensor, at most: those of the language's gl<T, b, d, r, c>.
#define TK_MAX_RANK 4

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tk_code {
  TK_OK = 0,
  TK_INVALID_ARGUMENT = 1,   // a tensor does not meet a requirement of the kernel; nothing was launched
  TK_UNSUPPORTED_DEVICE = 2, // no device, or not compute capability 9.0; nothing was launched
  TK_LAUNCH_FAILED = 3,      // the CUDA runtime refused; the message says what it said
  TK_EMULATOR_FAULT = 4      // the emulator found a deadlock, a hazard or a protocol error
} tk_code;

// Two registers wide, so that a call that succeeds pays nothing for it.
typedef struct tk_status {
  int32_t code;        // a tk_code
  const char *message; // one sentence, "" with TK_OK, never null; valid until this thread's next call of a kernel
} tk_status;

typedef enum tk_dtype {
  TK_BF16 = 0,
  TK_F16 = 1,
  TK_F32 = 2, // a kernel's tf32 tensors are these, too
  TK_E4M3 = 3,
  TK_E5M2 = 4,
  TK_I8 = 5,
  TK_I32 = 6
} tk_dtype;

// A view of memory somebody else owns, slowest dimension first. Read during the call only: it may be changed or freed
// when the call returns, the memory it points to when the kernel is over. On the GPU `data` is a device pointer; for
// the reference and the emulator it is a host pointer.
typedef struct tk_tensor {
  void *data;
  int32_t dtype;                // a tk_dtype
  int32_t rank;                 // 1 to TK_MAX_RANK; only the first `rank` extents and strides are read
  int64_t extents[TK_MAX_RANK]; // elements
  int64_t strides[TK_MAX_RANK]; // elements
} tk_tensor;

// A CUDA stream, without needing CUDA's headers: cudaStream_t is this very type.
typedef struct CUstream_st *tk_stream;

// Does the work of each kernel's first call on the current device: loads all kernels of the program or shared
// object that this function is linked into. Never needed, also not before a stream is captured; it moves the time.
tk_status tk_prepare(void);

#ifdef __cplusplus
}
#endif

#endif // TK_HOST_ABI_H
