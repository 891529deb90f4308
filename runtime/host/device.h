//===- host/device.h - The launcher's queries of the CUDA runtime ---------===//
//
// Questions with answers that never change are asked once per context and kept:
// the device's compute capability, how many SMs it has, and the
// driver's functions that the runtime has no call for. Those are found through the
// runtime at run time, so programs need not link the driver library.
//
// A context is known by its number, which is never used again, unlike its handle:
// settings of a context are gone with it (cudaDeviceReset).
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_DEVICE_H
#define TK_HOST_DEVICE_H

#include <host/arguments.h>

#include <cuda.h>
#include <cuda_runtime.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace tk {
namespace [[gnu::visibility("hidden")]] host {

using encode_tiled_function = decltype(&cuTensorMapEncodeTiled);
using context_number_function = decltype(&cuCtxGetId);

struct device_facts {
  unsigned long long context; // its number
  int num_sms;
  int max_shared_bytes; // of one block, after opting in
  encode_tiled_function encode_tiled;
};

// While one of these lives, this thread may do what a stream capture in global mode forbids all threads, and one of
// another mode its own: make a context, load a module. Neither is work of any stream, so no graph misses it.
class beside_captures {
public:
  beside_captures() { cudaThreadExchangeStreamCaptureMode(&mode); }
  ~beside_captures() { cudaThreadExchangeStreamCaptureMode(&mode); }
  beside_captures(const beside_captures &) = delete;
  beside_captures &operator=(const beside_captures &) = delete;

private:
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed; // while it lives, the thread's mode before
};

// A function of the driver, as of CUDA 12.0; null if it has none of this name.
inline void *driver_function(const char *name) {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
  return error == cudaSuccess && found == cudaDriverEntryPointSuccess ? function : nullptr;
}

// Asks; the current context is made if there is none.
inline tk_status ask_device(const char *kernel, device_facts &facts, context_number_function &context_number) {
  const beside_captures guard;
  int ordinal = 0, major = 0, minor = 0;
  cudaError_t error = cudaGetDevice(&ordinal);
  if (error != cudaSuccess)
    return make_status(TK_UNSUPPORTED_DEVICE, kernel, "no CUDA device can be used: %s", cudaGetErrorString(error));
  error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&facts.num_sms, cudaDevAttrMultiProcessorCount, ordinal);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&facts.max_shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal);
  if (error != cudaSuccess)
    return make_status(TK_UNSUPPORTED_DEVICE, kernel, "device %d does not answer: %s", ordinal,
                       cudaGetErrorString(error));
  if (major != 9 || minor != 0)
    return make_status(TK_UNSUPPORTED_DEVICE, kernel,
                       "device %d has compute capability %d.%d when the kernel is built for 9.0 (Hopper)", ordinal,
                       major, minor);

  error = cudaFree(nullptr); // without a context no tensor map can be encoded
  if (error != cudaSuccess)
    return make_status(TK_UNSUPPORTED_DEVICE, kernel, "device %d has no context and gets none: %s", ordinal,
                       cudaGetErrorString(error));
  context_number = reinterpret_cast<context_number_function>(driver_function("cuCtxGetId"));
  facts.encode_tiled = reinterpret_cast<encode_tiled_function>(driver_function("cuTensorMapEncodeTiled"));
  if (!context_number || !facts.encode_tiled)
    return make_status(TK_UNSUPPORTED_DEVICE, kernel, "the driver has no %s; install one for CUDA 12.0 or later",
                       context_number ? "cuTensorMapEncodeTiled" : "cuCtxGetId");
  if (const CUresult asked = context_number(nullptr, &facts.context))
    return make_status(TK_UNSUPPORTED_DEVICE, kernel, "device %d has no current context (error %d)", ordinal,
                       int(asked));
  return ok_status();
}

// The facts of the current device, or the status that says why no kernel can run on it.
inline tk_status current_device(const char *kernel, device_facts &facts) {
  static std::mutex lock;
  static std::vector<device_facts> known; // one for each context
  static std::atomic<context_number_function> context_number{nullptr};

  unsigned long long context = 0;
  const context_number_function ask = context_number.load(std::memory_order_acquire);
  if (ask && ask(nullptr, &context) == CUDA_SUCCESS) {
    const std::lock_guard<std::mutex> guard(lock);
    for (const device_facts &each : known)
      if (each.context == context) {
        facts = each;
        return ok_status();
      }
  }

  context_number_function found = nullptr;
  const tk_status status = ask_device(kernel, facts, found);
  if (status.code == TK_OK) {
    const std::lock_guard<std::mutex> guard(lock);
    bool is_known = false; // another thread has asked: this one had no current context
    for (const device_facts &each : known)
      is_known |= each.context == facts.context;
    if (!is_known)
      known.push_back(facts);
    context_number.store(found, std::memory_order_release);
  }
  return status;
}

// How many SMs the current device has, or the status that says why no kernel can run on it.
inline tk_status count_sms(const char *kernel, int &count) {
  device_facts facts;
  const tk_status status = current_device(kernel, facts);
  if (status.code == TK_OK)
    count = facts.num_sms;
  return status;
}

} // namespace host
} // namespace tk

#endif // TK_HOST_DEVICE_H
