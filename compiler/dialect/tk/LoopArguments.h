//===- LoopArguments.h - Values that a loop carries -----------------------===//
#ifndef TKC_DIALECT_TK_LOOPARGUMENTS_H
#define TKC_DIALECT_TK_LOOPARGUMENTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/BitVector.h"

namespace tkc::tk {

/// The loop with those of its iteration arguments alone that `isKept` names; the others and
/// their results are from now on their initial values.
mlir::scf::ForOp keepArguments(mlir::scf::ForOp loop, const llvm::BitVector &isKept);

} // namespace tkc::tk

#endif // TKC_DIALECT_TK_LOOPARGUMENTS_H
