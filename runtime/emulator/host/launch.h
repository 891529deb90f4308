//===- host/launch.h - Launching an emitted kernel on the emulator --------===//
//
// The emulator's counterpart of the header of the same name. Arguments are
// checked by the same code as on the GPU; a tensor map is filled in rather than
// encoded by a driver, with the driver's limits; a launch runs to its end before
// it returns.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_HOST_LAUNCH_H
#define TK_EMULATOR_HOST_LAUNCH_H

#include <core/interface.h>
#include <cuda.h>
#include <host/arguments.h>
#include <host/grid_blocks.h>
#include <host/map_dimensions.h>
#include <host/output_map.h>
#include <host/registry.h>
#include <tile/layout.h>

#include <tuple>

namespace tk {
namespace host {

class tensor_maps {
public:
  explicit tensor_maps(const char *kernel) : kernel(kernel), result(ok_status()) {}

  // The map of `tensor` for boxes of this shape, see dimensions_of.
  template <int box_rank>
  CUtensorMap tile(const tk_tensor *tensor, const int (&box)[box_rank], swizzle mode) {
    return encode(tensor, dimensions_of(tensor, box), mode);
  }
  // The same for parts of the tensor's rows.
  template <int box_rank>
  CUtensorMap part_tile(const tk_tensor *tensor, const int (&box)[box_rank], swizzle mode) {
    return encode(tensor, dimensions_of_parts(tensor, box), mode);
  }

  // The same for a tensor that the kernel writes.
  template <int box_rank>
  output_map output(const tk_tensor *tensor, const int (&box)[box_rank], swizzle mode) {
    return make_output_map(tensor, [&](const tk_tensor *whole) { return tile(whole, box, mode); });
  }
  template <int box_rank>
  output_map part_output(const tk_tensor *tensor, const int (&box)[box_rank], swizzle mode) {
    return make_output_map(tensor,
                           [&](const tk_tensor *whole) { return part_tile(whole, box, mode); });
  }

  bool ok() const { return result.code == TK_OK; }
  tk_status status() const { return result; }

private:
  const char *kernel;
  tk_status result;

  CUtensorMap encode(const tk_tensor *tensor, const map_dimensions &dimensions, swizzle mode) {
    CUtensorMap map = {};
    if (!ok())
      return map;
    const int64_t size = dtype_bytes(tensor->dtype);
    map.data = tensor->data;
    map.rank = uint8_t(dimensions.rank);
    map.element_bytes = uint8_t(size);
    map.swizzle = uint8_t(mode);
    map.type = uint8_t(tensor->dtype);
    map.magic = emulator::tensor_map_magic;
    for (int i = 0; i < dimensions.rank; ++i) {
      map.extents[i] = dimensions.extents[i];
      map.box[i] = uint16_t(dimensions.box[i]);
      if (i > 0)
        map.strides[i - 1] = dimensions.strides[i];
      if (map.box[i] < 1 || map.box[i] > 256)
        refuse("boxes have 1 to 256 elements in each dimension", map);
    }
    if (map.box[0] * size % 16 != 0)
      refuse("boxes have rows of a multiple of 16 bytes", map);
    if (mode != swizzle_none && map.box[0] * size > mode)
      refuse("boxes have rows no longer than the span of the swizzle", map);
    return map;
  }

  void refuse(const char *rule, const CUtensorMap &map) {
    result = make_status(TK_LAUNCH_FAILED, kernel,
                         "the driver would refuse a tensor map with boxes of %d x %d elements: %s",
                         map.rank > 1 ? int(map.box[1]) : 1, int(map.box[0]), rule);
  }
};

struct launch_shape {
  int64_t tiles = 0;    // of the grid
  int threads = 0;      // of a block
  int shared_bytes = 0; // of a block
  int cluster = 1;      // blocks of one; the grid is a multiple of it
  bool persistent = true;
  int blocks_per_sm = 1; // of a persistent launch
  bool overlaps = true;  // programmatic dependent launch
};

// Of the device that launches would use; as on the GPU this may fail.
inline tk_status count_sms(const char *, int &count) {
  count = emulator::num_sms();
  return ok_status();
}

// `name` is for messages. `values` are the kernel's arguments.
template <typename... parameters, typename... given>
tk_status launch(const char *name, void (*kernel)(parameters...), const launch_shape &shape,
                 tk_stream, const given &...values) {
  if (shape.tiles <= 0)
    return ok_status();
  if (shape.tiles > most_tiles)
    return too_many_tiles(name);

  struct call {
    void (*kernel)(parameters...);
    std::tuple<const given &...> values;
  };
  const call arguments = {kernel, {values...}};
  emulator::launch_description what = {};
  what.kernel = name;
  what.blocks = int(grid_blocks(shape.tiles, shape.persistent, emulator::num_sms(),
                                shape.blocks_per_sm, shape.cluster));
  what.cluster = shape.cluster;
  what.threads = shape.threads;
  what.shared_bytes = shape.shared_bytes;
  what.blocks_per_sm = shape.blocks_per_sm;
  what.dependent = shape.overlaps;
  what.arguments = &arguments;
  what.body = [](const void *erased) {
    const call &c = *static_cast<const call *>(erased);
    std::apply(c.kernel, c.values);
  };
  return emulator::launch(what);
}

} // namespace host
} // namespace tk

// There is nothing to load.
extern "C" __attribute__((weak)) tk_status tk_prepare(void) {
  return tk::host::all_kernels().for_each(
      [](const tk::host::registered_kernel &) { return tk::host::ok_status(); });
}

#endif // TK_EMULATOR_HOST_LAUNCH_H
