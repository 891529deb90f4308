//===- host/band.h - How high bands of tiles are, and what L2 keeps -------===//
//
// A product visits its tiles in bands of a few rows of tiles (tile/grid.h). All
// columns of a band read the same rows of A, again and again, and each reads its
// part of B once. L2 does not know that: if it has no room for both matrices, B
// pushes out the rows of A that are needed next. So it is told to keep them and to
// let B pass, and bands are as high as L2 has room for.
//
// Measured on an H200: that saves 1 to 2 % of large products of bf16 and 8-bit
// floats. A band that takes more than .3 of L2 loses that again, and told so where
// both matrices fit L2 loses 3 % (docs/performance.md).
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_BAND_H
#define TK_HOST_BAND_H

#include <host/launch.h>
#include <initializer_list>
#include <tile/band.h>

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

// The bands of a grid of `rows` rows of tiles, in so many `planes`, one after another, with an L2 of so many bytes. A
// row of tiles reads a part of the tensors `kept`, a column one of those `passed`. Bands have `height` rows, or fewer
// if L2 has no room for them, but not fewer than `least`: then L2 is told nothing.
inline tile_band share_band(int64_t l2, std::initializer_list<const tk_tensor *> kept,
                            std::initializer_list<const tk_tensor *> passed, int height, int least, int64_t rows,
                            int64_t planes) {
  tile_band band{height};
  if (rows <= 0 || planes <= 0)
    return band;
  const int64_t in_rows = bytes_of(kept) / planes, in_columns = bytes_of(passed) / planes, in_row = in_rows / rows;
  const bool is_too_much = 5 * (in_rows + in_columns) > 4 * l2;
  // What is small stays by itself, for each band reads it again.
  const bool is_large = 5 * in_columns > l2;
  const int64_t room = in_row > 0 ? 3 * l2 / (10 * in_row) : height;
  if (!is_too_much || !is_large || room < least)
    return band;
  band.height = room < height ? int(room) : height;
  band.kept = cache_policy::evict_last;
  band.passed = cache_policy::evict_first;
  return band;
}

// The same on the current device.
inline tile_band share_band(std::initializer_list<const tk_tensor *> kept,
                            std::initializer_list<const tk_tensor *> passed, int height, int least, int64_t rows,
                            int64_t planes) {
  return share_band(l2_bytes(), kept, passed, height, least, rows, planes);
}

} // namespace host
} // namespace tk

#endif // TK_HOST_BAND_H
