//===- SharedValues.cpp - Shared memory as values -------------------------===//
#include "frontend/SharedValues.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tkc;

bool tkc::isShared(mlir::Type type) {
  auto tile = dyn_cast<tk::TileType>(type);
  auto vector = dyn_cast<tk::TileVectorType>(type);
  return (tile && tile.isShared()) || (vector && vector.isShared());
}

mlir::Value tkc::createAlloc(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type) {
  // Once for each tile of the grid, however deep in loops it is written.
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Operation *outermost = nullptr;
  for (mlir::Operation *op = builder.getInsertionBlock()->getParentOp();
       op && !isa<tk::GridOp, tk::EachOp, tk::KernelOp>(op); op = op->getParentOp())
    outermost = op;
  if (outermost)
    builder.setInsertionPoint(outermost);
  return builder.create<tk::AllocOp>(loc, type);
}

bool tkc::isWrittenMemory(mlir::Value shared) {
  while (auto argument = dyn_cast<mlir::BlockArgument>(shared)) {
    auto loop = dyn_cast<mlir::scf::ForOp>(argument.getOwner()->getParentOp());
    mlir::OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    if (!init)
      return false;
    shared = init->get();
  }
  if (auto loop = shared.getDefiningOp<mlir::scf::ForOp>())
    return isWrittenMemory(loop.getInitArgs()[cast<mlir::OpResult>(shared).getResultNumber()]);
  return isa_and_nonnull<tk::AllocOp, tk::WriteOp>(shared.getDefiningOp());
}

mlir::Type tkc::inRegisters(mlir::Type type) {
  if (auto tile = dyn_cast<tk::TileType>(type))
    return tk::TileType::get(type.getContext(), tile.getRows(), tile.getCols(),
                             tile.getElementType(), tk::Space::Register,
                             tile.isRegister() ? tile.getLayout() : tk::Layout::Row);
  auto vector = cast<tk::TileVectorType>(type);
  return tk::TileVectorType::get(
      type.getContext(), vector.getLength(), vector.getElementType(), tk::Space::Register,
      vector.isRegister() ? vector.getOrientation() : tk::Orientation::Column);
}
