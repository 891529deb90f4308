//===- host/grid_blocks.h - How many tiles and blocks a launch has --------===//
//
// Plain C++: the GPU's and the emulator's launches share it.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_GRID_BLOCKS_H
#define TK_HOST_GRID_BLOCKS_H

#include <host/arguments.h>

#include <initializer_list>

namespace tk {
namespace [[gnu::visibility("hidden")]] host {

// Kernels number tiles with 32 bits, and step past the last one by the blocks of the grid, twice at most.
constexpr int64_t most_tiles = largest_extent;

// The tiles of a grid of these extents, none if one is not positive; more than most_tiles if they are more.
inline int64_t tile_count(const int64_t *begin, const int64_t *end) {
  int64_t tiles = 1;
  for (const int64_t *extent = begin; extent != end; ++extent)
    if (*extent <= 0)
      return 0;
  for (const int64_t *extent = begin; extent != end; ++extent)
    tiles = tiles > most_tiles / *extent ? most_tiles + 1 : tiles * *extent;
  return tiles;
}
inline int64_t tile_count(std::initializer_list<int64_t> extents) { return tile_count(extents.begin(), extents.end()); }

inline tk_status too_many_tiles(const char *kernel) {
  return make_status(TK_INVALID_ARGUMENT, kernel,
                     "the grid has more than %lld tiles, which is as many as a launch can number; make several calls",
                     (long long)most_tiles);
}

// One block per tile, or, of persistent ones, as many as run at once if that is less; whole clusters, at least one.
inline int64_t grid_blocks(int64_t tiles, bool persistent, int64_t num_sms, int blocks_per_sm, int cluster) {
  const int64_t needed = (tiles + cluster - 1) / cluster;
  const int64_t resident = persistent ? num_sms * blocks_per_sm / cluster : needed;
  const int64_t clusters = needed < resident ? needed : resident;
  return (clusters < 1 ? 1 : clusters) * cluster;
}

// The most dynamic shared memory that launch_shared_bytes() makes of `shared_bytes`.
inline int most_shared_bytes(int shared_bytes, int max_shared_bytes) {
  return shared_bytes > max_shared_bytes / 2 ? shared_bytes : max_shared_bytes / 2;
}

// Dynamic shared memory that each block of a launch asks for. Where blocks can share an SM, the GPU fills some SMs
// before it takes others, so a small grid would run on a few of them (docs/design/experiments/first-texts.md). So each
// block asks for so much that an SM has room for its share of the grid and not for one block more.
inline int launch_shared_bytes(int shared_bytes, int64_t blocks, bool persistent, int64_t num_sms, int blocks_per_sm,
                               int cluster, int max_shared_bytes) {
  if (cluster > 1 || (persistent && blocks_per_sm == 1))
    return shared_bytes;
  // The system takes 1 KB of each block, and rounds to multiples of 128 bytes. CUDA programming guide, "Shared Memory"
  // of compute capability 9.0.
  constexpr int64_t reserved = 1024, granularity = 128;
  const int64_t share = (blocks + num_sms - 1) / num_sms;
  const int64_t bytes = (max_shared_bytes + reserved) / (share + 1) + granularity - reserved;
  return shared_bytes > bytes ? shared_bytes : int(bytes);
}

} // namespace host
} // namespace tk

#endif // TK_HOST_GRID_BLOCKS_H
