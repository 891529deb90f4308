//===- RegisterVariables.cpp - The tile variables of a role ---------------===//
#include "backend/RegisterVariables.h"

#include "dialect/hopper/Hopper.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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
