//===- SharedValues.cpp - Shared memory as values -------------------------===//
#include "frontend/SharedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace tkc;

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
  if (auto branch = shared.getDefiningOp<mlir::scf::IfOp>())
    return isWrittenMemory(
        branch.thenYield().getOperand(cast<mlir::OpResult>(shared).getResultNumber()));
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

mlir::Value tkc::findBase(mlir::Value shared) {
  for (auto write = shared.getDefiningOp<tk::WriteOp>(); write;
       write = shared.getDefiningOp<tk::WriteOp>()) {
    if (write.getDest().getParentBlock() != write->getBlock())
      return write.getDest();
    shared = write.getDest();
  }
  return shared;
}

bool tkc::picksWarpgroup(mlir::Value condition) {
  auto compare = condition.getDefiningOp<mlir::arith::CmpIOp>();
  if (!compare || (compare.getPredicate() != mlir::arith::CmpIPredicate::eq &&
                   compare.getPredicate() != mlir::arith::CmpIPredicate::ne))
    return false;
  auto isNumber = [](mlir::Value value) {
    auto argument = dyn_cast<mlir::BlockArgument>(value);
    auto each =
        argument ? dyn_cast_or_null<tk::EachOp>(argument.getOwner()->getParentOp()) : nullptr;
    return each && each.getWorker() == tk::EachWorker::Warpgroup;
  };
  auto isConstant = [](mlir::Value value) { return mlir::matchPattern(value, mlir::m_Constant()); };
  return (isNumber(compare.getLhs()) && isConstant(compare.getRhs())) ||
         (isNumber(compare.getRhs()) && isConstant(compare.getLhs()));
}

std::optional<std::pair<mlir::Value, mlir::Value>>
tkc::joinWrites(mlir::Value before, mlir::Value whenTrue, mlir::Value whenFalse) {
  mlir::Value base = before;
  for (mlir::Value side : {whenTrue, whenFalse})
    if (!base && side)
      base = findBase(side);
  auto isWritten = [&](mlir::Value &side) {
    if (!side)
      side = base;
    return side == base || findBase(side) == base;
  };
  if (!base || !isWrittenMemory(base) || !isWritten(whenTrue) || !isWritten(whenFalse))
    return std::nullopt;
  return std::pair(whenTrue, whenFalse);
}
