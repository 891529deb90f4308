//===- Postfix.cpp - Scalar values as postfix lists -----------------------===//
#include "backend/Postfix.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;

namespace {
struct Word {
  StringRef op, word;
};
} // namespace

static constexpr Word words[] = {
    {arith::AddIOp::getOperationName(), "add"},
    {arith::SubIOp::getOperationName(), "sub"},
    {arith::MulIOp::getOperationName(), "mul"},
    {arith::DivSIOp::getOperationName(), "div"},
    {arith::RemSIOp::getOperationName(), "rem"},
    {arith::CeilDivSIOp::getOperationName(), "ceil_div"},
    {arith::MinSIOp::getOperationName(), "min"},
    {arith::MaxSIOp::getOperationName(), "max"},
    {arith::AndIOp::getOperationName(), "and"},
    {arith::OrIOp::getOperationName(), "or"},
    {arith::XOrIOp::getOperationName(), "xor"},
    {arith::ShLIOp::getOperationName(), "shl"},
    {arith::ShRSIOp::getOperationName(), "shr"},
    {arith::SelectOp::getOperationName(), "select"},
};

static StringRef wordOf(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return "eq";
  case arith::CmpIPredicate::ne:
    return "ne";
  case arith::CmpIPredicate::slt:
    return "lt";
  case arith::CmpIPredicate::sle:
    return "le";
  case arith::CmpIPredicate::sgt:
    return "gt";
  case arith::CmpIPredicate::sge:
    return "ge";
  default:
    return {};
  }
}

static StringRef wordOf(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return wordOf(compare.getPredicate());
  for (const Word &word : words)
    if (word.op == op->getName().getStringRef())
      return word.word;
  return {};
}

void Postfix::append(Value value, llvm::json::Array &list) {
  if (auto known = lists.find(value); known != lists.end()) {
    llvm::append_range(list, known->second);
    return;
  }
  if (const std::string *name = values.nameOf(value)) {
    list.push_back("$" + *name);
    return;
  }
  if (std::optional<int64_t> constant = constantValue(value)) {
    // A true i1 is -1 as a signed number.
    list.push_back(value.getType().isInteger(1) ? int64_t(*constant != 0) : *constant);
    return;
  }
  Operation *op = value.getDefiningOp();
  StringRef word = op ? wordOf(op) : StringRef();
  Type type = value.getType();
  if (word.empty() || !(type.isInteger(32) || type.isInteger(1)))
    return values.error(op ? op : value.getParentBlock()->getParentOp(),
                        "is needed for the launch, but has no spelling in a launch plan");
  for (Value operand : op->getOperands())
    append(operand, list);
  list.push_back(word);
}

llvm::json::Array Postfix::list(Value value) {
  llvm::json::Array result;
  append(value, result);
  return result;
}
