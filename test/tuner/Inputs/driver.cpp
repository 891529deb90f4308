//===- driver.cpp - A CUDA driver for tests of the tuner ------------------===//
//
// It computes nothing, but keeps time: what a bundle has in the place of a kernel's
// machine code is text, which says how the kernel behaves.
//
//   ms 0.25     a launch takes so long; the output is what it should be
//   wrong       the output is something else
//   hang        a launch does not end
//   die         the process ends
//
// Kernels are those of gemm.tk, whose third parameter is C; tensors are in the host's memory.
//
//===----------------------------------------------------------------------===//
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace {
struct function {
  char name[64];
  double ms;
  bool is_wrong, hangs, dies;
};

// As tkc/tuner/helpers.cu has it.
struct result {
  double squares;
  uint64_t finite, wrong, first;
  float worst, largest;
};

double now, recorded[2];

float decoded(uint16_t bits) {
  const uint32_t wide = uint32_t(bits) << 16;
  float value;
  memcpy(&value, &wide, sizeof(value));
  return value;
}

void fill_output(const char *map, bool is_wrong) {
  uint16_t *data;
  int32_t extents[2];
  memcpy(&data, map + 128, sizeof(data));
  memcpy(extents, map + 136, sizeof(extents));
  const int64_t stride = (extents[1] + 7) / 8 * 8;
  for (int64_t row = 0; row < extents[0]; ++row)
    for (int64_t col = 0; col < extents[1]; ++col)
      data[row * stride + col] = is_wrong && row == 3 ? 0x4000 : 0x3f80; // 2 or 1
}

template <typename T> T at(void **arguments, int i) {
  T value;
  memcpy(&value, arguments[i], sizeof(value));
  return value;
}

void help(const char *name, void **arguments) {
  if (!strcmp(name, "tkc_fill"))
    return;
  const bool compares = !strcmp(name, "tkc_compare");
  const int first = compares ? 1 : 0;
  auto *got = at<uint16_t *>(arguments, 0), *wanted = at<uint16_t *>(arguments, first);
  const uint64_t rows = at<uint64_t>(arguments, first + 1),
                 cols = at<uint64_t>(arguments, first + 2),
                 stride = at<uint64_t>(arguments, first + 3);
  auto *out = at<result *>(arguments, compares ? 8 : 5);
  for (uint64_t i = 0; i < rows * cols; ++i) {
    const float a = decoded(got[i / cols * stride + i % cols]),
                b = decoded(wanted[i / cols * stride + i % cols]);
    if (!compares) {
      out->squares += double(b) * b;
      ++out->finite;
    } else if (!(a - b <= 0.05f && b - a <= 0.05f)) {
      ++out->wrong;
      out->first = i < out->first ? i : out->first;
    }
  }
}
} // namespace

using device_address = uint64_t;

extern "C" {
int cuInit(unsigned) { return 0; }
int cuGetErrorString(int, const char **text) { return *text = "an error", 0; }
int cuDeviceGet(int *device, int) { return *device = 0; }
int cuDeviceGetName(char *name, int size, int) {
  const char *named = getenv("TEST_DEVICE");
  snprintf(name, size, "%s", named ? named : "Test GPU");
  return 0;
}
int cuDeviceGetAttribute(int *value, int which, int) {
  *value = which == 16 ? 132 : which == 75 ? 9 : which == 38 ? 1 << 20 : 0;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int) { return *context = &now, 0; }
int cuCtxSetCurrent(void *) { return 0; }
int cuMemAlloc_v2(device_address *address, size_t size) {
  *address = device_address(aligned_alloc(256, (size + 255) / 256 * 256));
  return 0;
}
int cuMemFree_v2(device_address address) { return free(reinterpret_cast<void *>(address)), 0; }
int cuMemsetD8Async(device_address to, unsigned char value, size_t size, void *) {
  return memset(reinterpret_cast<void *>(to), value, size), 0;
}
int cuMemcpyDtoH_v2(void *to, device_address from, size_t size) {
  return memcpy(to, reinterpret_cast<void *>(from), size), 0;
}
int cuMemcpyDtoD_v2(device_address to, device_address from, size_t size) {
  return memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), size), 0;
}
int cuMemGetInfo_v2(size_t *left, size_t *total) { return *left = *total = size_t(1) << 28, 0; }
int cuModuleLoadData(void **module, const char *code) { return *module = strdup(code), 0; }
int cuModuleGetFunction(void **found, void *module, const char *name) {
  auto *made = static_cast<function *>(calloc(1, sizeof(function)));
  const char *text = static_cast<const char *>(module);
  snprintf(made->name, sizeof(made->name), "%s", name);
  made->ms = 0.01;
  sscanf(text, "ms %lf", &made->ms);
  made->is_wrong = !strncmp(text, "wrong", 5);
  made->hangs = !strncmp(text, "hang", 4);
  made->dies = !strncmp(text, "die", 3);
  return *found = made, 0;
}
int cuModuleGetGlobal_v2(device_address *address, size_t *size, void *, const char *) {
  *address = device_address(&now);
  return *size = 16, 0;
}
int cuFuncSetAttribute(void *, int, int) { return 0; }
int cuStreamCreate(void **stream, unsigned) { return *stream = &now, 0; }
int cuStreamSynchronize(void *) { return 0; }
int cuStreamWaitValue32_v2(void *, device_address, uint32_t, unsigned) { return 0; }
int cuEventCreate(void **event, unsigned) {
  static int made;
  return *event = &recorded[made++], 0;
}
int cuEventRecord(void *event, void *) { return *static_cast<double *>(event) = now, 0; }
int cuEventElapsedTime(float *ms, void *from, void *to) {
  *ms = float(*static_cast<double *>(to) - *static_cast<double *>(from));
  return 0;
}
int cuMemHostAlloc(void **memory, size_t size, unsigned) { return *memory = calloc(1, size), 0; }
int cuMemHostGetDevicePointer_v2(device_address *address, void *memory, unsigned) {
  return *address = device_address(memory), 0;
}
int cuTensorMapEncodeTiled(void *map, int, uint32_t, void *, const void *, const void *,
                           const void *, const void *, int, int, int, int) {
  return uintptr_t(map) % 64 ? 1 : (memset(map, 0, 128), 0); // the driver wants this alignment
}
int cuLaunchKernelEx(const void *, function *called, void **arguments, void **) {
  if (!strncmp(called->name, "tkc_", 4))
    return help(called->name, arguments), 0;
  if (called->dies)
    _exit(7);
  while (called->hangs)
    pause();
  now += called->ms;
  fill_output(static_cast<const char *>(arguments[2]), called->is_wrong);
  return 0;
}
}
