//===- ShareRegisters.cpp - One variable for tiles that follow one another ===//
//
// ptxas gives every accumulator and every operand of an MMA a block of registers of its own,
// aligned and without gaps, and does not find out that two of them could be one: with S
// and dP, P and dS in arrays of their own, the backward pass of attention needs 48
// registers more, and is serialised (C7512). If the source has one array for both, there is one
// block. So this colours the role's tiles: in program order, each takes the
// variable of the first one of its type that nobody needs any more.
//
// It costs a wait where an MMA still reads the old content, so only kernels that are
// short of registers, those with a reducer, are coloured. tk-insert-waits finds the waits.
//
//===----------------------------------------------------------------------===//
#include "passes/finish/ShareRegisters.h"

#include "analysis/registers/FragmentVariables.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// An operation that makes a tile of the variable, and nothing else; null if there is none.
static Operation *getMaker(const FragmentVariables &variables, unsigned variable) {
  for (Value member : variables.getMembers(variable)) {
    Operation *maker = member.getDefiningOp();
    if (maker && isa<FragmentType>(member.getType()) && maker->getNumResults() == 1 &&
        !isa<scf::ForOp, scf::IfOp>(maker))
      return maker;
  }
  return nullptr;
}

static unsigned getDepth(Block *block) {
  unsigned depth = 0;
  for (Operation *op = block->getParentOp(); op; op = op->getParentOp())
    ++depth;
  return depth;
}

/// The block in which the variable is declared: results of branches and loops are, outside of them.
static Block *getScope(const FragmentVariables &variables, unsigned variable) {
  Block *scope = nullptr;
  for (Value member : variables.getMembers(variable))
    if (Block *block = member.getParentBlock(); !scope || getDepth(block) < getDepth(scope))
      scope = block;
  return scope;
}

/// True if the earlier variable is declared where all of the later one can name it.
static bool isInScope(const FragmentVariables &variables, unsigned earlier, unsigned later) {
  Block *inner = getScope(variables, later);
  return getScope(variables, earlier)->getParent()->isAncestor(inner->getParent());
}

/// Gives two variables one number. False if there are no two.
static bool shareOnce(RoleOp role, int64_t &next) {
  FragmentVariables variables(role);
  for (unsigned later = 1; later <= variables.getCount(); ++later)
    for (unsigned earlier = 1; earlier < later; ++earlier) {
      Operation *first = getMaker(variables, earlier), *second = getMaker(variables, later);
      if (!first || !second || !isInScope(variables, earlier, later) ||
          !variables.mayMerge(earlier, later))
        continue;
      Attribute number = first->getAttr(registersAttrName);
      if (!number)
        number = IntegerAttr::get(IntegerType::get(role.getContext(), 64), next++);
      first->setAttr(registersAttrName, number);
      second->setAttr(registersAttrName, number);
      return true;
    }
  return false;
}

void tkc::shareRegisters(RoleOp role) {
  int64_t next = 0;
  while (shareOnce(role, next))
    ;
}
