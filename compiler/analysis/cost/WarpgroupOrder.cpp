//===- WarpgroupOrder.cpp - How many warpgroups should share a tile --------===//
//
// The loop with the MMAs decides. Beside elementwise work the cost model finds the
// more warpgroups the better, for one's MMAs run beside another's work. Where there
// is none it finds them alike but for one, which waits for each of its MMAs; then two
// come first: their tall tiles read shared memory least. Row vectors alone are one warpgroup's.
//
//===----------------------------------------------------------------------===//
#include "analysis/cost/WarpgroupOrder.h"

#include "analysis/cost/CostModel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tkc;

/// The work of one iteration of the loop with the most MMAs, by all warpgroups.
static WorkCounts countBusiestLoop(tk::KernelOp kernel) {
  WorkCounts busiest;
  kernel.walk([&](scf::ForOp loop) {
    WorkCounts counts;
    for (Operation &op : *loop.getBody())
      if (op.getNumRegions() == 0 || isa<tk::MapOp>(op))
        countWork(&op, counts);
    if (counts.operations > busiest.operations)
      busiest = counts;
  });
  return busiest;
}

/// The work of each of so many warpgroups.
static WorkCounts share(WorkCounts counts, int64_t warpgroups) {
  counts.operations /= warpgroups;
  counts.functions /= double(warpgroups);
  counts.arithmetic /= double(warpgroups);
  return counts;
}

/// True if nothing that the kernel computes has rows that warpgroups could share: each would hold
/// all of every row vector, and compute what the others do.
static bool hasRowVectorsAlone(tk::KernelOp kernel) {
  bool hasVectors = false, hasRows = false;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto vector = dyn_cast<tk::TileVectorType>(type);
      bool isRow = vector && vector.getOrientation() == tk::Orientation::Row;
      hasVectors |= isRow;
      hasRows |= isa<tk::ElementsInterface>(type) && !isRow && !(vector && vector.isShared());
    }
  });
  return hasVectors && !hasRows;
}

SmallVector<int64_t, 4> tkc::getPreferredConsumers(tk::KernelOp kernel) {
  if (hasRowVectorsAlone(kernel))
    return {1, 2, 3, 4};
  const WorkCounts work = countBusiestLoop(kernel);
  auto getCycles = [&](int64_t warpgroups) {
    return getStretchCycles(share(work, warpgroups), warpgroups, /*isRepeated=*/true);
  };
  SmallVector<int64_t, 4> order{2, 3, 4, 1};
  llvm::stable_sort(order, [&](int64_t a, int64_t b) { return getCycles(a) < getCycles(b); });
  return order;
}
