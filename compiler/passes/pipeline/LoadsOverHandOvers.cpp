//===- LoadsOverHandOvers.cpp - Tiles loaded into bytes that are handed over later ---===//
//
// The state with which a recurrence begins is read into registers once, before the loop. By
// threads that costs as many loads as it has registers, beside the first loads of the loop: of two
// states of 64 x 128 floats, 5 us on an H200, in which nothing else can begin. TMA needs shared
// memory for it, and rings take all of that. But the tiles that the loop hands over to reducers are
// not written before the state has been read: its tile lies in their bytes.
//
// The consumer's warpgroup meets once, when all of its threads have read, before the first of them
// writes a tile that it hands over. A block computes one tile, so that nothing else has been there.
//
//===----------------------------------------------------------------------===//
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/Reducer.h"
#include "dialect/tk/Scanner.h"
#include "dialect/tk/SourceNames.h"
#include "passes/pipeline/PipelineConsumer.h"
#include "passes/pipeline/PipelinePlan.h"
#include "remarks/Remarks.h"

using namespace mlir;
using namespace tkc;

/// True if the consumer reads the tile into registers before `loop`, and nobody else reads it.
static bool isReadBefore(const LoadPoint &loadPoint, Operation *loop) {
  return llvm::all_of(loadPoint.uses, [&](Operation *use) {
    return isa<tk::ReadOp>(use) && !tk::isReducers(use) && !tk::isScanners(use) &&
           use->isBeforeInBlock(loop);
  });
}

static bool isTaken(PipelinePlan &plan, tk::AllocOp alloc) {
  return llvm::any_of(plan.groups, [&](LoadGroup &group) { return group.over == alloc; });
}

void tkc::layOverHandOver(PipelinePlan &plan, LoadGroup &group) {
  if (plan.kernel.getPersistent().value_or(true) || plan.distribution.consumers != 1 ||
      group.loadPoints.size() > 1 || group.getLoads().size() > 1 || !group.getElements().empty())
    return;
  tk::LoadOp load = group.getLoads().front();
  if (plan.getCopies(load) > 1)
    return;
  Block &body = plan.grid.getBody().front();
  for (HandOver &ring : plan.handOvers) {
    if (ring.reader != hopper::RoleKind::Reducer || load->getBlock() != &body ||
        !isReadBefore(group.loadPoints.front(), body.findAncestorOpInBlock(*ring.writes.front())))
      continue;
    for (tk::AllocOp alloc : ring.allocs)
      if (!isTaken(plan, alloc) &&
          plan.getRingShape(load).getBytes() <= plan.getAllocBytes(ring, alloc)) {
        group.over = alloc;
        reportRemark(load, load.getLoc(), Remark::LoadOverHandOver, "'" + ring.name + "'");
        return;
      }
  }
}

void Consumer::meetAfterReading(tk::ReadOp read) {
  bool isLast = false; // of tiles that lie over others
  std::string name;
  for (LoadGroup &group : plan.groups)
    for (Operation *use : group.over ? group.loadPoints.front().uses : SmallVector<Operation *>()) {
      if (read->isBeforeInBlock(use))
        return;
      isLast |= use == read;
      name = plan.findHandOver(group.over)->name;
    }
  if (isLast)
    builder.create<hopper::SyncWarpgroupOp>(
        getUnnamedLoc(read.getLoc()), hopper::firstWarpgroupBarrier,
        "all threads have read the tiles that lie over " + name + ", which they write next");
}
