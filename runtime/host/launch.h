//===- host/launch.h - Launching a kernel ---------------------------------===//
//
// The header of this folder that emitted code includes; the emulator puts its own in front
// of it. A persistent launch uses as many blocks as the device has
// SMs, or fewer if there are fewer tiles; another one has a block for
// each tile. A launch that may overlap allows the kernel to start while the one
// before it in the stream still drains: it waits where its code says
// griddepcontrol_wait.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_LAUNCH_H
#define TK_HOST_LAUNCH_H

#include <host/arguments.h>
#include <host/device.h>
#include <host/grid_blocks.h>
#include <host/registry.h>
#include <host/tensor_map.h>

#include <utility>
#include <vector>

namespace tk {
namespace [[gnu::visibility("hidden")]] host {

struct launch_shape {
  int64_t tiles = 0;    // of the grid
  int threads = 0;      // of a block
  int shared_bytes = 0; // of a block
  int cluster = 1;      // blocks of one; the grid is a multiple of it
  bool persistent = true;
  int blocks_per_sm = 1; // of a persistent launch
  bool overlaps = true;  // programmatic dependent launch
};

// Loads a kernel and lets it use this much dynamic shared memory, which above 48 KB it may not by itself; once in each
// context. Beside captures, since CUDA loads kernels when they are first used.
inline tk_status prepare(const char *name, const void *kernel, int shared_bytes, const device_facts &device) {
  static std::mutex lock;
  static std::vector<std::pair<const void *, unsigned long long>> prepared; // kernel, context

  const std::lock_guard<std::mutex> guard(lock);
  for (const std::pair<const void *, unsigned long long> &entry : prepared)
    if (entry.first == kernel && entry.second == device.context)
      return ok_status();
  if (shared_bytes > device.max_shared_bytes)
    return make_status(TK_UNSUPPORTED_DEVICE, name, "a block needs %d bytes of shared memory when the device has %d",
                       shared_bytes, device.max_shared_bytes);
  const beside_captures loads;
  cudaFuncAttributes attributes;
  cudaError_t error = cudaFuncGetAttributes(&attributes, kernel); // of all calls, the one that is said to load it
  if (error != cudaSuccess)
    return make_status(TK_LAUNCH_FAILED, name, "the CUDA runtime cannot load the kernel: %s",
                       cudaGetErrorString(error));
  error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               most_shared_bytes(shared_bytes, device.max_shared_bytes));
  if (error != cudaSuccess)
    return make_status(TK_LAUNCH_FAILED, name, "the CUDA runtime refused %d bytes of shared memory: %s", shared_bytes,
                       cudaGetErrorString(error));
  prepared.emplace_back(kernel, device.context);
  return ok_status();
}

// `name` is for messages. `values` are the kernel's arguments.
template <typename... parameters, typename... given>
tk_status launch(const char *name, void (*kernel)(parameters...), const launch_shape &shape, tk_stream stream,
                 const given &...values) {
  device_facts device;
  tk_status status = current_device(name, device);
  if (status.code != TK_OK || shape.tiles <= 0)
    return status;
  if (shape.tiles > most_tiles)
    return too_many_tiles(name);
  status = prepare(name, reinterpret_cast<const void *>(kernel), shape.shared_bytes, device);
  if (status.code != TK_OK)
    return status;

  cudaLaunchAttribute attributes[2];
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = shape.overlaps;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim.x = unsigned(shape.cluster);
  attributes[1].val.clusterDim.y = attributes[1].val.clusterDim.z = 1;

  cudaLaunchConfig_t config = {};
  const int64_t blocks = grid_blocks(shape.tiles, shape.persistent, device.num_sms, shape.blocks_per_sm, shape.cluster);
  config.gridDim = dim3(unsigned(blocks));
  config.blockDim = dim3(unsigned(shape.threads));
  config.dynamicSmemBytes = size_t(launch_shared_bytes(shape.shared_bytes, blocks, shape.persistent, device.num_sms,
                                                       shape.blocks_per_sm, shape.cluster, device.max_shared_bytes));
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = shape.cluster > 1 ? 2 : 1;
  const cudaError_t error = cudaLaunchKernelEx(&config, kernel, values...);
  if (error != cudaSuccess)
    return make_status(TK_LAUNCH_FAILED, name, "the CUDA runtime refused the launch: %s", cudaGetErrorString(error));
  return ok_status();
}

} // namespace host
} // namespace tk

// Weak: each .cu file brings one, and any of them goes through the list of all.
extern "C" __attribute__((weak)) tk_status tk_prepare(void) {
  using namespace tk::host;
  return all_kernels().for_each([](const registered_kernel &each) {
    device_facts device;
    const tk_status status = current_device(each.name, device);
    return status.code == TK_OK ? prepare(each.name, each.kernel, each.shared_bytes, device) : status;
  });
}

#endif // TK_HOST_LAUNCH_H
