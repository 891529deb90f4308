//===- TripCount.h - Whether a loop surely runs ---------------------------===//
#ifndef TKC_ANALYSIS_TRIPCOUNT_H
#define TKC_ANALYSIS_TRIPCOUNT_H

#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tkc {

/// Ranges of the scalars of a kernel, from MLIR's integer range analysis.
class TripCount {
public:
  explicit TripCount(mlir::Operation *kernel);

  /// True if the loop's body provably runs at least once each time the loop is reached.
  bool isAtLeastOne(mlir::scf::ForOp loop) const;

  /// True if `value` is provably not negative where `at` runs.
  bool isNonNegative(mlir::Value value, mlir::Operation *at) const;

private:
  /// True if `left` - `right` <= `most` wherever `at` runs; null stands for 0.
  bool isAtMost(mlir::Value left, mlir::Value right, int64_t most, mlir::Operation *at) const;

  mlir::DataFlowSolver solver;
};

} // namespace tkc

#endif // TKC_ANALYSIS_TRIPCOUNT_H
