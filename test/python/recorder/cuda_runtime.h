//===- cuda_runtime.h - The CUDA runtime of emitted launchers, recording --===//
#ifndef TK_TEST_CUDA_RUNTIME_H
#define TK_TEST_CUDA_RUNTIME_H

#include "record.h"
#include <cuda.h>

#include <dlfcn.h>

typedef struct CUstream_st *cudaStream_t;
enum cudaError_t { cudaSuccess, cudaErrorUnknown = 999 };
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess,
  cudaDriverEntryPointSymbolNotFound
};
enum { cudaEnableDefault };
enum cudaStreamCaptureMode { cudaStreamCaptureModeRelaxed = 2 };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
enum { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum {
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6
};
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(2))

struct cudaFuncAttributes {};
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
struct cudaLaunchAttribute {
  int id;
  union {
    int programmaticStreamSerializationAllowed;
    struct {
      unsigned x, y, z;
    } clusterDim;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned numAttrs;
};

extern "C" __attribute__((visibility("default"), used, weak)) record::launch tk_test_record = {};

inline CUresult cuCtxGetId(CUcontext, unsigned long long *id) {
  *id = 1;
  return 0;
}
inline CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                       void *data, const cuuint64_t *extents,
                                       const cuuint64_t *strides, const cuuint32_t *box,
                                       const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                       CUtensorMapFloatOOBfill fill) {
  record::encode(map, type, rank, data, extents, strides, box, steps, interleave, swizzle,
                 promotion, fill);
  return 0;
}
inline cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned,
                                                    int, cudaDriverEntryPointQueryResult *found) {
  *found = cudaDriverEntryPointSuccess;
  *function = strcmp(name, "cuCtxGetId") == 0 ? reinterpret_cast<void *>(cuCtxGetId)
                                              : reinterpret_cast<void *>(cuTensorMapEncodeTiled);
  return cudaSuccess;
}
inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *) {
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrMultiProcessorCount            ? record::num_sms
           : attribute == cudaDevAttrComputeCapabilityMajor       ? 9
           : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 232448
                                                                  : 0;
  return cudaSuccess;
}
inline cudaError_t cudaFree(void *) { return cudaSuccess; }
inline const char *cudaGetErrorString(cudaError_t) { return "an error"; }
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, const void *) { return cudaSuccess; }
inline cudaError_t cudaFuncSetAttribute(const void *, int, int) { return cudaSuccess; }
inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  *status =
      record::is_captured(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
inline cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  *id = reinterpret_cast<uintptr_t>(stream) >> 4;
  return cudaSuccess;
}
template <typename T> cudaError_t cudaGetSymbolAddress(void **address, const T &) {
  *address = reinterpret_cast<void *>(record::counters);
  return cudaSuccess;
}

template <typename T> void tk_test_put(record::launch &to, const T &value, size_t &end) {
  to.sizes[to.argument_count++] = sizeof(T);
  memcpy(to.arguments + end, &value, sizeof(T));
  end += sizeof(T);
}

template <typename... parameters, typename... given>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(parameters...),
                               const given &...values) {
  record::launch &to = tk_test_record;
  const uint64_t count = to.count + 1;
  memset(&to, 0, sizeof(to));
  to.count = count;
  const dim3 *shapes[] = {&config->gridDim, &config->blockDim};
  for (int i = 0; i < 2; ++i) {
    uint32_t *shape = i ? to.block : to.grid;
    shape[0] = shapes[i]->x, shape[1] = shapes[i]->y, shape[2] = shapes[i]->z;
  }
  to.shared_bytes = uint32_t(config->dynamicSmemBytes);
  to.stream = reinterpret_cast<uintptr_t>(config->stream);
  to.attribute_count = config->numAttrs;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    to.attributes[i].id = uint32_t(config->attrs[i].id);
    to.attributes[i].x =
        config->attrs[i].val.clusterDim.x; // of the other attribute, its only number
  }
  Dl_info symbol = {};
  dladdr(reinterpret_cast<void *>(kernel), &symbol);
  strncpy(to.kernel, symbol.dli_sname ? symbol.dli_sname : "", sizeof(to.kernel) - 1);
  size_t end = 0;
  (tk_test_put<parameters>(to, values, end), ...);
  return cudaSuccess;
}

#endif // TK_TEST_CUDA_RUNTIME_H
