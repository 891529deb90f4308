//===- Constants.cpp - Constants of a kernel ------------------------------===//
#include "frontend/Constants.h"

using namespace tkc;

mlir::Value Constants::get(mlir::TypedAttr value, mlir::Location loc) {
  mlir::Value &constant = known[value];
  if (constant)
    return constant;
  mlir::OpBuilder::InsertionGuard guard(builder);
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(entry);
  auto op = builder.create<mlir::arith::ConstantOp>(loc, value);
  last = op;
  return constant = op;
}

mlir::Value Constants::fold(mlir::Value result) {
  mlir::Operation *op = result.getDefiningOp();
  llvm::SmallVector<mlir::Attribute> operands;
  for (mlir::Value operand : op->getOperands()) {
    mlir::Attribute value;
    if (!mlir::matchPattern(operand, mlir::m_Constant(&value)))
      return result;
    operands.push_back(value);
  }
  llvm::SmallVector<mlir::OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.size() != 1)
    return result;
  mlir::Value folded = llvm::dyn_cast<mlir::Value>(results.front());
  if (!folded) {
    auto value = dyn_cast<mlir::TypedAttr>(cast<mlir::Attribute>(results.front()));
    if (!value || value.getType() != result.getType())
      return result;
    folded = get(value, op->getLoc());
  }
  op->erase();
  return folded;
}

std::optional<int64_t> Constants::valueOf(mlir::Value value) {
  mlir::APInt number;
  if (!value || !mlir::matchPattern(value, mlir::m_ConstantInt(&number)))
    return std::nullopt;
  return value.getType().isInteger(1) ? int64_t(number.getBoolValue()) : number.getSExtValue();
}
