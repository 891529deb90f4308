//===- WarpgroupPrograms.cpp - Branches on the number of a warpgroup ------===//
#include "dialect/hopper/WarpgroupPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tkc::hopper;

std::optional<bool> tkc::hopper::takesThen(scf::IfOp branch, RoleOp role, int64_t warpgroup) {
  auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  APInt number;
  if (!compare || role.getBody().getNumArguments() == 0 ||
      compare.getLhs() != role.getBody().getArgument(0) ||
      !matchPattern(compare.getRhs(), m_ConstantInt(&number)))
    return std::nullopt;
  if (compare.getPredicate() == arith::CmpIPredicate::eq)
    return number.getSExtValue() == warpgroup;
  if (compare.getPredicate() == arith::CmpIPredicate::ne)
    return number.getSExtValue() != warpgroup;
  return std::nullopt;
}

bool tkc::hopper::comesTo(Operation *op, RoleOp role, int64_t warpgroup) {
  for (Operation *inner = op, *parent = op->getParentOp(); parent != role;
       inner = parent, parent = parent->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(parent))
      if (std::optional<bool> takes = takesThen(branch, role, warpgroup);
          takes && *takes != (inner->getParentRegion() == &branch.getThenRegion()))
        return false;
  return true;
}

Operation *tkc::hopper::getOwnBranch(Operation *op, Operation *other) {
  Operation *outermost = nullptr;
  auto role = op->getParentOfType<RoleOp>();
  for (; op && op != role; op = op->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(op);
        branch && takesThen(branch, role, 0) && !branch->isAncestor(other))
      outermost = branch;
  return outermost;
}
