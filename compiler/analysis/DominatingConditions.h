//===- DominatingConditions.h - Bounds of scalars that conditions imply ---===//
#ifndef TKC_ANALYSIS_DOMINATINGCONDITIONS_H
#define TKC_ANALYSIS_DOMINATINGCONDITIONS_H

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include <optional>

namespace tkc {

/// The range of a scalar that holds everywhere; none if an analysis has not reached it.
using ScalarRange = llvm::function_ref<std::optional<mlir::ConstantIntRanges>(mlir::Value)>;

/// True if `left` - `right` <= `most` wherever `at` runs, by the conditions of the branches around
/// it, the bounds of loops and grids, and the ranges. Null stands for 0.
bool isDifferenceAtMost(mlir::Value left, mlir::Value right, int64_t most, mlir::Operation *at,
                        ScalarRange getRange);

} // namespace tkc

#endif // TKC_ANALYSIS_DOMINATINGCONDITIONS_H
