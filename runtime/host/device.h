//===- host/device.h - What the launcher asks the CUDA runtime once -------===//
//
// Questions with answers that never change are asked once per device and kept:
// its compute capability, how many multiprocessors it has, and the driver's
// function that encodes tensor maps. That function is found through the runtime
// at run time, so programs need not link the driver library.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_DEVICE_H
#define TK_HOST_DEVICE_H

#include <host/arguments.h>

#include <cuda.h>
#include <cuda_runtime.h>

#include <mutex>

namespace tk {
namespace host {

using encode_tiled_function = decltype(&cuTensorMapEncodeTiled);

struct device_facts {
  int ordinal;
  int multiprocessors;
  int max_shared_bytes; // of one block, after opting in
  encode_tiled_function encode_tiled;
};

// The facts of the current device, or the status that says why no kernel can run on it.
inline tk_status current_device(const char *kernel, device_facts &facts) {
  constexpr int max_devices = 64;
  static std::mutex lock;
  static device_facts known[max_devices];
  static bool is_known[max_devices];

  int ordinal = 0;
  cudaError_t error = cudaGetDevice(&ordinal);
  if (error != cudaSuccess)
    return make_status(TK_UNSUPPORTED_DEVICE, kernel, "no CUDA device can be used: %s", cudaGetErrorString(error));
  if (ordinal >= max_devices)
    return make_status(TK_UNSUPPORTED_DEVICE, kernel, "device %d is beyond the %d devices this launcher knows", ordinal,
                       max_devices);
  const std::lock_guard<std::mutex> guard(lock);
  if (is_known[ordinal]) {
    facts = known[ordinal];
    return ok_status();
  }

  facts.ordinal = ordinal;
  int major = 0, minor = 0;
  error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&facts.multiprocessors, cudaDevAttrMultiProcessorCount, ordinal);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&facts.max_shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal);
  if (error != cudaSuccess)
    return make_status(TK_UNSUPPORTED_DEVICE, kernel, "device %d does not answer: %s", ordinal,
                       cudaGetErrorString(error));
  if (major != 9 || minor != 0)
    return make_status(TK_UNSUPPORTED_DEVICE, kernel,
                       "device %d has compute capability %d.%d when the kernel is built for 9.0 (Hopper)", ordinal,
                       major, minor);

  void *function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  error = cudaFree(nullptr); // makes the device's context, without which no tensor map can be encoded
  if (error == cudaSuccess)
    error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
  if (error != cudaSuccess || found != cudaDriverEntryPointSuccess)
    return make_status(TK_UNSUPPORTED_DEVICE, kernel,
                       "the driver has no cuTensorMapEncodeTiled (%s); install one for CUDA 12.0 or later",
                       cudaGetErrorString(error));
  facts.encode_tiled = reinterpret_cast<encode_tiled_function>(function);
  known[ordinal] = facts;
  is_known[ordinal] = true;
  return ok_status();
}

// How many multiprocessors the current device has, or the status that says why no kernel can run on it.
inline tk_status count_multiprocessors(const char *kernel, int &count) {
  device_facts facts;
  const tk_status status = current_device(kernel, facts);
  if (status.code == TK_OK)
    count = facts.multiprocessors;
  return status;
}

} // namespace host
} // namespace tk

#endif // TK_HOST_DEVICE_H
