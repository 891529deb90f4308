//===- host/grid_blocks.h - How many blocks a persistent kernel has -------===//
//
// Plain C++: the GPU's and the emulator's launches share it.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_GRID_BLOCKS_H
#define TK_HOST_GRID_BLOCKS_H

#include <stdint.h>

namespace tk {
namespace host {

// One block per tile, or as many as run at once if that is less; whole clusters, at least one.
inline int64_t grid_blocks(int64_t tiles, int multiprocessors, int cluster) {
  const int64_t needed = (tiles + cluster - 1) / cluster, resident = multiprocessors / cluster;
  const int64_t clusters = needed < resident ? needed : resident;
  return (clusters < 1 ? 1 : clusters) * cluster;
}

} // namespace host
} // namespace tk

#endif // TK_HOST_GRID_BLOCKS_H
