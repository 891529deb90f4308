//===- tile/grid.h - The tiles a block computes, one after another --------===//
//
// A persistent kernel has about as many blocks as the GPU has SMs;
// block b computes tiles b, b + blocks, b + 2 blocks, ... of the grid. These
// ranges list them as coordinates, so that a kernel says
//
//     for (const auto [m, n] : persistent_tiles(tiles_m, tiles_n))
//
// The first coordinate runs fastest. The grouped form orders a grid of two
// dimensions in raster groups of `height` tile rows (block swizzle): blocks that run at the same time
// then form a block of tiles that is about square, and share the operands they
// read in L2.
//
//     persistent_tiles_grouped<2> of 3 x 4:      0  2  4  6
//                                                1  3  5  7
//                                                8  9 10 11
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_GRID_H
#define TK_TILE_GRID_H

#include <ptx/pdl.h>       // when a block may start,
#include <ptx/registers.h> // what its roles have,
#include <ptx/thread.h>    // and who has which role

namespace tk {

// Rounds up for negative numbers too: the language's cdiv.
TK_HOST_DEVICE constexpr int ceil_div(int a, int b) { return a / b + (a % b != 0 && (a > 0) == (b > 0)); }

struct tile_index_2 {
  int x, y;
};

struct tile_index_3 {
  int x, y, z;
};

struct tile_index_4 {
  int x, y, z, w;
};

// Walks the tiles of this block; `order` says which coordinates the i-th tile of the grid has.
template <typename order> struct persistent_range {
  order tiles;

  struct iterator {
    order tiles;
    int index;

    TK_DEVICE auto operator*() const { return tiles.at(index); }
    TK_DEVICE void operator++() { index += int(gridDim.x); }
    TK_DEVICE bool operator!=(const iterator &end) const { return index < end.index; }
  };

  TK_DEVICE iterator begin() const { return iterator{tiles, int(blockIdx.x)}; }
  TK_DEVICE iterator end() const { return iterator{tiles, tiles.count()}; }
};

struct linear_order_1 {
  int nx;
  TK_DEVICE int count() const { return nx; }
  TK_DEVICE int at(int i) const { return i; }
};

// `sum` is the tile at(i + j) for a tile at(i) and a step at(j), by additions and carries.
struct linear_order_2 {
  int nx, ny;
  TK_DEVICE int count() const { return nx * ny; }
  TK_DEVICE tile_index_2 at(int i) const { return {i % nx, i / nx}; }
  TK_DEVICE tile_index_2 sum(tile_index_2 tile, tile_index_2 step) const {
    const int x = tile.x + step.x, carry = x >= nx;
    return {x - carry * nx, tile.y + step.y + carry};
  }
};

struct linear_order_3 {
  int nx, ny, nz;
  TK_DEVICE int count() const { return nx * ny * nz; }
  TK_DEVICE tile_index_3 at(int i) const { return {i % nx, i / nx % ny, i / nx / ny}; }
  TK_DEVICE tile_index_3 sum(tile_index_3 tile, tile_index_3 step) const {
    const tile_index_2 low = linear_order_2{nx, ny}.sum({tile.x, tile.y}, {step.x, step.y});
    const int carry = low.y >= ny;
    return {low.x, low.y - carry * ny, tile.z + step.z + carry};
  }
};

struct linear_order_4 {
  int nx, ny, nz, nw;
  TK_DEVICE int count() const { return nx * ny * nz * nw; }
  TK_DEVICE tile_index_4 at(int i) const { return {i % nx, i / nx % ny, i / nx / ny % nz, i / nx / ny / nz}; }
  TK_DEVICE tile_index_4 sum(tile_index_4 tile, tile_index_4 step) const {
    const tile_index_3 low = linear_order_3{nx, ny, nz}.sum({tile.x, tile.y, tile.z}, {step.x, step.y, step.z});
    const int carry = low.z >= nz;
    return {low.x, low.y, low.z - carry * nz, tile.w + step.w + carry};
  }
};

// The same walk where the order can add: the divisions of at() take some 300 cycles, so they are for the first tile
// only.
template <typename order, typename tile_index> struct stepped_range {
  order tiles;

  struct iterator {
    order tiles;
    int index;
    tile_index tile, step;

    TK_DEVICE const tile_index &operator*() const { return tile; }
    TK_DEVICE void operator++() {
      index += int(gridDim.x);
      tile = tiles.sum(tile, step);
    }
    TK_DEVICE bool operator!=(int count) const { return index < count; }
  };

  TK_DEVICE iterator begin() const {
    return iterator{tiles, int(blockIdx.x), tiles.at(int(blockIdx.x)), tiles.at(int(gridDim.x))};
  }
  TK_DEVICE int end() const { return tiles.count(); }
};

template <int height> struct grouped_order_2 {
  int nx, ny;
  TK_DEVICE int count() const { return nx * ny; }
  TK_DEVICE tile_index_2 at(int i) const {
    const int first = i / (height * ny) * height;               // the group's first row
    const int rows = nx - first < height ? nx - first : height; // fewer in the last group
    const int in_group = i % (height * ny);
    return {first + in_group % rows, in_group / rows};
  }
};

// Grids of more dimensions are grids of two, one after another.
template <int height> struct grouped_order_3 {
  int nx, ny, nz;
  TK_DEVICE int count() const { return nx * ny * nz; }
  TK_DEVICE tile_index_3 at(int i) const {
    const tile_index_2 tile = grouped_order_2<height>{nx, ny}.at(i % (nx * ny));
    return {tile.x, tile.y, i / (nx * ny)};
  }
};

template <int height> struct grouped_order_4 {
  int nx, ny, nz, nw;
  TK_DEVICE int count() const { return nx * ny * nz * nw; }
  TK_DEVICE tile_index_4 at(int i) const {
    const tile_index_2 tile = grouped_order_2<height>{nx, ny}.at(i % (nx * ny));
    return {tile.x, tile.y, i / (nx * ny) % nz, i / (nx * ny) / nz};
  }
};

TK_DEVICE persistent_range<linear_order_1> persistent_tiles(int nx) { return {{nx}}; }
TK_DEVICE stepped_range<linear_order_2, tile_index_2> persistent_tiles(int nx, int ny) { return {{nx, ny}}; }
TK_DEVICE stepped_range<linear_order_3, tile_index_3> persistent_tiles(int nx, int ny, int nz) {
  return {{nx, ny, nz}};
}
TK_DEVICE stepped_range<linear_order_4, tile_index_4> persistent_tiles(int nx, int ny, int nz, int nw) {
  return {{nx, ny, nz, nw}};
}

template <int height> TK_DEVICE persistent_range<grouped_order_2<height>> persistent_tiles_grouped(int nx, int ny) {
  static_assert(height >= 1, "swizzle(height) groups at least one tile row");
  return {{nx, ny}};
}
template <int height>
TK_DEVICE persistent_range<grouped_order_3<height>> persistent_tiles_grouped(int nx, int ny, int nz) {
  static_assert(height >= 1, "swizzle(height) groups at least one tile row");
  return {{nx, ny, nz}};
}
template <int height>
TK_DEVICE persistent_range<grouped_order_4<height>> persistent_tiles_grouped(int nx, int ny, int nz, int nw) {
  static_assert(height >= 1, "swizzle(height) groups at least one tile row");
  return {{nx, ny, nz, nw}};
}

// LPT order. The head-batch index is all dimensions of the grid but the first; `head_group` of its values are a group.
// In a group the tiles with one first index follow each other for all heads, from the last index to the first one or,
// if not `last_first`, the other way round.
template <bool last_first> struct lpt_order {
  int nx, all, head_group;

  TK_DEVICE lpt_order(int nx, int all, int head_group)
      : nx(nx), all(all), head_group(head_group > 0 && head_group < all ? head_group : all) {}

  TK_DEVICE int count() const { return nx * all; }
  TK_DEVICE int group() const { return nx * head_group; } // tiles
  TK_DEVICE tile_index_2 at(int i) const {                // first index and head-batch index
    const int first = i / (nx * head_group) * head_group;
    const int height = all - first < head_group ? all - first : head_group; // fewer in the last group
    const int x = (i - first * nx) / height, head = first + (i - first * nx) % height;
    return {last_first ? nx - 1 - x : x, head};
  }
};

// A grid of one dimension has one head-batch index, so nothing is divided.
template <bool last_first> struct lpt_order_1 {
  int nx;

  TK_DEVICE int count() const { return nx; }
  TK_DEVICE int group() const { return nx; }
  TK_DEVICE int at(int i) const { return last_first ? nx - 1 - i : i; }
};
template <bool last_first> struct lpt_order_2 : lpt_order<last_first> {
  TK_DEVICE lpt_order_2(int nx, int ny, int head_group) : lpt_order<last_first>(nx, ny, head_group) {}
};
template <bool last_first> struct lpt_order_3 : lpt_order<last_first> {
  int ny;
  TK_DEVICE lpt_order_3(int nx, int ny, int nz, int head_group)
      : lpt_order<last_first>(nx, ny * nz, head_group), ny(ny) {}
  TK_DEVICE tile_index_3 at(int i) const {
    const tile_index_2 tile = lpt_order<last_first>::at(i);
    return {tile.x, tile.y % ny, tile.y / ny};
  }
};
template <bool last_first> struct lpt_order_4 : lpt_order<last_first> {
  int ny, nz;
  TK_DEVICE lpt_order_4(int nx, int ny, int nz, int nw, int head_group)
      : lpt_order<last_first>(nx, ny * nz * nw, head_group), ny(ny), nz(nz) {}
  TK_DEVICE tile_index_4 at(int i) const {
    const tile_index_2 tile = lpt_order<last_first>::at(i);
    return {tile.x, tile.y % ny, tile.y / ny % nz, tile.y / ny / nz};
  }
};

// `head_group` is how many heads are worked on at the same time, 0 for all.
template <bool last_first> TK_DEVICE lpt_order_1<last_first> lpt(int nx, int) { return {nx}; }
template <bool last_first> TK_DEVICE lpt_order_2<last_first> lpt(int nx, int ny, int head_group) {
  return {nx, ny, head_group};
}
template <bool last_first> TK_DEVICE lpt_order_3<last_first> lpt(int nx, int ny, int nz, int head_group) {
  return {nx, ny, nz, head_group};
}
template <bool last_first> TK_DEVICE lpt_order_4<last_first> lpt(int nx, int ny, int nz, int nw, int head_group) {
  return {nx, ny, nz, nw, head_group};
}

// The one tile of a block that is not persistent: there are as many blocks as tiles.
TK_DEVICE int block_tile(int) { return int(blockIdx.x); }
TK_DEVICE tile_index_2 block_tile(int nx, int ny) { return linear_order_2{nx, ny}.at(int(blockIdx.x)); }
TK_DEVICE tile_index_3 block_tile(int nx, int ny, int nz) { return linear_order_3{nx, ny, nz}.at(int(blockIdx.x)); }
TK_DEVICE tile_index_4 block_tile(int nx, int ny, int nz, int nw) {
  return linear_order_4{nx, ny, nz, nw}.at(int(blockIdx.x));
}

// The same in LPT order: blocks start in the order of their numbers.
template <typename order> TK_DEVICE auto block_tile(const order &tiles) { return tiles.at(int(blockIdx.x)); }

template <int height> TK_DEVICE tile_index_2 block_tile_grouped(int nx, int ny) {
  return grouped_order_2<height>{nx, ny}.at(int(blockIdx.x));
}
template <int height> TK_DEVICE tile_index_3 block_tile_grouped(int nx, int ny, int nz) {
  return grouped_order_3<height>{nx, ny, nz}.at(int(blockIdx.x));
}
template <int height> TK_DEVICE tile_index_4 block_tile_grouped(int nx, int ny, int nz, int nw) {
  return grouped_order_4<height>{nx, ny, nz, nw}.at(int(blockIdx.x));
}

} // namespace tk

#endif // TK_TILE_GRID_H
