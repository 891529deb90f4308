//===- MapBodies.h - What scalars in the body of a map come from ----------===//
#ifndef TKC_PASSES_MAPBODIES_H
#define TKC_PASSES_MAPBODIES_H

#include "mlir/IR/Operation.h"

namespace tkc {

/// The operand of `map`, a `hopper.map` or `hopper.any_row`, whose element `value` is; null if it
/// is none.
inline mlir::Value getOperandOf(mlir::Value value, mlir::Operation *map) {
  auto element = llvm::dyn_cast<mlir::BlockArgument>(value);
  bool isElement = element && element.getOwner() == &map->getRegion(0).front() &&
                   element.getArgNumber() < map->getNumOperands();
  return isElement ? map->getOperand(element.getArgNumber()) : mlir::Value();
}

/// True if a scalar of the body of `map` is computed from the element of `operand`.
inline bool dependsOn(mlir::Value value, mlir::Value operand, mlir::Operation *map) {
  if (getOperandOf(value, map) == operand)
    return true;
  mlir::Operation *op = value.getDefiningOp();
  return op && op->getBlock() == &map->getRegion(0).front() &&
         llvm::any_of(op->getOperands(),
                      [&](mlir::Value part) { return dependsOn(part, operand, map); });
}

} // namespace tkc

#endif // TKC_PASSES_MAPBODIES_H
