//===- HandedBack.cpp - Accumulators that waits give back to threads ------===//
#include "analysis/hazards/HandedBack.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// True if anything but MMAs uses the variable's content.
static bool isUsedByThreads(ArrayRef<Value> members) {
  return llvm::any_of(members, [](Value value) {
    return llvm::any_of(value.getUsers(), [](Operation *user) {
      return !isa<WgmmaOp, scf::ForOp, scf::IfOp, scf::YieldOp>(user);
    });
  });
}

/// The content of a variable before `op`: in structured control flow, the last of its values that
/// is known there. Null if there is none: nobody reads the MMA's result.
static Value getCurrent(ArrayRef<Value> members, Operation *op, const DominanceInfo &dominance) {
  Value current;
  for (Value value : members) {
    Operation *maker = value.getDefiningOp();
    Operation *made = maker ? maker : value.getParentBlock()->getParentOp();
    if (dominance.properlyDominates(value, op) &&
        (!current || dominance.properlyDominates(current, made)))
      current = value;
  }
  return current;
}

SmallVector<std::pair<WaitWgmmaOp, SmallVector<Value>>>
tkc::listHandedBack(RoleOp role, const FragmentVariables &variables,
                    const std::map<unsigned, CoveredMmas> &covered) {
  DominanceInfo dominance(role);
  SmallVector<std::pair<WaitWgmmaOp, SmallVector<Value>>> result;
  for (auto &[number, mmas] : covered) {
    SmallVector<Value> values;
    for (unsigned variable : mmas.over) {
      ArrayRef<Value> members = variables.getMembers(variable);
      if (!mmas.running.contains(variable) && isUsedByThreads(members))
        if (Value current = getCurrent(members, mmas.wait, dominance))
          values.push_back(current);
    }
    result.emplace_back(mmas.wait, values);
  }
  return result;
}
