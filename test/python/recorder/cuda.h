//===- cuda.h - The driver's words that emitted launchers use -------------===//
//
// Kernels are compiled as for the emulator, launchers as for a GPU.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TEST_CUDA_H
#define TK_TEST_CUDA_H

#include <emulator/cuda.h>

// Launchers have members of these names, so they are no macros here.
#undef gridDim
#undef blockDim
extern struct tk_test_extent {
  unsigned x, y, z;
} gridDim, blockDim;

typedef int CUresult;
typedef void *CUcontext;
typedef uint64_t cuuint64_t;
typedef uint32_t cuuint32_t;
enum CUtensorMapDataType {
  CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
  CU_TENSOR_MAP_DATA_TYPE_INT32 = 3,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7,
  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9
};
enum CUtensorMapSwizzle {
  CU_TENSOR_MAP_SWIZZLE_NONE,
  CU_TENSOR_MAP_SWIZZLE_32B,
  CU_TENSOR_MAP_SWIZZLE_64B,
  CU_TENSOR_MAP_SWIZZLE_128B
};
enum CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE };
enum CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_L2_128B = 2 };
enum CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE };
constexpr CUresult CUDA_SUCCESS = 0;

CUresult cuCtxGetId(CUcontext, unsigned long long *);
CUresult cuTensorMapEncodeTiled(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

#endif // TK_TEST_CUDA_H
