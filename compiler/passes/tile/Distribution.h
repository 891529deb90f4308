//===- Distribution.h - Who holds which part of a register tile -----------===//
//
// The compute warpgroups of a block share every register tile by rows, or, inside
// `tk.each`, every warpgroup or warp has tiles of its own. This says which part of
// a tile of the tk dialect one warpgroup holds, and which numbers of warpgroups
// suit a kernel. With the hint `pingpong_tiles`, two of them ping-pong over tiles of the
// grid.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_PASSES_DISTRIBUTION_H
#define TKC_PASSES_DISTRIBUTION_H

#include "dialect/hopper/Hopper.h"
#include <optional>
#include <string>

namespace tkc {

struct Distribution {
  int64_t consumers = 1;                ///< compute warpgroups of a block
  std::optional<tk::EachWorker> worker; ///< what runs the kernel's `tk.each`, if it has one
  int64_t workers = 1;                  ///< how many of them
  bool isInLanes = false;               ///< a scanner warp has vectors in its lanes
  bool hasPingPongTiles = false;        ///< each consumer has tiles of the grid of its own

  /// Warpgroups that hold one tile together.
  int64_t getSharers() const { return worker || hasPingPongTiles ? 1 : consumers; }
  bool isEachWarp() const { return worker == tk::EachWorker::Warp; }

  /// One warpgroup's part of a register tile or vector: rows / sharers rows of a `row` tile,
  /// the transpose of a `col` tile, four tiles of its four warps in `each warp`. A row vector is in
  /// all of them, whole.
  mlir::Type getHeldType(mlir::Type type) const;
};

/// The kernel's one scope of warpgroups or warps, or null.
tk::EachOp findEach(tk::KernelOp kernel);

/// The distribution over `consumers` warpgroups.
Distribution getDistribution(tk::KernelOp kernel, int64_t consumers);

/// Why a kernel's tiles cannot be shared by some number of warpgroups.
struct DistributionObstacle {
  mlir::Value tile;      ///< whose height does not divide, or null
  mlir::Operation *part; ///< what takes or joins rows across warpgroups, or null
};

/// The first obstacle against `sharers` warpgroups, if there is one.
std::optional<DistributionObstacle> findObstacle(tk::KernelOp kernel, int64_t sharers);

} // namespace tkc

#endif // TKC_PASSES_DISTRIBUTION_H
