//===- GuardedOps.cpp - Ops that C++ would not run always -----------------===//
#include "frontend/GuardedOps.h"

using namespace tkc;
namespace arith = mlir::arith;

mlir::Operation *tkc::lastOp(mlir::OpBuilder &builder) {
  mlir::Block::iterator next = builder.getInsertionPoint();
  return next == builder.getInsertionBlock()->begin() ? nullptr : &*std::prev(next);
}

llvm::SmallVector<mlir::Operation *> tkc::opsSince(mlir::Operation *last,
                                                   mlir::OpBuilder &builder) {
  llvm::SmallVector<mlir::Operation *> ops;
  auto next = last ? std::next(last->getIterator()) : builder.getInsertionBlock()->begin();
  for (; next != builder.getInsertionPoint(); ++next)
    if (!isa<arith::ConstantOp>(*next)) // those stand at the top of the kernel
      ops.push_back(&*next);
  return ops;
}

bool tkc::mayDivideByZero(mlir::Operation *op) {
  mlir::APInt divisor;
  return isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp>(op) &&
         !(mlir::matchPattern(op->getOperand(1), mlir::m_ConstantInt(&divisor)) &&
           !divisor.isZero());
}

void tkc::guardDivisors(llvm::ArrayRef<mlir::Operation *> ops, mlir::Value condition, bool when,
                        mlir::OpBuilder &builder, Constants &constants) {
  mlir::OpBuilder::InsertionGuard insertion(builder);
  for (mlir::Operation *op : ops) {
    if (!mayDivideByZero(op))
      continue;
    builder.setInsertionPoint(op);
    mlir::Value divisor = op->getOperand(1), one = constants.get(1, op->getLoc());
    op->setOperand(1, builder.create<arith::SelectOp>(op->getLoc(), condition, when ? divisor : one,
                                                      when ? one : divisor));
  }
}
