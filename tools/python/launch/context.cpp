//===- context.cpp - What a launch asks of a CUDA context -----------------===//
//
// What is asked of a context is asked once and kept under the context's number,
// which is never used again. Callers hold a lock (the interpreter's).
//
//===----------------------------------------------------------------------===//
#include "context.h"

#include <host/grid_blocks.h>
#include <stdlib.h>

using namespace tk;
using namespace launch;

driver_functions launch::driver;
bool launch::has_driver = false;

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

// Kept to the end of the process.
static CUcontext primary(int device) {
  constexpr int most = 64;
  static CUcontext known[most];
  if (device < 0 || device >= most)
    return nullptr;
  if (!known[device])
    driver.cuDevicePrimaryCtxRetain(&known[device], device);
  return known[device];
}

// Facts of the current context, which is that of `device`.
static tk_status ask_context(const char *name, int device, context_facts &facts) {
  static context_facts known[64];
  static int count = 0;
  unsigned long long number = 0;
  if (const CUresult error = driver.cuCtxGetId(nullptr, &number))
    return host::make_status(TK_UNSUPPORTED_DEVICE, name, "device %d has no current context: %s",
                             device, describe(error));
  for (int i = 0; i < count; ++i)
    if (known[i].number == number) {
      facts = known[i];
      return host::ok_status();
    }
  int major = 0, minor = 0;
  facts = {number, device, 0, 0};
  CUresult error = driver.cuDeviceGetAttribute(&major, number::compute_major, device);
  error = error ? error : driver.cuDeviceGetAttribute(&minor, number::compute_minor, device);
  error = error ? error : driver.cuDeviceGetAttribute(&facts.num_sms, number::sm_count, device);
  error = error
              ? error
              : driver.cuDeviceGetAttribute(&facts.max_shared_bytes, number::shared_optin, device);
  if (error)
    return host::make_status(TK_UNSUPPORTED_DEVICE, name, "device %d does not answer: %s", device,
                             describe(error));
  if (major != 9 || minor != 0)
    return host::make_status(
        TK_UNSUPPORTED_DEVICE, name,
        "device %d has compute capability %d.%d when the kernel is built for 9.0 (Hopper)", device,
        major, minor);
  known[count++ % 64] = facts;
  count = count > 64 ? 64 : count;
  return host::ok_status();
}

current_context::current_context(const char *name, int device) : result(host::ok_status()) {
  CUdevice current = -1;
  if (driver.cuCtxGetDevice(&current) != 0 || current != device) {
    CUcontext context = primary(device);
    pushed = context && driver.cuCtxPushCurrent_v2(context) == 0;
    if (!pushed) {
      result = host::make_status(TK_UNSUPPORTED_DEVICE, name,
                                 "device %d has no context and gets none", device);
      return;
    }
  }
  result = ask_context(name, device, facts);
}

current_context::~current_context() {
  CUcontext before;
  if (pushed)
    driver.cuCtxPopCurrent_v2(&before);
}

namespace {
// While one of these lives, this thread may load a module although a stream is captured
// (host/device.h).
class beside_captures {
public:
  beside_captures() { driver.cuThreadExchangeStreamCaptureMode(&mode); }
  ~beside_captures() { driver.cuThreadExchangeStreamCaptureMode(&mode); }
  beside_captures(const beside_captures &) = delete;
  beside_captures &operator=(const beside_captures &) = delete;

private:
  int mode = number::capture_relaxed;
};
} // namespace

const char *launch::describe(CUresult error) {
  const char *text = nullptr;
  driver.cuGetErrorString(error, &text);
  return text ? text : "an error without a name";
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

tk_status launch::load(kernel &of, const context_facts &context, loaded_kernel &found) {
  for (int i = 0; i < of.loaded_count; ++i)
    if (of.loaded[i].context == context.number) {
      found = of.loaded[i];
      return host::ok_status();
    }
  if (of.shared_bytes > context.max_shared_bytes)
    return host::make_status(TK_UNSUPPORTED_DEVICE, of.name,
                             "a block needs %d bytes of shared memory when the device has %d",
                             of.shared_bytes, context.max_shared_bytes);
  if (!of.cubin)
    return host::make_status(TK_LAUNCH_FAILED, of.name, "it has no machine code");
  const beside_captures loads;
  CUmodule module = nullptr;
  found = {context.number, nullptr, nullptr};
  CUresult error = driver.cuModuleLoadData(&module, of.cubin);
  error = error ? error : driver.cuModuleGetFunction(&found.function, module, of.symbol);
  if (!error)
    error = driver.cuFuncSetAttribute(
        found.function, number::most_dynamic_shared,
        host::most_shared_bytes(of.shared_bytes, context.max_shared_bytes));
  if (!error && of.is_dynamic) {
    unsigned long long words = 0;
    size_t bytes = 0;
    error = driver.cuModuleGetGlobal_v2(&words, &bytes, module, "tkc_tile_counters");
    found.counters = reinterpret_cast<uint32_t *>(words);
  }
  if (error)
    return host::make_status(
        TK_LAUNCH_FAILED, of.name,
        "the driver cannot load the kernel: %s (is it older than the NVRTC that compiled it?)",
        describe(error));
  void *more = realloc(of.loaded, size_t(of.loaded_count + 1) * sizeof(loaded_kernel));
  if (!more)
    return host::make_status(TK_LAUNCH_FAILED, of.name, "there is no memory left");
  of.loaded = static_cast<loaded_kernel *>(more);
  of.loaded[of.loaded_count++] = found;
  return host::ok_status();
}
