//===- WorkCounts.cpp - Work of an op for the parts of an SM --------------===//
#include "analysis/cost/WorkCounts.h"

#include "dialect/hopper/HopperLimits.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

void WorkCounts::add(const WorkCounts &other, int64_t times) {
  operations += times * other.operations;
  functions += times * other.functions;
  arithmetic += times * other.arithmetic;
  sharedBytes += times * other.sharedBytes;
  loadedBytes += times * other.loadedBytes;
  storedBytes += times * other.storedBytes;
}

static int64_t getBytes(Type type) {
  auto tile = cast<SharedType>(type);
  return tile.getRows() * tile.getCols() * tk::getStorageBits(tile.getElementType()) / 8;
}

/// Elements that a warpgroup holds of a value in registers.
static int64_t getElements(Type type) {
  if (auto fragment = dyn_cast<FragmentType>(type))
    return fragment.getRows() * fragment.getCols();
  if (auto vector = dyn_cast<FragmentVectorType>(type))
    return vector.getRegisters() * warpgroupThreads;
  return 0;
}

static bool isSpecialFunction(Operation *op) {
  return isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::SqrtOp, math::RsqrtOp,
             math::TanhOp, math::SinOp, math::CosOp>(op);
}

static void countMap(MapOp map, WorkCounts &counts) {
  int64_t elements = 0;
  for (Type type : map->getResultTypes())
    elements = std::max(elements, getElements(type));
  for (Operation &op : map.getBody().front()) {
    if (op.hasTrait<OpTrait::IsTerminator>() || op.hasTrait<OpTrait::ConstantLike>())
      continue;
    (isSpecialFunction(&op) ? counts.functions : counts.arithmetic) += elements;
  }
}

void tkc::countWork(Operation *op, WorkCounts &counts) {
  if (auto wgmma = dyn_cast<WgmmaOp>(op)) {
    FragmentType acc = wgmma.getAcc().getType();
    SharedType b = wgmma.getB().getType();
    int64_t cols = acc.getCols() - (wgmma.getSums() ? tk::columnsOfOnes : 0);
    int64_t depth = b.getRows() * b.getCols() / cols;
    counts.operations +=
        2 * acc.getRows() * acc.getCols() * depth * tk::getStorageBits(b.getElementType()) / 16;
    counts.sharedBytes += getBytes(b) * (acc.getRows() / mBlockRows);
    if (isa<SharedType>(wgmma.getA().getType()))
      counts.sharedBytes += getBytes(wgmma.getA().getType());
  } else if (auto map = dyn_cast<MapOp>(op)) {
    countMap(map, counts);
  } else if (isa<ReduceRowsOp, ReduceColumnsOp>(op)) {
    counts.arithmetic += getElements(op->getOperand(0).getType());
  } else if (Value loaded = getTileCompletedBy(op, Completion::Bytes)) {
    counts.loadedBytes += getBytes(loaded.getType());
    counts.sharedBytes += getBytes(loaded.getType());
  } else if (Value stored = getTileCompletedBy(op, Completion::StoreGroup)) {
    counts.storedBytes += getBytes(stored.getType());
  }
}

/// True for what a warp votes for, or for what a branch gives that votes in one of its cases.
static bool isVote(Value condition) {
  auto result = dyn_cast<OpResult>(condition);
  if (!result)
    return false;
  if (auto branch = dyn_cast<scf::IfOp>(result.getOwner()))
    return isVote(branch.thenYield().getOperand(result.getResultNumber()));
  return isa<AnyRowOp, AnyLargeOp>(result.getOwner());
}

WorkCounts tkc::countWork(Block &block) {
  WorkCounts counts;
  for (Operation &op : block) {
    if (isa<MapOp>(op) || op.getNumRegions() == 0) {
      countWork(&op, counts);
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        // A warp's vote rarely holds, and a loop's cost is that of its usual iteration.
        auto branch = dyn_cast<scf::IfOp>(op);
        if (branch && isVote(branch.getCondition()) && &inner == branch.thenBlock())
          continue;
        counts.add(countWork(inner), 1);
      }
  }
  return counts;
}
