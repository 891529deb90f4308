//===- host/launch.h - Launching a kernel ---------------------------------===//
//
// What emitted code includes of this folder; the emulator puts its own in front
// of it. A persistent launch uses as many blocks as the device has
// multiprocessors, or fewer if there are fewer tiles; another one has a block for
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
#include <host/tensor_map.h>

#include <utility>
#include <vector>

namespace tk {
namespace host {

struct launch_shape {
  int64_t tiles = 0;    // of the grid
  int threads = 0;      // of a block
  int shared_bytes = 0; // of a block
  int cluster = 1;      // blocks of one; the grid is a multiple of it
  bool persistent = true;
  bool overlaps = true; // programmatic dependent launch
};

// Lets a kernel use this much dynamic shared memory: needed above 48 KB, once per device.
inline cudaError_t allow_shared_bytes(const void *kernel, int device, int bytes) {
  static std::mutex lock;
  static std::vector<std::pair<const void *, int>> allowed;

  const std::lock_guard<std::mutex> guard(lock);
  for (const std::pair<const void *, int> &entry : allowed)
    if (entry.first == kernel && entry.second == device)
      return cudaSuccess;
  const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (error == cudaSuccess)
    allowed.emplace_back(kernel, device);
  return error;
}

// `name` is for messages. `values` are the kernel's arguments.
template <typename... parameters, typename... given>
tk_status launch(const char *name, void (*kernel)(parameters...), const launch_shape &shape, tk_stream stream,
                 const given &...values) {
  device_facts device;
  const tk_status status = current_device(name, device);
  if (status.code != TK_OK)
    return status;
  if (shape.tiles <= 0)
    return ok_status();
  if (shape.tiles > INT32_MAX)
    return make_status(TK_INVALID_ARGUMENT, name, "the grid has %lld tiles when at most %d can be numbered",
                       (long long)shape.tiles, INT32_MAX);
  if (shape.shared_bytes > device.max_shared_bytes)
    return make_status(TK_UNSUPPORTED_DEVICE, name, "a block needs %d bytes of shared memory when the device has %d",
                       shape.shared_bytes, device.max_shared_bytes);

  cudaError_t error = allow_shared_bytes(reinterpret_cast<const void *>(kernel), device.ordinal, shape.shared_bytes);
  if (error != cudaSuccess)
    return make_status(TK_LAUNCH_FAILED, name, "the CUDA runtime refused %d bytes of shared memory: %s",
                       shape.shared_bytes, cudaGetErrorString(error));

  cudaLaunchAttribute attributes[2];
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = shape.overlaps;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim.x = unsigned(shape.cluster);
  attributes[1].val.clusterDim.y = attributes[1].val.clusterDim.z = 1;

  cudaLaunchConfig_t config = {};
  config.gridDim =
      dim3(unsigned(grid_blocks(shape.tiles, shape.persistent ? device.multiprocessors : INT32_MAX, shape.cluster)));
  config.blockDim = dim3(unsigned(shape.threads));
  config.dynamicSmemBytes = size_t(shape.shared_bytes);
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = shape.cluster > 1 ? 2 : 1;
  error = cudaLaunchKernelEx(&config, kernel, values...);
  if (error != cudaSuccess)
    return make_status(TK_LAUNCH_FAILED, name, "the CUDA runtime refused the launch: %s", cudaGetErrorString(error));
  return ok_status();
}

} // namespace host
} // namespace tk

#endif // TK_HOST_LAUNCH_H
