//===- MapBodies.h - Origins of scalars in the body of a map --------------===//
#ifndef TKC_PASSES_MAPBODIES_H
#define TKC_PASSES_MAPBODIES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
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

/// The bound if `value`, or its contrary if it `isNegated`, is `operand > bound`, spelt in any way,
/// with a bound that does not depend on the operand. Null otherwise. If that holds for a row's
/// maximum, it holds for one of its parts. `!(operand <= bound)` holds for NaN as well, but a
/// maximum is NaN only if all of its parts are.
inline mlir::Value getBound(mlir::Value value, mlir::Value operand, mlir::Operation *map,
                            bool isNegated = false) {
  using Predicate = mlir::arith::CmpFPredicate;
  if (auto flip = value.getDefiningOp<mlir::arith::XOrIOp>())
    return mlir::matchPattern(flip.getRhs(), mlir::m_One())
               ? getBound(flip.getLhs(), operand, map, !isNegated)
               : mlir::Value();
  auto compare = value.getDefiningOp<mlir::arith::CmpFOp>();
  if (!compare)
    return {};
  bool isGreater = llvm::is_contained({Predicate::OGT, Predicate::OGE}, compare.getPredicate());
  bool isLess = llvm::is_contained({Predicate::OLT, Predicate::OLE}, compare.getPredicate());
  if (isNegated)
    std::swap(isGreater, isLess);
  mlir::Value greater = isGreater ? compare.getLhs() : compare.getRhs();
  mlir::Value less = isGreater ? compare.getRhs() : compare.getLhs();
  bool isBound = (isGreater || isLess) && getOperandOf(greater, map) == operand &&
                 !dependsOn(less, operand, map);
  return isBound ? less : mlir::Value();
}

} // namespace tkc

#endif // TKC_PASSES_MAPBODIES_H
