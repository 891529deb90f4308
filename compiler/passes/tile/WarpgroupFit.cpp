//===- WarpgroupFit.cpp - Whether a kernel's tiles fit its warpgroups -----===//
#include "passes/tile/WarpgroupFit.h"

#include "analysis/cost/WarpgroupOrder.h"
#include "analysis/registers/RegisterBudget.h"
#include "analysis/registers/RoleSplit.h"
#include "dialect/tk/Reducer.h"
#include "dialect/tk/TkChoiceOp.h"
#include "passes/tile/Distribution.h"
#include "target/Target.h"

using namespace mlir;
using namespace tkc;

int64_t tkc::getConsumersOf(tk::EachOp each) {
  int64_t count = each.getCount();
  return each.getWorker() == tk::EachWorker::Warp
             ? llvm::divideCeil(count, getTarget().getWarpgroupWarps())
             : count;
}

SmallVector<int64_t, 4> tkc::getPossibleConsumers(tk::KernelOp kernel) {
  if (kernel->hasAttr(tk::pingpongTilesAttrName))
    return {2};
  if (tk::EachOp each = findEach(kernel))
    return {getConsumersOf(each)};
  if (std::optional<uint64_t> hint = kernel.getConsumers())
    return {int64_t(*hint)};
  SmallVector<int64_t, 4> possible = getPreferredConsumers(kernel);
  llvm::erase_if(possible,
                 [&](int64_t warpgroups) { return findObstacle(kernel, warpgroups).has_value(); });
  return possible;
}

int64_t tkc::getSharers(tk::KernelOp kernel, int64_t warpgroups) {
  return getDistribution(kernel, warpgroups).getSharers();
}

int64_t tkc::countTiles(tk::KernelOp kernel, int64_t warpgroups) {
  return getTilesAtPeak(TileRegisters(kernel, getSharers(kernel, warpgroups)),
                        getReducerTiles(kernel) > 0);
}

tk::MmaOp tkc::findWideMma(tk::KernelOp kernel, int64_t warpgroups) {
  tk::MmaOp wide;
  // With a reducer beside a producer, a block has as many threads as with one consumer more.
  bool isMore = getReducerTiles(kernel) && !doesReducerLoad(kernel, warpgroups);
  int64_t alike = warpgroups + (isMore ? tk::getReducers(kernel) : 0);
  kernel.walk([&](tk::MmaOp mma) {
    if (!wide && getInstructionWidth(mma) > getMaxInstructionWidth(alike))
      wide = mma;
  });
  return wide;
}

bool tkc::fits(tk::KernelOp kernel, int64_t warpgroups, int64_t available) {
  bool hasRoom = kernel->hasAttr(tk::reducersAttrName)
                     ? splitWithOutputs(kernel).entry > 0
                     : countTiles(kernel, warpgroups) <= available;
  return hasRoom && !findWideMma(kernel, warpgroups);
}
