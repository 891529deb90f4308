//===- BoundedIndex.cpp - Indices from memory stay outside of a tensor ----===//
//
// A page that a table names may not exist. Its elements read as zero and are not written, as all
// that is outside of a tensor: TMA and threads look at the coordinates. But these are 32-bit
// numbers of elements, and of an index that counts tiles of 64 rows, 2^25 would be row -2^31, at
// which a TMA store traps, and 2^26 row 0. So an index from memory is bounded before it is
// multiplied. Grids and loops never count so far.
//
//===----------------------------------------------------------------------===//
#include "passes/tile/BoundedIndex.h"

#include "dialect/hopper/Hopper.h"
#include "dialect/tk/TkElementOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tkc;

/// True if its results are small whatever its operands are: a quotient by `size` or more, or a
/// remainder.
static bool isSmall(Operation *op, int64_t size) {
  APInt divisor;
  if (op->getNumOperands() != 2 || !matchPattern(op->getOperand(1), m_ConstantInt(&divisor)))
    return false;
  if (isa<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op))
    return divisor.getSExtValue() >= size;
  return isa<arith::RemSIOp>(op) && divisor.getSExtValue() * size <= INT32_MAX;
}

/// True if the value may be computed from an element of a tensor, so that it may be anything.
static bool comesFromMemory(Value value, int64_t size) {
  SetVector<Value> sources;
  sources.insert(value);
  auto insertAll = [&](ValueRange values) { sources.insert(values.begin(), values.end()); };
  for (size_t i = 0; i < sources.size(); ++i) {
    if (auto argument = dyn_cast<BlockArgument>(sources[i])) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (loop && argument == loop.getInductionVar())
        sources.insert(loop.getLowerBound());
      else if (loop)
        insertAll(
            {loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopYieldedValue(argument)->get()});
      continue;
    }
    Operation *op = sources[i].getDefiningOp();
    if (isa<tk::ElementOp, hopper::LoadElementOp>(op))
      return true;
    if (isSmall(op, size))
      continue;
    for (Value operand : op->getOperands())
      if (operand.getType().isInteger(32))
        sources.insert(operand);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        insertAll(block.getTerminator()->getOperands());
  }
  return false;
}

/// True if the value is the larger one of another and a constant from 0 on.
static bool isNonNegative(Value value) {
  auto larger = value.getDefiningOp<arith::MaxSIOp>();
  return larger && llvm::any_of(larger->getOperands(), [](Value operand) {
           APInt constant;
           return matchPattern(operand, m_ConstantInt(&constant)) && !constant.isNegative();
         });
}

Value tkc::boundIndex(OpBuilder &builder, Location loc, Value index, int64_t size) {
  if (size == 1 || !comesFromMemory(index, size))
    return index;
  const int64_t tiles = (int64_t(1) << 31) / size;
  auto getConstant = [&](int64_t number) {
    return builder.create<arith::ConstantIntOp>(loc, number, 32);
  };
  Value bounded = builder.createOrFold<arith::MinSIOp>(loc, index, getConstant(tiles - 1));
  if (isNonNegative(index))
    return bounded;
  return builder.createOrFold<arith::MaxSIOp>(loc, bounded, getConstant(-tiles));
}
