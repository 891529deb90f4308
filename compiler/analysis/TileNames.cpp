//===- TileNames.cpp - Which variable of the user a tile value carries on -===//
#include "analysis/TileNames.h"

#include "dialect/hopper/Hopper.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tkc;

Value tkc::getTiedOperand(Operation *op) {
  if (auto mma = dyn_cast<tk::MmaOp>(op))
    return mma.getAcc();
  if (auto wgmma = dyn_cast<hopper::WgmmaOp>(op))
    return wgmma.getAcc();
  if (auto mma = dyn_cast<hopper::MmaSyncOp>(op))
    return mma.getAcc();
  return {};
}

Value tkc::getPredecessor(Value value) {
  if (Operation *op = value.getDefiningOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return loop.getInitArgs()[cast<OpResult>(value).getResultNumber()];
    if (auto copy = dyn_cast<hopper::CopyOp>(op))
      return copy.getSource();
    return getTiedOperand(op);
  }
  auto argument = cast<BlockArgument>(value);
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument.getArgNumber() == 0)
    return {};
  return loop.getInitArgs()[argument.getArgNumber() - 1];
}

// Equal fills are merged and may then serve several variables, so the iteration argument's name
// comes first; a loop itself has no name.
StringRef tkc::findTileName(Value value) {
  for (; value; value = getPredecessor(value)) {
    Value named = value;
    if (auto loop = value.getDefiningOp<scf::ForOp>())
      named = loop.getRegionIterArg(cast<OpResult>(value).getResultNumber());
    StringRef name = getSourceName(named);
    if (!name.empty())
      return name;
    // Both branches hand on the same variable, which a pass may have computed in one of them.
    if (auto branch = value.getDefiningOp<scf::IfOp>()) {
      unsigned result = cast<OpResult>(value).getResultNumber();
      StringRef computed = findTileName(branch.thenYield().getOperand(result));
      return computed.empty() ? findTileName(branch.elseYield().getOperand(result)) : computed;
    }
  }
  return {};
}

std::string tkc::quoteTileName(Value value) {
  StringRef name = findTileName(value);
  return name.empty() ? "a tile" : ("'" + name + "'").str();
}

Location tkc::getDeclaration(Value value) {
  while (Value before = getPredecessor(value))
    value = before;
  return value.getLoc();
}

unsigned tkc::getLastLine(Value value) {
  unsigned last = 0;
  for (Operation *user : value.getUsers())
    last = std::max(last, getSourceLine(user->getLoc()));
  return last;
}
