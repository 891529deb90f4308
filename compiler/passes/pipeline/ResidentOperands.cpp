//===- ResidentOperands.cpp - Loads that are the same for all tiles -------===//
//
// Weights of a norm, the matrices of a Fourier transform: what a load brings may
// depend on no index of the grid and of no loop. A persistent block then needs it
// once. Such loads move to the front of the grid's body, equal ones become one,
// and together they are a group that lands before the first tile, has one stage,
// and is never given back. A tensor that the kernel itself writes is loaded where the source loads
// it.
//
// They take less shared memory than a ring would, unless the parts of a large
// tensor went through one shared ring: so at most half of it is spent on them.
//
//===----------------------------------------------------------------------===//
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/TkPartOp.h"
#include "passes/pipeline/PipelinePlan.h"

using namespace mlir;
using namespace tkc;

static bool isSame(tk::LoadOp a, tk::LoadOp b) {
  return a.getSource() == b.getSource() && a.getResult().getType() == b.getResult().getType() &&
         llvm::equal(a.getIndices(), b.getIndices());
}

/// True if source and place are known before the first tile, and nothing is written there.
static bool isInvariant(tk::LoadOp load, tk::GridOp grid,
                        const llvm::SmallPtrSetImpl<void *> &written) {
  return !written.contains(tk::getWholeTensor(load.getSource()).getAsOpaquePointer()) &&
         llvm::all_of(load->getOperands(), [&](Value operand) {
           return !grid.getBody().isAncestor(operand.getParentRegion());
         });
}

/// Where the loads go: the front of the grid's body, or of the scope that is all of it.
static Block &getFront(tk::GridOp grid) {
  Block &body = grid.getBody().front();
  for (auto each : body.getOps<tk::EachOp>())
    return each.getBody().front();
  return body;
}

void tkc::markResidentLoads(tk::KernelOp kernel) {
  auto grids = kernel.getBody().front().getOps<tk::GridOp>();
  if (!llvm::hasSingleElement(grids))
    return; // refused later
  tk::GridOp grid = *grids.begin();
  llvm::SmallPtrSet<void *, 4> written;
  grid.walk([&](tk::StoreOp store) {
    written.insert(tk::getWholeTensor(store.getDest()).getAsOpaquePointer());
  });
  SmallVector<tk::LoadOp> loads, resident;
  llvm::SmallDenseSet<uint64_t> moving; // rings that bring other tiles too
  grid.walk([&](tk::LoadOp load) {
    if (!isInvariant(load, grid, written) && load.getRing())
      moving.insert(*load.getRing());
  });
  grid.walk([&](tk::LoadOp load) {
    if (isInvariant(load, grid, written) && !load.getResult().use_empty() &&
        !(load.getRing() && moving.contains(*load.getRing())))
      loads.push_back(load);
  });
  int64_t left = hopper::sharedBudget / 2;
  for (tk::LoadOp load : loads) {
    auto *same = llvm::find_if(resident, [&](tk::LoadOp other) { return isSame(load, other); });
    if (same != resident.end()) {
      load.getResult().replaceAllUsesWith(same->getResult());
      load.erase();
      continue;
    }
    int64_t bytes = getRingBytes(load);
    if (bytes > left)
      continue;
    left -= bytes;
    Block &front = getFront(grid);
    if (resident.empty())
      load->moveBefore(&front, front.begin());
    else
      load->moveAfter(resident.back());
    load.removeRingAttr();
    load->setAttr(residentAttrName, UnitAttr::get(kernel.getContext()));
    resident.push_back(load);
  }
}
