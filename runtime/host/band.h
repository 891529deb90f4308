//===- host/band.h - Whether what bands of tiles read once leaves L2 first -===//
//
// A product visits its tiles in bands of a few rows of tiles (tile/grid.h). All
// columns of a band read the same rows of A, again and again, and each reads its
// part of B, all tiles of the column at about one time. L2 does not know that: if it
// has no room for both matrices, B pushes out the rows of A that are needed next. So
// it is told to let B leave first.
//
// Measured on an H200 (docs/performance.md): that saves .5 to 1 % of large products
// of bf16 and 8-bit floats; it costs .5 % where a band is larger than L2 or B is
// small, and 2 % where both matrices fit. A is not told to stay (evict_last): its
// lines would outlive the launch, and what runs next would have less L2.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_BAND_H
#define TK_HOST_BAND_H

#include <host/launch.h>
#include <initializer_list>
#include <ptx/tma.h>

namespace tk {
namespace host {

inline int64_t bytes_of(std::initializer_list<const tk_tensor *> tensors) {
  int64_t sum = 0;
  for (const tk_tensor *tensor : tensors) {
    int64_t bytes = dtype_bytes(tensor->dtype);
    for (int i = 0; i < tensor->rank; ++i)
      bytes *= tensor->extents[i];
    sum += bytes;
  }
  return sum;
}

// How long an L2 of so many bytes should keep what bands read once. The grid has so many `rows` of tiles, `height` of
// them in a band, in so many `planes`, one after another. A row of tiles reads a part of the tensors `again`, a column
// one of those `once`.
inline cache_policy policy_of_read_once(int64_t l2, std::initializer_list<const tk_tensor *> again,
                                        std::initializer_list<const tk_tensor *> once, int height, int64_t rows,
                                        int64_t planes) {
  if (rows <= 0 || planes <= 0)
    return cache_policy::normal;
  const int64_t in_rows = bytes_of(again) / planes, in_columns = bytes_of(once) / planes;
  const int64_t in_band = rows <= height ? in_rows : in_rows / rows * height;
  const bool is_too_much = 5 * (in_rows + in_columns) > 4 * l2;
  const bool is_band_kept = 5 * in_band < 3 * l2;
  // The next band reads it again: what is small stays for that.
  const bool is_large = 5 * in_columns > l2;
  return is_too_much && is_band_kept && is_large ? cache_policy::evict_first : cache_policy::normal;
}

// The same for the current device.
inline cache_policy policy_of_read_once(std::initializer_list<const tk_tensor *> again,
                                        std::initializer_list<const tk_tensor *> once, int height, int64_t rows,
                                        int64_t planes) {
  return policy_of_read_once(l2_bytes(), again, once, height, rows, planes);
}

} // namespace host
} // namespace tk

#endif // TK_HOST_BAND_H
