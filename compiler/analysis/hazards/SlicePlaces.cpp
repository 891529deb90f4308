//===- SlicePlaces.cpp - Where parts of shared tiles begin ----------------===//
#include "analysis/hazards/SlicePlaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tkc;

/// A scalar that is computed from the number of a worker, for one of them.
static std::optional<int64_t> evaluate(Value value, tk::EachOp each, int64_t worker) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  if (each && value == each.getIndex())
    return worker;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<int64_t> left = evaluate(op->getOperand(0), each, worker);
  std::optional<int64_t> right = evaluate(op->getOperand(1), each, worker);
  if (!left || !right)
    return std::nullopt;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    if (compare.getPredicate() == arith::CmpIPredicate::eq)
      return *left == *right;
    if (compare.getPredicate() == arith::CmpIPredicate::ne)
      return *left != *right;
    return std::nullopt;
  }
  if (isa<arith::AddIOp>(op))
    return *left + *right;
  if (isa<arith::SubIOp>(op))
    return *left - *right;
  if (isa<arith::MinSIOp>(op))
    return std::min(*left, *right);
  if (isa<arith::MulIOp>(op))
    return *left * *right;
  if (isa<arith::DivSIOp>(op) && *right != 0)
    return *left / *right;
  if (isa<arith::RemSIOp>(op) && *right != 0)
    return *left % *right;
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> tkc::evaluateForWorkers(Value value, tk::EachOp each) {
  SmallVector<int64_t> numbers;
  for (int64_t worker = 0; worker < (each ? int64_t(each.getCount()) : 1); ++worker) {
    std::optional<int64_t> number = evaluate(value, each, worker);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<SmallVector<int64_t>> tkc::getSlicePlaces(tk::SliceOp slice, unsigned dim) {
  const int64_t offset = slice.getOffsets()[dim];
  if (slice.getIndices().empty())
    return SmallVector<int64_t>{offset};
  std::optional<SmallVector<int64_t>> places =
      evaluateForWorkers(slice.getIndices()[dim], slice->getParentOfType<tk::EachOp>());
  if (places)
    for (int64_t &place : *places)
      place += offset;
  return places;
}
