//===- WorkCounts.cpp - Work of an op for the parts of an SM --------------===//
#include "analysis/cost/WorkCounts.h"

#include "analysis/cost/CostModel.h"
#include "dialect/hopper/HopperElementOps.h"
#include "dialect/hopper/HopperLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

void WorkCounts::add(const WorkCounts &other, int64_t times) {
  operations += times * other.operations;
  functions += double(times) * other.functions;
  arithmetic += double(times) * other.arithmetic;
  votes += times * other.votes;
  waits += times * other.waits;
  sharedBytes += times * other.sharedBytes;
  loadedBytes += times * other.loadedBytes;
  storedBytes += times * other.storedBytes;
}

static int64_t getBytes(Type type) {
  auto tile = cast<SharedType>(type);
  return tile.getRows() * tile.getCols() * tk::getStorageBits(tile.getElementType()) / 8;
}

/// Elements that a warpgroup holds of a value, copies of a row's value included; of a value of the
/// tk dialect, those of all warpgroups together.
static double getElements(Type type) {
  if (auto tile = dyn_cast<tk::TileType>(type))
    return double(tile.getRows() * tile.getCols());
  if (auto vector = dyn_cast<tk::TileVectorType>(type))
    return double(std::max(vector.getRows(), vector.getCols()));
  if (auto fragment = dyn_cast<FragmentType>(type))
    return double(fragment.getRows() * fragment.getCols());
  if (auto vector = dyn_cast<FragmentVectorType>(type))
    return double(vector.getRegisters() * warpgroupThreads);
  return 0;
}

static void countMma(tk::MmaOp mma, WorkCounts &counts) {
  auto acc = cast<tk::TileType>(mma.getAcc().getType());
  auto b = cast<tk::TileType>(mma.getB().getType());
  counts.operations +=
      2 * acc.getRows() * b.getRows() * b.getCols() * tk::getStorageBits(b.getElementType()) / 16;
}

/// One scalar operation of a map, for so many elements.
static void countScalar(Operation *op, double elements, WorkCounts &counts) {
  if (op->hasTrait<OpTrait::IsTerminator>() || op->hasTrait<OpTrait::ConstantLike>() ||
      isa<arith::NegFOp, math::AbsFOp>(op))
    return;
  // The argument or the result of these is scaled.
  const bool isScaled = isa<math::ExpOp, math::LogOp, arith::DivFOp, math::TanhOp>(op);
  if (isScaled ||
      isa<math::Exp2Op, math::Log2Op, math::SqrtOp, math::RsqrtOp, math::SinOp, math::CosOp>(op)) {
    counts.functions += elements;
    counts.arithmetic += isScaled ? 2 * elements : 0;
    return;
  }
  auto result = dyn_cast<FloatType>(op->getResult(0).getType());
  const bool isPacked = isa<arith::TruncFOp>(op) && result && result.getWidth() == 16;
  counts.arithmetic += isPacked ? elements / 2 : elements;
}

template <typename OpType> static void countMap(OpType map, WorkCounts &counts) {
  double elements = 0;
  for (Type type : map->getResultTypes())
    elements = std::max(elements, getElements(type));
  llvm::DenseMap<Value, double> computed; // how many elements a value has
  for (auto [element, input] : llvm::zip(map.getElements(), map.getInputs()))
    computed[element] = getElements(input.getType());
  for (BlockArgument coordinate : map.getCoordinates())
    computed[coordinate] = elements;
  for (Operation &op : map.getBody().front()) {
    double most = 0;
    for (Value operand : op.getOperands())
      most = std::max(most, computed.lookup(operand)); // scalars of the thread have none
    for (Value result : op.getResults())
      computed[result] = most;
    countScalar(&op, most, counts);
  }
}

static void countMma(WgmmaOp wgmma, WorkCounts &counts) {
  FragmentType acc = wgmma.getAcc().getType();
  SharedType b = wgmma.getB().getType();
  int64_t cols = acc.getCols() - (wgmma.getSums() ? tk::columnsOfOnes : 0);
  int64_t depth = b.getRows() * b.getCols() / cols;
  counts.operations +=
      2 * acc.getRows() * acc.getCols() * depth * tk::getStorageBits(b.getElementType()) / 16;
  counts.sharedBytes += getBytes(b) * (acc.getRows() / mBlockRows);
  if (isa<SharedType>(wgmma.getA().getType()))
    counts.sharedBytes += getBytes(wgmma.getA().getType());
}

void tkc::countWork(Operation *op, WorkCounts &counts) {
  if (Value loaded = getTileCompletedBy(op, Completion::Bytes)) {
    counts.loadedBytes += getBytes(loaded.getType());
    counts.sharedBytes += getBytes(loaded.getType());
    return;
  }
  if (Value stored = getTileCompletedBy(op, Completion::StoreGroup)) {
    counts.storedBytes += getBytes(stored.getType());
    return;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](WgmmaOp wgmma) { countMma(wgmma, counts); })
      .Case([&](tk::MmaOp mma) { countMma(mma, counts); })
      .Case<MapOp, tk::MapOp>([&](auto map) { countMap(map, counts); })
      .Case<ReduceRowsOp, ReduceColumnsOp, ScanOp, tk::ReduceOp>(
          [&](auto) { counts.arithmetic += getElements(op->getOperand(0).getType()); })
      .Case([&](ScaleColumnsOp scale) { // two instructions for a pair
        counts.arithmetic += getElements(scale.getResult().getType());
      })
      .Case([&](FillOp fill) { counts.arithmetic += getElements(fill->getResult(0).getType()); })
      .Case([&](AnyLargeOp vote) {
        ++counts.votes;
        counts.arithmetic += getElements(vote->getOperand(0).getType()) / 2;
      })
      .Case<WaitBarrierOp, tk::LoadOp>([&](auto) { ++counts.waits; });
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

/// True for code that asks where elements lie.
static bool masks(Region &region) {
  return region
      .walk([](MapOp map) {
        return map.getCoordinates().empty() ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

bool tkc::isRarelyTaken(scf::IfOp branch) {
  return isVote(branch.getCondition()) ||
         (masks(branch.getThenRegion()) && !branch.getElseRegion().empty() &&
          !masks(branch.getElseRegion()));
}

/// Which of two amounts is more, where only that matters.
static double weigh(const WorkCounts &counts) {
  PartCycles cycles = getPartCycles(counts);
  return cycles.tensorCores + cycles.specialFunctions + cycles.arithmetic + cycles.l2;
}

/// Of a branch the side that is taken more often, or else the one with more work.
static WorkCounts countSide(scf::IfOp branch) {
  WorkCounts likely;
  for (Region &region : branch->getRegions()) {
    if (region.empty() || (&region == &branch.getThenRegion() && isRarelyTaken(branch)))
      continue;
    WorkCounts side = countWork(region.front());
    if (weigh(side) > weigh(likely))
      likely = side;
  }
  return likely;
}

WorkCounts tkc::countWork(Block &block) {
  WorkCounts counts;
  for (Operation &op : block)
    if (isa<MapOp, tk::MapOp>(op) || op.getNumRegions() == 0)
      countWork(&op, counts);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      counts.add(countSide(branch), 1);
    else
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          counts.add(countWork(inner), 1); // a loop's cost is that of its usual iteration
  return counts;
}
