//===- TripCount.cpp - Whether a loop surely runs -------------------------===//
//
// Extents are at least 1, which `tk.extent` tells the analysis, so a loop over
// cdiv(A.cols(), 64) runs at least once, however the user wrote it.
//
//===----------------------------------------------------------------------===//
#include "analysis/TripCount.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"

using namespace mlir;
using namespace tkc;

TripCount::TripCount(Operation *kernel) {
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<dataflow::IntegerRangeAnalysis>();
  // Without a result every question is answered with no.
  (void)solver.initializeAndRun(kernel);
}

/// What is known of `value`; nothing if the analysis did not reach it.
static std::optional<ConstantIntRanges> getRange(const DataFlowSolver &solver, Value value) {
  const auto *lattice = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  if (!lattice || lattice->getValue().isUninitialized())
    return std::nullopt;
  return lattice->getValue().getValue();
}

bool TripCount::isAtLeastOne(scf::ForOp loop) const {
  std::optional<ConstantIntRanges> lower = getRange(solver, loop.getLowerBound());
  std::optional<ConstantIntRanges> upper = getRange(solver, loop.getUpperBound());
  return lower && upper && lower->smax().slt(upper->smin());
}

bool TripCount::isNonNegative(Value value) const {
  std::optional<ConstantIntRanges> range = getRange(solver, value);
  return range && range->smin().isNonNegative();
}
