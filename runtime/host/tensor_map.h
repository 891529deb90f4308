//===- host/tensor_map.h - Tensor maps: what TMA knows of a tensor --------===//
//
// A tensor map is 128 bytes that the driver encodes: where the tensor lies, its
// extents and strides, the box that one copy moves and the swizzle in which the
// box lies in shared memory. Kernels take it as a parameter.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_TENSOR_MAP_H
#define TK_HOST_TENSOR_MAP_H

#include <host/device.h>
#include <host/output_map.h>
#include <tile/layout.h>

namespace tk {
namespace host {

class tensor_maps {
public:
  explicit tensor_maps(const char *kernel) : kernel(kernel), result(current_device(kernel, device)) {}

  // The map of `tensor`, which host::arguments has accepted, for boxes of this shape, slowest dimension first; the
  // dimensions in front that `box` does not list are copied one index at a time.
  template <int box_rank> CUtensorMap tile(const tk_tensor *tensor, const int (&box)[box_rank], swizzle mode) {
    CUtensorMap map;
    memset(&map, 0, sizeof(map));
    if (!ok())
      return map;

    // The driver lists the fastest dimension first, and has no stride for it.
    const int rank = tensor->rank;
    const int64_t size = dtype_bytes(tensor->dtype);
    cuuint64_t extents[4] = {}, strides[4] = {};
    cuuint32_t box_extents[4] = {}, steps[4] = {};
    for (int i = 0; i < rank; ++i) {
      const int dimension = rank - 1 - i;
      extents[i] = cuuint64_t(tensor->extents[dimension]);
      box_extents[i] = i < box_rank ? cuuint32_t(box[box_rank - 1 - i]) : 1;
      steps[i] = 1;
      // With extent 1 the stride is never used but must be legal.
      strides[i] = tensor->extents[dimension] == 1 ? 16 : cuuint64_t(tensor->strides[dimension] * size);
    }
    const CUresult encoded = device.encode_tiled(&map, map_type(tensor->dtype), cuuint32_t(rank), tensor->data, extents,
                                                 strides + 1, box_extents, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                                 map_swizzle(mode), CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE); // outside the tensor: zeros
    if (encoded != CUDA_SUCCESS)
      result = make_status(TK_LAUNCH_FAILED, kernel,
                           "the driver refused a tensor map (error %d) of extents %lld x %lld with boxes of %d x %d",
                           int(encoded), rank > 1 ? (long long)extents[1] : 1LL, (long long)extents[0],
                           rank > 1 ? int(box_extents[1]) : 1, int(box_extents[0]));
    return map;
  }

  // The same for a tensor that the kernel writes.
  template <int box_rank> output_map output(const tk_tensor *tensor, const int (&box)[box_rank], swizzle mode) {
    return make_output_map(*this, tensor, box, mode);
  }

  bool ok() const { return result.code == TK_OK; }
  tk_status status() const { return result; }

private:
  const char *kernel;
  device_facts device;
  tk_status result;

  static CUtensorMapDataType map_type(int32_t dtype) {
    return dtype == TK_BF16  ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
           : dtype == TK_F16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
           : dtype == TK_F32 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
           : dtype == TK_I32 ? CU_TENSOR_MAP_DATA_TYPE_INT32
                             : CU_TENSOR_MAP_DATA_TYPE_UINT8; // eight bits are eight bits to TMA
  }

  static CUtensorMapSwizzle map_swizzle(swizzle mode) {
    return mode == swizzle_128  ? CU_TENSOR_MAP_SWIZZLE_128B
           : mode == swizzle_64 ? CU_TENSOR_MAP_SWIZZLE_64B
           : mode == swizzle_32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                : CU_TENSOR_MAP_SWIZZLE_NONE;
  }
};

} // namespace host
} // namespace tk

#endif // TK_HOST_TENSOR_MAP_H
