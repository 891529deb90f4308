//===- driver.h - The functions of the CUDA driver that a launch calls ----===//
//
// The module links nothing of CUDA: whoever imports it hands over the addresses
// of these functions, found in libcuda or, in tests, in a driver that records.
// The declarations are those of the driver's ABI.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_LAUNCH_DRIVER_H
#define TKC_LAUNCH_DRIVER_H

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

namespace launch {

using CUresult = int;
using CUdevice = int;
using CUcontext = void *;
using CUmodule = void *;
using CUfunction = void *;
using CUstream = void *;

struct CUlaunchAttribute {
  int id;
  char pad[4];
  union {
    char size[64];
    struct {
      unsigned x, y, z;
    } cluster;
    int overlaps;
  } value;
};
static_assert(sizeof(CUlaunchAttribute) == 72, "as the driver declares it");

// The driver's numbers; test/python/driver-numbers.test compares them with NVIDIA's header.
namespace number {
constexpr int launch_cluster = 4, launch_overlaps = 6;
constexpr int sm_count = 16, compute_major = 75, compute_minor = 76, shared_optin = 97;
constexpr int most_dynamic_shared = 8;
constexpr int capture_relaxed = 2;
constexpr int map_u8 = 0, map_i32 = 3, map_f16 = 6, map_f32 = 7, map_bf16 = 9;
constexpr int no_swizzle = 0, swizzle_32 = 1, swizzle_64 = 2, swizzle_128 = 3;
constexpr int no_interleave = 0, promotion_128 = 2, zeros_outside = 0;
} // namespace number

struct CUlaunchConfig {
  unsigned grid[3], block[3], shared_bytes;
  CUstream stream;
  CUlaunchAttribute *attributes;
  unsigned attribute_count;
};

// name, parameters
#define TKC_DRIVER_FUNCTIONS(DO)                                                                   \
  DO(cuCtxGetId, (CUcontext, unsigned long long *))                                                \
  DO(cuCtxGetDevice, (CUdevice *))                                                                 \
  DO(cuCtxPushCurrent_v2, (CUcontext))                                                             \
  DO(cuCtxPopCurrent_v2, (CUcontext *))                                                            \
  DO(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                            \
  DO(cuDeviceGetAttribute, (int *, int, CUdevice))                                                 \
  DO(cuModuleLoadData, (CUmodule *, const void *))                                                 \
  DO(cuModuleGetFunction, (CUfunction *, CUmodule, const char *))                                  \
  DO(cuModuleGetGlobal_v2, (unsigned long long *, size_t *, CUmodule, const char *))               \
  DO(cuFuncSetAttribute, (CUfunction, int, int))                                                   \
  DO(cuTensorMapEncodeTiled,                                                                       \
     (CUtensorMap *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *,  \
      const uint32_t *, int, int, int, int))                                                       \
  DO(cuLaunchKernelEx, (const CUlaunchConfig *, CUfunction, void **, void **))                     \
  DO(cuMemsetD32Async, (unsigned long long, unsigned, size_t, CUstream))                           \
  DO(cuStreamIsCapturing, (CUstream, int *))                                                       \
  DO(cuStreamGetId, (CUstream, unsigned long long *))                                              \
  DO(cuThreadExchangeStreamCaptureMode, (int *))                                                   \
  DO(cuGetErrorString, (CUresult, const char **))

struct driver_functions {
#define TKC_DECLARE(name, parameters) CUresult(*name) parameters = nullptr;
  TKC_DRIVER_FUNCTIONS(TKC_DECLARE)
#undef TKC_DECLARE
};

extern driver_functions driver;
extern bool has_driver;

} // namespace launch

#endif // TKC_LAUNCH_DRIVER_H
