//===- TripCount.cpp - Whether a loop surely runs -------------------------===//
//
// Extents are at least 1, which `tk.extent` tells the analysis, so a loop over
// cdiv(A.cols(), 64) runs at least once, however the user wrote it. So does a loop up to n
// after `if (n <= 0) continue;`, where the analysis of ranges knows nothing: what conditions
// around an operation say is asked of them by DominatingConditions.cpp.
//
//===----------------------------------------------------------------------===//
#include "analysis/TripCount.h"

#include "analysis/DominatingConditions.h"
#include "dialect/hopper/HopperTileOps.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"

using namespace mlir;
using namespace tkc;

namespace {
/// MLIR's analysis gives up on operations with operands that are not integers, such as the tensor
/// of `tk.extent`, and knows nothing of grids and `tk.each`.
class ScalarRanges : public dataflow::IntegerRangeAnalysis {
public:
  using IntegerRangeAnalysis::IntegerRangeAnalysis;

  void visitOperation(Operation *op, ArrayRef<const dataflow::IntegerValueRangeLattice *> operands,
                      ArrayRef<dataflow::IntegerValueRangeLattice *> results) override {
    auto extent = dyn_cast<tk::ExtentOp>(op);
    if (!extent)
      return IntegerRangeAnalysis::visitOperation(op, operands, results);
    extent.inferResultRanges({}, [&](Value, const ConstantIntRanges &range) {
      propagateIfChanged(results.front(), results.front()->join(IntegerValueRange(range)));
    });
  }

  void setToEntryState(dataflow::IntegerValueRangeLattice *lattice) override {
    auto index = dyn_cast<BlockArgument>(lattice->getPoint());
    if (auto each = index ? dyn_cast<tk::EachOp>(index.getOwner()->getParentOp()) : tk::EachOp())
      return setToCount(lattice, each.getCount());
    Value extent = index ? getGridExtent(index) : Value();
    if (!extent)
      return IntegerRangeAnalysis::setToEntryState(lattice);
    const auto *range = getLatticeElementFor(index.getOwner(), extent);
    if (range->getValue().isUninitialized())
      return;
    setToCount(lattice, range->getValue().getValue().smax().getSExtValue());
  }

private:
  /// 0 to `count` - 1.
  void setToCount(dataflow::IntegerValueRangeLattice *lattice, int64_t count) {
    APInt zero(32, 0), last(32, std::max<int64_t>(count - 1, 0));
    propagateIfChanged(lattice,
                       lattice->join(IntegerValueRange(ConstantIntRanges::fromSigned(zero, last))));
  }

  /// The extent that bounds an index of a grid.
  static Value getGridExtent(BlockArgument index) {
    Operation *parent = index.getOwner()->getParentOp();
    if (auto grid = dyn_cast<tk::GridOp>(parent))
      return grid.getExtents()[index.getArgNumber()];
    if (auto loop = dyn_cast<hopper::TileLoopOp>(parent))
      return loop.getExtents()[index.getArgNumber()];
    return {};
  }
};
} // namespace

TripCount::TripCount(Operation *kernel) {
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<ScalarRanges>();
  // Without a result every question is answered with no.
  (void)solver.initializeAndRun(kernel);
}

/// The range of `value`; none if the analysis did not reach it.
static std::optional<ConstantIntRanges> getRange(const DataFlowSolver &solver, Value value) {
  const auto *lattice = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  if (!lattice || lattice->getValue().isUninitialized())
    return std::nullopt;
  return lattice->getValue().getValue();
}

bool TripCount::isAtLeastOne(scf::ForOp loop) const {
  if (hopper::getTileShare(loop)) // no more blocks than tiles
    return true;
  return isAtMost(loop.getLowerBound(), loop.getUpperBound(), -1, loop);
}

bool TripCount::isNonNegative(Value value, Operation *at) const {
  return isAtMost({}, value, 0, at);
}

bool TripCount::isAtMost(Value left, Value right, int64_t most, Operation *at) const {
  return isDifferenceAtMost(left, right, most, at,
                            [&](Value value) { return getRange(solver, value); });
}
