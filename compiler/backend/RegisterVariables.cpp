//===- RegisterVariables.cpp - The tile variables of a role ---------------===//
#include "backend/RegisterVariables.h"

#include "dialect/hopper/Hopper.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;

RegisterVariables::RegisterVariables(Operation *role)
    : variables(role), names(variables.getCount() + 1) {}

StringRef RegisterVariables::getWantedName(Value value) const {
  StringRef first;
  for (Value member : variables.getMembers(variables.lookup(value))) {
    StringRef name = getSourceName(member);
    if (!name.empty() && isa<BlockArgument>(member))
      return name;
    if (first.empty())
      first = name;
  }
  return first;
}

bool RegisterVariables::isConstant(Value value) const {
  auto isWritten = [](Value member) {
    return member.getDefiningOp() && !isa<scf::ForOp, scf::IfOp>(member.getDefiningOp());
  };
  return llvm::count_if(variables.getMembers(variables.lookup(value)), isWritten) == 1;
}

bool RegisterVariables::discardsMma(OpResult result) const {
  Operation *op = result.getOwner();
  unsigned variable = variables.lookup(result);
  auto isIt = [&](Value value) { return variables.lookup(value) == variable; };
  // An MMA that begins with nothing in its accumulator follows the one before by itself.
  if (!variable || isa<hopper::UninitializedOp>(op) || llvm::any_of(op->getOperands(), isIt))
    return false;
  bool isBefore = true;
  for (Value member : variables.getMembers(variable)) {
    isBefore &= member != result;
    auto mma = member.getDefiningOp<hopper::WgmmaOp>();
    if (!mma)
      continue;
    bool isInIterationBefore = false;
    for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
         loop = loop->getParentOfType<scf::ForOp>())
      isInIterationBefore |= loop->isAncestor(mma) && llvm::any_of(loop.getRegionIterArgs(), isIt);
    if (isInIterationBefore || (isBefore && !insideMutuallyExclusiveRegions(mma, op)))
      return true;
  }
  return false;
}
