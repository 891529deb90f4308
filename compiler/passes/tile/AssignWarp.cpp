//===- AssignWarp.cpp - Kernels of tiles that are lower than a warpgroup's ===//
//
// A warpgroup holds 64 rows of a register tile, a warp 16. A kernel all of whose register tiles
// are lower than 64 rows needs no scope to say so: one warp holds them whole, as in a loop over
// warps(1). A block's warps come by four, and the other three compute the same and store nothing:
//
//     tk.grid (%m) {              tk.grid (%m) { tk.each warp of 4 (%w) {
//       %x = ...            ->      %x = ...
//       tk.store %C, %x             scf.if %w < 1 { tk.store %C, %x }
//     }                           } }
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "dialect/tk/Tk.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include "passes/tile/Distribution.h"
#include "passes/tile/MoveIntoEach.h"
#include "remarks/Remarks.h"
#include "target/Target.h"

namespace tkc {
#define GEN_PASS_DEF_ASSIGNWARP
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

/// The first register tile, if all of them are lower than a warpgroup's, and otherwise null.
/// A shared tile that is stored goes through registers.
static Value findLowTile(KernelOp kernel) {
  const int64_t unit = getTarget().getRowUnit(TileHolder::Warpgroups);
  Value first;
  WalkResult result = kernel.walk([&](Operation *op) {
    SmallVector<Value> held = llvm::to_vector_of<Value>(op->getResults());
    if (auto store = dyn_cast<StoreOp>(op))
      held.push_back(store.getValue());
    for (Value value : held) {
      auto tile = dyn_cast<TileType>(value.getType());
      if (!tile || !(tile.isRegister() || isa<StoreOp>(op)))
        continue;
      if (tile.getRows() >= unit)
        return WalkResult::interrupt();
      if (!first)
        first = value;
    }
    return WalkResult::advance();
  });
  return result.wasInterrupted() ? Value() : first;
}

namespace {
struct AssignWarp : tkc::impl::AssignWarpBase<AssignWarp> {
  void runOnOperation() override {
    forEachKernel<KernelOp>(getOperation(), [](KernelOp kernel) {
      Value low = findEach(kernel) ? Value() : findLowTile(kernel);
      if (!low)
        return;
      reportRemark(kernel, getDeclaration(low), Remark::WarpAlone, quoteTileName(low),
                   cast<TileType>(low.getType()).getRows());
      for (GridOp grid : llvm::to_vector(kernel.getOps<GridOp>()))
        moveIntoEach(grid, EachWorker::Warp, getTarget().getWarpgroupWarps(), /*alone=*/true);
    });
  }
};
} // namespace
