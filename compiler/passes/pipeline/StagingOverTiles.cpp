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
// Tiles that consumers hand over to reducers are dead when the loop that does so is over and the
// reducers have given all stages back. The consumers, who store what the loop has carried, wait for
// that, once: the reducers are an iteration behind. So the staging of these stores may lie in the
// bytes of such tiles, and has as many buffers as fit. A block that computes one tile writes no
// more of them. It is done where the bytes that become free make rings of the loop deeper.
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

/// Those of `bytes`, of a load or alloc, that no buffers lie in yet.
static int64_t getFreeBytes(PipelinePlan &plan, int64_t bytes, Operation *buffer) {
  for (StagingPlan &other : plan.staging)
    if (other.over == buffer)
      bytes -= llvm::alignTo(getBytes(plan, other), 1024);
  return bytes;
}

/// The tile in whose bytes the buffers can lie, and its group.
static std::pair<LoadGroup *, tk::LoadOp> findDeadTile(PipelinePlan &plan, StagingPlan &staging) {
  for (LoadGroup &group : plan.groups) {
    if (group.isResident || group.loop || group.loadPoints.size() > 1 || group.leastStages > 1 ||
        group.isDelayed() || !isDeadBefore(group.loadPoints.front(), staging))
      continue;
    for (tk::LoadOp load : group.getLoads())
      if (getBytes(plan, staging) <= getFreeBytes(plan, plan.getRingShape(load).getBytes(), load))
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

/// True if every store through these buffers comes after the loop in which the ring is written,
/// once for each tile of the grid.
static bool isDeadBefore(PipelinePlan &plan, HandOver &ring, StagingPlan &staging) {
  Block &body = plan.grid.getBody().front();
  Operation *loop = body.findAncestorOpInBlock(*ring.writes.back());
  return !staging.isReducers && llvm::all_of(staging.stores, [&](tk::StoreOp store) {
    return store->getBlock() == &body && loop->isBeforeInBlock(store);
  });
}

/// The alloc in whose bytes the buffers can lie; null if there is none.
static tk::AllocOp findDeadHandOver(PipelinePlan &plan, StagingPlan &staging) {
  for (HandOver &ring : plan.handOvers)
    if (ring.reader == hopper::RoleKind::Reducer && isDeadBefore(plan, ring, staging))
      for (tk::AllocOp alloc : ring.allocs)
        if (getBytes(plan, staging) <= getFreeBytes(plan, plan.getAllocBytes(ring, alloc), alloc))
          return alloc;
  return {};
}

/// As many buffers as the bytes have room for and the stores have slices.
static void addBuffers(PipelinePlan &plan, StagingPlan &staging, int64_t bytes) {
  int64_t slices = 0;
  for (tk::StoreOp store : staging.stores)
    slices += plan.countSlices(staging, store);
  int64_t one = plan.getOwners(staging) * plan.getBufferBytes(staging);
  staging.buffers = std::min(slices, staging.buffers + bytes / one);
}

int64_t tkc::layStagingOverHandOvers(PipelinePlan &plan, int64_t wanted) {
  if (plan.kernel.getPersistent().value_or(true) || plan.distribution.isEachWarp())
    return 0;
  int64_t freed = 0;
  SmallVector<StagingPlan *> laid;
  for (StagingPlan &staging : plan.staging) {
    if (freed >= wanted)
      break;
    if (staging.over)
      continue;
    staging.over = findDeadHandOver(plan, staging);
    if (!staging.over)
      continue;
    freed += getBytes(plan, staging);
    laid.push_back(&staging);
  }
  if (freed < wanted) {
    for (StagingPlan *staging : laid)
      staging->over = nullptr;
    return 0;
  }
  for (StagingPlan *staging : laid) {
    auto alloc = cast<tk::AllocOp>(staging->over);
    HandOver &ring = *plan.findHandOver(alloc);
    addBuffers(plan, *staging, getFreeBytes(plan, plan.getAllocBytes(ring, alloc), alloc));
    tk::StoreOp store = staging->stores.front();
    reportRemark(store, store.getLoc(), Remark::StagingOverHandOver, "'" + ring.name + "'");
  }
  return freed;
}
