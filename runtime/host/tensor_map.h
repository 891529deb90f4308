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
#include <host/map_dimensions.h>
#include <host/output_map.h>
#include <tile/layout.h>

namespace tk {
namespace [[gnu::visibility("hidden")]] host {

class tensor_maps {
public:
  explicit tensor_maps(const char *kernel) : kernel(kernel), result(current_device(kernel, device)) {}

  // The map of `tensor` for boxes of this shape, see dimensions_of.
  template <int box_rank> CUtensorMap tile(const tk_tensor *tensor, const int (&box)[box_rank], swizzle mode) {
    return encode(tensor, dimensions_of(tensor, box), mode);
  }
  // The same for parts of the tensor's rows.
  template <int box_rank> CUtensorMap part_tile(const tk_tensor *tensor, const int (&box)[box_rank], swizzle mode) {
    return encode(tensor, dimensions_of_parts(tensor, box), mode);
  }

  // The same for a tensor that the kernel writes.
  template <int box_rank> output_map output(const tk_tensor *tensor, const int (&box)[box_rank], swizzle mode) {
    return make_output_map(tensor, [&](const tk_tensor *whole) { return tile(whole, box, mode); });
  }
  template <int box_rank> output_map part_output(const tk_tensor *tensor, const int (&box)[box_rank], swizzle mode) {
    return make_output_map(tensor, [&](const tk_tensor *whole) { return part_tile(whole, box, mode); });
  }

  bool ok() const { return result.code == TK_OK; }
  tk_status status() const { return result; }

private:
  const char *kernel;
  device_facts device;
  tk_status result;

  CUtensorMap encode(const tk_tensor *tensor, const map_dimensions &dimensions, swizzle mode) {
    CUtensorMap map;
    memset(&map, 0, sizeof(map));
    if (!ok())
      return map;
    cuuint64_t extents[5] = {}, strides[5] = {};
    cuuint32_t box[5] = {}, steps[5] = {};
    for (int i = 0; i < dimensions.rank; ++i) {
      extents[i] = cuuint64_t(dimensions.extents[i]);
      strides[i] = cuuint64_t(dimensions.strides[i]);
      box[i] = cuuint32_t(dimensions.box[i]);
      steps[i] = 1;
    }
    // The driver has no stride for the fastest dimension. L2 fetches the lines that are asked for, no pairs of them:
    // what mostly moves memory is about 1 % faster so, and up to 5 % (measured on an H200, docs/performance.md).
    const CUresult encoded = device.encode_tiled(
        &map, map_type(tensor->dtype), cuuint32_t(dimensions.rank), tensor->data, extents, strides + 1, box, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, map_swizzle(mode), CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE); // outside the tensor: zeros
    if (encoded != CUDA_SUCCESS)
      result = make_status(TK_LAUNCH_FAILED, kernel,
                           "the driver refused a tensor map (error %d) of extents %lld x %lld with boxes of %d x %d",
                           int(encoded), dimensions.rank > 1 ? (long long)extents[1] : 1LL, (long long)extents[0],
                           dimensions.rank > 1 ? int(box[1]) : 1, int(box[0]));
    return map;
  }

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
