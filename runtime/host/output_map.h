//===- host/output_map.h - The map of a tensor that a kernel writes -------===//
//
// See tile/output.h for why TMA alone may not store to it. Plain C++: the GPU's
// and the emulator's tensor_maps share it.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_OUTPUT_MAP_H
#define TK_HOST_OUTPUT_MAP_H

#include <host/arguments.h>
#include <tile/parameters.h>

namespace tk {
namespace [[gnu::visibility("hidden")]] host {

// `encode` makes the map of the columns that it is given.
template <typename encoder> output_map make_output_map(const tk_tensor *tensor, encoder encode) {
  const int last = tensor->rank - 1;
  const int64_t size = dtype_bytes(tensor->dtype), granule = 16 / size;

  output_map output;
  memset(static_cast<void *>(&output), 0, sizeof(output));
  output.data = tensor->data;
  for (int i = 0; i <= last; ++i) {
    output.extents[i] = int(tensor->extents[i]);
    output.strides[i] = tensor->strides[i] * size;
  }

  // A map needs at least one column; if no 16 bytes are whole, the kernel does not use it.
  tk_tensor whole = *tensor;
  whole.extents[last] -= whole.extents[last] % granule;
  if (whole.extents[last] == 0)
    whole.extents[last] = granule;
  output.whole = encode(&whole);
  return output;
}

} // namespace host
} // namespace tk

#endif // TK_HOST_OUTPUT_MAP_H
