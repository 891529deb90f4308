//===- DeadCode.h - What nobody needs -------------------------------------===//
#ifndef TKC_PASSES_DEADCODE_H
#define TKC_PASSES_DEADCODE_H

#include "dialect/hopper/Hopper.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tkc {

/// Erases scalars and fills in `root` that nobody reads: code that was cloned brings all of its own
/// along, of which it may need only some.
inline void eraseUnread(mlir::Operation *root) {
  root->walk<mlir::WalkOrder::PostOrder, mlir::ReverseIterator>([](mlir::Operation *op) {
    if (mlir::isOpTriviallyDead(op) || (mlir::isa<hopper::FillOp>(op) && op->use_empty()))
      op->erase();
  });
}

} // namespace tkc

#endif // TKC_PASSES_DEADCODE_H
