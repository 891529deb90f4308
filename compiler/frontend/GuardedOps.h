//===- GuardedOps.h - Ops that C++ would not run always -------------------===//
//
// Where C++ evaluates one of two expressions, both are evaluated here, which is
// cheaper than a branch. A division must not meet a zero that it would not have met.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_GUARDEDOPS_H
#define TKC_FRONTEND_GUARDEDOPS_H

#include "frontend/Constants.h"

namespace tkc {

/// The op before the place where the next one is built; null at the beginning of a block.
mlir::Operation *lastOp(mlir::OpBuilder &builder);

/// The ops that were built since `last` was the last one of its block, constants apart.
llvm::SmallVector<mlir::Operation *> opsSince(mlir::Operation *last, mlir::OpBuilder &builder);

bool mayDivideByZero(mlir::Operation *op);

/// Lets divisions that C++ does only if `condition` equals `when` divide by 1 otherwise.
void guardDivisors(llvm::ArrayRef<mlir::Operation *> ops, mlir::Value condition, bool when,
                   mlir::OpBuilder &builder, Constants &constants);

} // namespace tkc

#endif // TKC_FRONTEND_GUARDEDOPS_H
