//===- WarpgroupOrder.cpp - How many warpgroups should share a tile --------===//
//
// The loop with the MMAs decides. Beside elementwise work the cost model finds the
// more warpgroups the better, for one's MMAs run beside another's work. Where there
// is none it finds them alike but for one, which waits for each of its MMAs; then two
// come first: their tall tiles read shared memory least.
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

SmallVector<int64_t, 4> tkc::getPreferredConsumers(tk::KernelOp kernel) {
  const WorkCounts work = countBusiestLoop(kernel);
  auto getCycles = [&](int64_t warpgroups) {
    return getStretchCycles(share(work, warpgroups), warpgroups, /*isRepeated=*/true);
  };
  SmallVector<int64_t, 4> order{2, 3, 4, 1};
  llvm::stable_sort(order, [&](int64_t a, int64_t b) { return getCycles(a) < getCycles(b); });
  return order;
}
