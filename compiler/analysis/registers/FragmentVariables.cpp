//===- FragmentVariables.cpp - Which register values are one variable -----===//
#include "analysis/registers/FragmentVariables.h"

#include "analysis/TileNames.h"
#include "analysis/registers/ValueLifetimes.h"
#include "dialect/hopper/Hopper.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tkc;

using hopper::isInRegisters;

/// Calls `visit` for every register value in `root`, in program order; the arguments of a block
/// come where it begins, the results of a loop or branch after it.
template <typename Visit> static void forEachValue(Operation *root, Visit visit) {
  auto visitAll = [&](ValueRange values) {
    for (Value value : values)
      if (isInRegisters(value))
        visit(value);
  };
  for (Region &region : root->getRegions())
    for (Block &block : region) {
      visitAll(block.getArguments());
      for (Operation &op : block) {
        forEachValue(&op, visit);
        visitAll(op.getResults());
      }
    }
}

FragmentVariables::FragmentVariables(Operation *root, bool inPlace) {
  root->walk([&](Operation *op) { joinCarried(op); });
  llvm::DenseMap<Attribute, Value> numbered;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (Attribute number = op->getAttr(registersAttrName))
      join(numbered.try_emplace(number, op->getResult(0)).first->second, op->getResult(0));
  });
  number(root);
  if (inPlace)
    root->walk<WalkOrder::PreOrder>([&](Operation *op) { joinInPlace(op); });
}

void FragmentVariables::joinCarried(Operation *op) {
  if (Value tied = getTiedOperand(op))
    join(tied, op->getResult(0));
  if (auto loop = dyn_cast<scf::ForOp>(op))
    for (auto [init, argument, yielded, result] :
         llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(),
                         loop.getResults())) {
      join(init, argument);
      join(argument, yielded);
      join(argument, result);
    }
  if (auto branch = dyn_cast<scf::IfOp>(op))
    for (Region *region : branch.getRegions())
      if (!region->empty())
        for (auto [yielded, result] :
             llvm::zip(region->front().getTerminator()->getOperands(), branch.getResults()))
          join(yielded, result);
}

/// Numbers the classes that joinCarried has made, and lists their values.
void FragmentVariables::number(Operation *root) {
  members.resize(1);
  llvm::DenseMap<void *, unsigned> ofClass;
  forEachValue(root, [&](Value value) {
    unsigned &known = ofClass[leader(value)];
    if (!known) {
      known = members.size();
      members.emplace_back();
    }
    members[known].push_back(value);
    numbers[value.getAsOpaquePointer()] = known;
  });
}

/// The user calls the result by the name of the operand's variable, or gives it none.
bool FragmentVariables::haveOneName(Value operand, Value result) const {
  StringRef name = getSourceName(result);
  return name.empty() || llvm::any_of(members[lookup(operand)],
                                      [&](Value member) { return getSourceName(member) == name; });
}

/// An operation may write its result where an operand was that nobody needs any more.
void FragmentVariables::joinInPlace(Operation *op) {
  if (!op->hasTrait<hopper::InPlace>())
    return;
  for (Value result : op->getResults())
    for (Value operand : op->getOperands()) {
      unsigned from = lookup(operand), to = lookup(result);
      if (!from || from == to || operand.getType() != result.getType() ||
          !haveOneName(operand, result) || !mayMerge(from, to))
        continue;
      unsigned first = std::min(from, to), second = std::max(from, to);
      for (Value member : members[second])
        numbers[member.getAsOpaquePointer()] = first;
      llvm::append_range(members[first], members[second]);
      members[second].clear();
      break;
    }
}

bool FragmentVariables::mayMerge(unsigned a, unsigned b) const {
  for (Value one : members[a])
    for (Value other : members[b])
      if (one.getType() != other.getType() || areAliveAtOnce(one, other))
        return false;
  return true;
}

SmallVector<Value> FragmentVariables::getOverwriting() const {
  SmallVector<Value> overwriting;
  for (ArrayRef<Value> values : members)
    for (Value made : values)
      if (llvm::any_of(values,
                       [&](Value other) { return made != other && isNeededWhenMade(other, made); }))
        overwriting.push_back(made);
  return overwriting;
}

void *FragmentVariables::leader(Value value) const {
  auto found = classes.findLeader(value.getAsOpaquePointer());
  return found == classes.member_end() ? value.getAsOpaquePointer() : *found;
}

void FragmentVariables::join(Value a, Value b) {
  if (isInRegisters(a) && isInRegisters(b))
    classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
}
