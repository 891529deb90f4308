//===- Distribution.cpp - Who holds which part of a register tile ---------===//
#include "passes/tile/Distribution.h"

#include "dialect/tk/Reducer.h"
#include "dialect/tk/Scanner.h"
#include "dialect/tk/TkChoiceOp.h"
#include "target/Target.h"

using namespace mlir;
using namespace tkc;

Type Distribution::getHeldType(Type type) const {
  MLIRContext *context = type.getContext();
  auto elements = cast<tk::ElementsInterface>(type);
  int64_t rows = elements.getRows(), cols = elements.getCols();
  auto vector = dyn_cast<tk::TileVectorType>(type);
  if (vector && isInLanes)
    return hopper::FragmentVectorType::get(context, vector.getLength(), vector.getElementType(),
                                           tk::Orientation::Lanes);
  if (!vector && cast<tk::TileType>(type).getLayout() == tk::Layout::Col)
    std::swap(rows, cols);
  rows = isEachWarp() ? rows * getTarget().getWarpgroupWarps() : rows / getSharers();
  if (!vector)
    return hopper::FragmentType::get(context, rows, cols, elements.getElementType());
  return hopper::FragmentVectorType::get(
      context, vector.getOrientation() == tk::Orientation::Row ? cols : rows,
      elements.getElementType(), vector.getOrientation());
}

tk::EachOp tkc::findEach(tk::KernelOp kernel) {
  tk::EachOp each;
  kernel.walk([&](tk::EachOp op) { each = op; });
  return each;
}

Distribution tkc::getDistribution(tk::KernelOp kernel, int64_t consumers) {
  Distribution distribution{consumers, std::nullopt, 1};
  if (tk::EachOp each = findEach(kernel)) {
    distribution.worker = each.getWorker();
    distribution.workers = each.getCount();
  }
  distribution.hasPingPongTiles = kernel->hasAttr(tk::pingpongTilesAttrName);
  return distribution;
}

/// The rows that warpgroups share: none of a row vector, and none of a tile in shared memory.
static int64_t getSharedRows(Value value) {
  auto elements = dyn_cast<tk::ElementsInterface>(value.getType());
  auto tile = dyn_cast<tk::TileType>(value.getType());
  auto vector = dyn_cast<tk::TileVectorType>(value.getType());
  if (!elements || (tile && !tile.isRegister()) || (vector && !vector.isRegister()))
    return 0;
  return elements.getRows();
}

/// True if the op puts rows of one place to another, which may belong to another warpgroup.
static bool movesRows(Operation *op) {
  if (auto slice = dyn_cast<tk::SliceOp>(op)) {
    int64_t result = getSharedRows(slice.getResult());
    return result && result != getSharedRows(slice.getSource());
  }
  auto concat = dyn_cast<tk::ConcatOp>(op);
  return concat && concat.getParts().size() > 1 && getSharedRows(concat.getResult()) &&
         concat.getAlong() == tk::Along::Rows;
}

std::optional<DistributionObstacle> tkc::findObstacle(tk::KernelOp kernel, int64_t sharers) {
  DistributionObstacle obstacle{nullptr, nullptr};
  WalkResult result = kernel.walk([&](Operation *op) {
    if (tk::isReducers(op) || tk::isScanners(op))
      return WalkResult::advance(); // one warpgroup, or warp, holds all of it
    for (Value value : op->getResults())
      if (getSharedRows(value) % (getTarget().getRowUnit(TileHolder::Warpgroups) * sharers)) {
        obstacle.tile = value;
        return WalkResult::interrupt();
      }
    // A tile in shared memory is stored by way of registers.
    if (auto store = dyn_cast<tk::StoreOp>(op);
        store && isa<tk::TileType>(store.getValue().getType()))
      if (cast<tk::TileType>(store.getValue().getType()).getRows() %
          (getTarget().getRowUnit(TileHolder::Warpgroups) * sharers)) {
        obstacle.tile = store.getValue();
        return WalkResult::interrupt();
      }
    if (sharers > 1 && movesRows(op)) {
      obstacle.part = op;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (!result.wasInterrupted())
    return std::nullopt;
  return obstacle;
}
