//===- StagingOverTiles.cpp - Staging buffers in the bytes of dead tiles --===//
//
// A tile that is loaded once for each tile of the grid, such as the queries of attention, is dead
// when the loop that multiplies it is over, and stores come after that. So their staging buffers
// may lie in its bytes. That costs time where the next tile could have been loaded meanwhile: its
// stage is given back when the stores have read their buffers, not when the loop is over. So it is
// done only where the kernel would not fit otherwise.
//
// The ring has one stage then: where its tile is, is known. The consumers write their buffers
// when all of them have read the tile, and each of its warps gives the stage back when the stores
// of its warpgroup have read theirs; tk-insert-waits finds both.
//
//===----------------------------------------------------------------------===//
#include "passes/pipeline/PipelinePlan.h"
#include "remarks/Remarks.h"

using namespace mlir;
using namespace tkc;

/// True if every store through these buffers comes after all uses of the load point's tiles, once
/// for each tile of the grid.
static bool isDeadBefore(LoadPoint &loadPoint, StagingPlan &staging) {
  Block *block = loadPoint.getBlock();
  return llvm::all_of(staging.stores, [&](tk::StoreOp store) {
    Operation *here = block->findAncestorOpInBlock(*store);
    return here &&
           llvm::all_of(loadPoint.uses, [&](Operation *use) { return use->isBeforeInBlock(here); });
  });
}

static int64_t getBytes(PipelinePlan &plan, StagingPlan &staging) {
  return plan.getOwners(staging) * staging.buffers * plan.getBufferBytes(staging);
}

/// The bytes of the tile that no buffers lie in yet.
static int64_t getFreeBytes(PipelinePlan &plan, LoadGroup &group, tk::LoadOp load) {
  int64_t bytes = plan.getRingShape(load, group.copies).getBytes();
  for (StagingPlan &other : plan.staging)
    if (other.over == load)
      bytes -= llvm::alignTo(getBytes(plan, other), 1024);
  return bytes;
}

/// The tile in whose bytes the buffers can lie, and its group.
static std::pair<LoadGroup *, tk::LoadOp> findDeadTile(PipelinePlan &plan, StagingPlan &staging) {
  for (LoadGroup &group : plan.groups) {
    if (group.isResident || group.loop || group.loadPoints.size() > 1 ||
        !isDeadBefore(group.loadPoints.front(), staging))
      continue;
    for (tk::LoadOp load : group.getLoads())
      if (getBytes(plan, staging) <= getFreeBytes(plan, group, load))
        return {&group, load};
  }
  return {};
}

int64_t tkc::layStagingOverTiles(PipelinePlan &plan, int64_t wanted) {
  int64_t freed = 0;
  if (plan.hasReducer() || plan.distribution.hasPingPongTiles || plan.distribution.isEachWarp())
    return freed;
  for (StagingPlan &staging : plan.staging) {
    if (freed >= wanted)
      break;
    auto [group, load] = findDeadTile(plan, staging);
    if (!group)
      continue;
    staging.over = load;
    group->loadPoints.front().release = nullptr; // after the stores
    freed += getBytes(plan, staging);
    reportRemark(staging.stores.front(), staging.stores.front().getLoc(), Remark::StagingOverTile,
                 "'" + getLoadName(load) + "'");
  }
  return freed;
}
