//===- LoopArguments.cpp - Values that a loop carries ---------------------===//
#include "dialect/tk/LoopArguments.h"

using namespace mlir;

scf::ForOp tkc::tk::keepArguments(scf::ForOp loop, const llvm::BitVector &isKept) {
  OpBuilder builder(loop);
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  SmallVector<Value> initial;
  for (unsigned i = 0; i < isKept.size(); ++i)
    if (isKept[i])
      initial.push_back(loop.getInitArgs()[i]);
    else
      loop.getRegionIterArg(i).replaceAllUsesWith(loop.getInitArgs()[i]);
  for (unsigned i = isKept.size(); i-- > 0;)
    if (!isKept[i]) {
      yield->eraseOperand(i);
      loop.getBody()->eraseArgument(i + 1);
    }
  auto pruned = builder.create<scf::ForOp>(loop.getLoc(), loop.getLowerBound(),
                                           loop.getUpperBound(), loop.getStep(), initial);
  pruned.getRegion().takeBody(loop.getRegion());
  pruned->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  unsigned next = 0;
  for (unsigned i = 0; i < isKept.size(); ++i)
    loop.getResult(i).replaceAllUsesWith(isKept[i] ? pruned.getResult(next++)
                                                   : loop.getInitArgs()[i]);
  loop.erase();
  return pruned;
}
