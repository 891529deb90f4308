//===- OperationOrder.h - Orders that mlir::Liveness may ask for ----------===//
#ifndef TKC_ANALYSIS_OPERATIONORDER_H
#define TKC_ANALYSIS_OPERATIONORDER_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace tkc {

/// Numbers the ops of every block within `root`; to be called before mlir::Liveness is asked. Of a
/// block from which all ops but one were erased, LLVM 19 asks for a neighbour's number
/// (Operation::updateOrderIfNecessary), and there is no neighbour.
inline void numberOperations(mlir::Operation *root) {
  root->walk([](mlir::Block *block) {
    if (!block->empty())
      block->recomputeOpOrder();
  });
}

} // namespace tkc

#endif // TKC_ANALYSIS_OPERATIONORDER_H
