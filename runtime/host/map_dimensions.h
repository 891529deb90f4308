//===- host/map_dimensions.h - The dimensions of a tensor map -------------===//
//
// A map of a tensor has the tensor's dimensions. One for parts of it, [first, last)
// of the rows, has to end where the part does, although the tensor goes on and the
// map is made before anybody knows the parts. So the rows get so large an extent that
// all parts end at its end, and two dimensions more take the address back:
//
//     dimension   extent   stride            coordinate of row r of the part
//     rows        2^30     row               2^30 - (last - first) + r, outside if r >= last - first
//     end         large    row               last
//     back        large    2^34 - row bytes  2^30
//
//     2^30 * 2^34 = 2^64 is nothing to an address, and the others come to (first + r) * row
//
// (The idea is that of Triton's ragged descriptors, python/triton/tools/ragged_tma.py.)
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_MAP_DIMENSIONS_H
#define TK_HOST_MAP_DIMENSIONS_H

#include <host/arguments.h>
#include <tile/layout.h>

namespace tk {
namespace [[gnu::visibility("hidden")]] host {

// Fastest dimension first, as the driver lists them. Strides are bytes; that of the fastest is not used.
struct map_dimensions {
  int rank;
  int64_t extents[5], strides[5];
  int box[5];
};

// Of `tensor`, which host::arguments has accepted, for boxes of this shape, slowest dimension first; the dimensions in
// front that `box` does not list are copied one index at a time.
template <int box_rank> map_dimensions dimensions_of(const tk_tensor *tensor, const int (&box)[box_rank]) {
  map_dimensions result = {};
  result.rank = tensor->rank;
  for (int i = 0; i < result.rank; ++i) {
    const int dimension = result.rank - 1 - i;
    result.extents[i] = tensor->extents[dimension];
    result.box[i] = i < box_rank ? box[box_rank - 1 - i] : 1;
    // With extent 1 the stride is never used but must be legal.
    result.strides[i] = tensor->extents[dimension] == 1 ? 16 : tensor->strides[dimension] * dtype_bytes(tensor->dtype);
  }
  return result;
}

// The same for parts of the rows of a tensor of 2 or 3 dimensions.
template <int box_rank> map_dimensions dimensions_of_parts(const tk_tensor *tensor, const int (&box)[box_rank]) {
  constexpr int64_t large = 0x7fff0000;
  map_dimensions result = dimensions_of(tensor, box);
  const int64_t row = result.strides[1];
  result.extents[1] = part_rows;
  const int64_t strides[] = {row, (INT64_C(1) << 34) - row};
  for (int64_t stride : strides) {
    result.extents[result.rank] = large;
    result.strides[result.rank] = stride;
    result.box[result.rank++] = 1;
  }
  return result;
}

} // namespace host
} // namespace tk

#endif // TK_HOST_MAP_DIMENSIONS_H
