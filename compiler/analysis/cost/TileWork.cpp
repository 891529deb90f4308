//===- TileWork.cpp - Which tiles of a grid are more work -----------------===//
#include "analysis/cost/TileWork.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tkc;

/// Of a sum, a minimum or a maximum.
static Trend combine(Trend a, Trend b) {
  if (a == Trend::Constant || a == b)
    return b;
  return b == Trend::Constant ? a : Trend::Unknown;
}

static Trend negate(Trend trend) {
  if (trend == Trend::Rising)
    return Trend::Falling;
  return trend == Trend::Falling ? Trend::Rising : trend;
}

static bool isPositiveConstant(Value value) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) && constant.isStrictlyPositive();
}

/// Of a difference. If it is not known, `guesses` takes the minuend's: a window or a document that
/// a row looks back in is longest where it does not begin at the first key.
static Trend subtract(Trend a, Trend b, bool guesses) {
  Trend difference = combine(a, negate(b));
  return guesses && difference == Trend::Unknown ? a : difference;
}

static Trend getTrend(Value value, tk::GridOp grid, bool guesses) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &grid.getBody().front())
      return grid->isAncestor(argument.getOwner()->getParentOp()) ? Trend::Unknown
                                                                  : Trend::Constant;
    return argument.getArgNumber() == 0 ? Trend::Rising : Trend::Constant;
  }
  Operation *op = value.getDefiningOp();
  if (!grid->isAncestor(op))
    return Trend::Constant;
  auto of = [&](unsigned operand) { return getTrend(op->getOperand(operand), grid, guesses); };
  if (isa<arith::AddIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return combine(of(0), of(1));
  if (isa<arith::SubIOp>(op))
    return subtract(of(0), of(1), guesses);
  if (isa<arith::MulIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op) &&
      isPositiveConstant(op->getOperand(1)))
    return of(0);
  // Anything else that does not depend on the index stays the same with it.
  bool isScalar = op->getNumRegions() == 0 && llvm::all_of(op->getOperands(), [&](Value operand) {
                    return getTrend(operand, grid, guesses) == Trend::Constant;
                  });
  return isScalar ? Trend::Constant : Trend::Unknown;
}

static bool dependsOnIndex(Value value, tk::GridOp grid, unsigned number) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &grid.getBody().front() && argument.getArgNumber() == number;
  Operation *op = value.getDefiningOp();
  return grid->isAncestor(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOnIndex(operand, grid, number);
         });
}

/// True if a load of a loop brings the same whatever this index of the grid is.
static bool isShared(tk::LoadOp load, tk::GridOp grid, unsigned number) {
  return llvm::none_of(load.getIndices(),
                       [&](Value index) { return dependsOnIndex(index, grid, number); });
}

/// True if the value is the loop's induction variable, or goes up or down with it from some place
/// on.
static bool movesWith(scf::ForOp loop, Value value) {
  if (value == loop.getInductionVar())
    return true;
  Operation *sum = value.getDefiningOp();
  return isa_and_nonnull<arith::AddIOp, arith::SubIOp>(sum) &&
         (movesWith(loop, sum->getOperand(0)) || movesWith(loop, sum->getOperand(1)));
}

/// True if tiles of all first indices, or of those around, move the same to or from this place in
/// a loop: it does not depend on the index, or that says only where the loop begins.
static bool isShared(OperandRange indices, scf::ForOp loop, tk::GridOp grid) {
  return llvm::all_of(indices, [&](Value index) {
    return !dependsOnIndex(index, grid, 0) || movesWith(loop, index);
  });
}

bool tkc::isReadAgain(tk::LoadOp load, tk::GridOp grid) {
  for (BlockArgument index : grid.getIndices())
    if (isShared(load, grid, index.getArgNumber()))
      return true;
  return false;
}

static Trend getTrips(scf::ForOp loop, tk::GridOp grid, bool guesses) {
  return subtract(getTrend(loop.getUpperBound(), grid, guesses),
                  getTrend(loop.getLowerBound(), grid, guesses), guesses);
}

TileWork tkc::getTileWork(tk::GridOp grid) {
  TileWork work;
  Trend likely = Trend::Constant;
  grid.walk([&](scf::ForOp loop) {
    SmallVector<tk::LoadOp> loads(loop.getOps<tk::LoadOp>());
    if (loads.empty())
      return;
    Trend trips = getTrips(loop, grid, /*guesses=*/false);
    work.trend = combine(work.trend, trips);
    likely = combine(likely, getTrips(loop, grid, /*guesses=*/true));
    if (trips == Trend::Constant)
      return;
    // Each tensor once, however many parts of its rows come and go. Vectors are few bytes beside
    // tiles.
    auto add = [&](Value tensor) {
      if (!llvm::is_contained(work.shared, tensor))
        work.shared.push_back(tensor);
    };
    for (tk::LoadOp load : loads)
      if (isa<tk::TileType>(load.getResult().getType()) && isShared(load.getIndices(), loop, grid))
        add(load.getSource());
    for (auto store : loop.getOps<tk::StoreOp>())
      if (store.getAccumulate() && isa<tk::TileType>(store.getValue().getType()) &&
          isShared(store.getIndices(), loop, grid))
        add(store.getDest());
  });
  work.lastAreLongest = likely == Trend::Rising;
  return work;
}
