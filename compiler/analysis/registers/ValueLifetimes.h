//===- ValueLifetimes.h - Which values are alive at once ------------------===//
//
// Where a value is still needed, in structured control flow. mlir::Liveness knows
// blocks; it does not know that the body of a loop runs again, so that a
// value from outside which it reads at its top is alive at its bottom.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_VALUELIFETIMES_H
#define TKC_ANALYSIS_VALUELIFETIMES_H

#include "mlir/IR/Operation.h"

namespace tkc {

/// True for an operation whose region may run again after it has run.
bool isLoop(mlir::Operation *op);

/// True if `value`, which exists when `op` begins, is needed once it has ended.
bool isAliveAfter(mlir::Value value, mlir::Operation *op);

/// True if `value` is needed when `made` has just been made.
bool isNeededWhenMade(mlir::Value value, mlir::Value made);

/// True if both values must be kept at some point, so that they cannot be one variable.
bool areAliveAtOnce(mlir::Value a, mlir::Value b);

} // namespace tkc

#endif // TKC_ANALYSIS_VALUELIFETIMES_H
