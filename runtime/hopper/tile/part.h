//===- tile/part.h - Copies of some rows of a tensor ----------------------===//
//
// A sequence in a batch of sequences that follow one another is a part of a tensor's
// rows, which TMA must not read or write beyond. host/map_dimensions.h says what its
// tensor map is like; here are the coordinates.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_PART_H
#define TK_TILE_PART_H

#include <tile/move.h>

namespace tk {

// The rows [first, last) of a tensor by its map for parts.
template <typename map> struct map_part {
  const map &whole;
  int first, last;
};
template <typename map> TK_DEVICE map_part<map> rows_of(const map &whole, int first, int last) {
  return {whole, first, last};
}

// Coordinates of a swizzle-atom column as TMA wants them, fastest dimension first; `origin` counts from the part's
// first row.
template <int rank> struct part_coordinates {
  int values[rank + 2];

  template <typename map> TK_DEVICE part_coordinates(const map_part<map> &part, const int (&origin)[rank], int column) {
    const atom_coordinates<rank> whole(origin, column);
#pragma unroll
    for (int i = 0; i < rank; ++i)
      values[i] = whole.values[i];
    const int length = part.last - part.first;
    values[1] = part_rows - length + min(values[1], length);
    values[rank] = part.last;
    values[rank + 1] = part_rows;
  }
};

// As those of tile/move.h and tile/output.h. Elements after the part arrive as zeros and are not written.
template <typename T, int rows, int cols, int tile_rows, int tile_cols, int rank, typename... Policy>
TK_DEVICE void tma_load(st<T, rows, cols, tile_rows, tile_cols> tile, const map_part<CUtensorMap> &part,
                        const int (&origin)[rank], barrier landed, Policy... policy) {
#pragma unroll
  for (int s = 0; s < tile.atoms; ++s) {
    const part_coordinates<rank> at(part, origin, s * tile.atom_cols);
    cp_async_bulk_tensor_load(tile.atom(s), part.whole, at.values, landed.address, policy...);
  }
}
template <typename T, int length, int rank, typename... Policy>
TK_DEVICE void tma_load(sv<T, length> vector, const map_part<CUtensorMap> &part, const int (&origin)[rank],
                        barrier landed, Policy... policy) {
#pragma unroll
  for (int first = 0; first < length; first += vector.box) {
    const part_coordinates<rank> at(part, origin, first);
    cp_async_bulk_tensor_load(vector.address + first * int(sizeof(T)), part.whole, at.values, landed.address,
                              policy...);
  }
}
template <typename T, int rows, int cols, int tile_rows, int tile_cols, int rank>
TK_DEVICE void tma_prefetch(st<T, rows, cols, tile_rows, tile_cols> tile, const map_part<CUtensorMap> &part,
                            const int (&origin)[rank]) {
#pragma unroll
  for (int s = 0; s < tile.atoms; ++s) {
    const part_coordinates<rank> at(part, origin, s * tile.atom_cols);
    cp_async_bulk_prefetch_tensor(part.whole, at.values);
  }
}
template <typename T, int length, int rank>
TK_DEVICE void tma_prefetch(sv<T, length> vector, const map_part<CUtensorMap> &part, const int (&origin)[rank]) {
#pragma unroll
  for (int first = 0; first < length; first += vector.box) {
    const part_coordinates<rank> at(part, origin, first);
    cp_async_bulk_prefetch_tensor(part.whole, at.values);
  }
}
// Rows are whole 16 bytes.
template <typename T, int rows, int cols, int tile_rows, int tile_cols, int rank, typename... Policy>
TK_DEVICE void tma_store(const map_part<output_map> &part, const int (&origin)[rank],
                         st<T, rows, cols, tile_rows, tile_cols> tile, Policy... policy) {
#pragma unroll
  for (int s = 0; s < tile.atoms; ++s) {
    const part_coordinates<rank> at(part, origin, s * tile.atom_cols);
    if (at.values[0] < part.whole.extents[rank - 1])
      cp_async_bulk_tensor_store(part.whole.whole, at.values, tile.atom(s), policy...);
  }
}
template <typename T, int rows, int cols, int tile_rows, int tile_cols, int rank, typename... Policy>
TK_DEVICE void tma_store_add(const map_part<output_map> &part, const int (&origin)[rank],
                             st<T, rows, cols, tile_rows, tile_cols> tile, Policy... policy) {
  static_assert(sizeof(T) > 1, "TMA does not add 8-bit elements: use a wider type");
#pragma unroll
  for (int s = 0; s < tile.atoms; ++s) {
    const part_coordinates<rank> at(part, origin, s * tile.atom_cols);
    if (at.values[0] < part.whole.extents[rank - 1])
      cp_reduce_async_bulk_tensor_add(part.whole.whole, at.values, tile.atom(s), policy...);
  }
}

} // namespace tk

#endif // TK_TILE_PART_H
