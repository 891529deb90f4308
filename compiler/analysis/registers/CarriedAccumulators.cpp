//===- CarriedAccumulators.cpp - Accumulators that outlive their tile -----===//
#include "analysis/registers/CarriedAccumulators.h"

#include "analysis/registers/TileRegisters.h"
#include "analysis/registers/ValueLifetimes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// The outermost loop around `op` that stays a loop, or null.
static Operation *getOutermostLoop(Operation *op) {
  Operation *outermost = nullptr;
  for (Operation *parent = op->getParentOp(); parent && !isa<RoleOp>(parent);
       parent = parent->getParentOp())
    if (isLoop(parent) && !parent->hasAttr(unrollAttrName))
      outermost = parent;
  return outermost;
}

/// Follows the accumulator through loops and MMAs, which keep its registers, and through maps
/// of its elements, which are computed where they are used.
static void follow(CarriedAccumulator &carried) {
  carried.values.insert(carried.begin.getResult());
  for (size_t i = 0; i < carried.values.size(); ++i)
    for (OpOperand &use : carried.values[i].getUses()) {
      if (auto loop = dyn_cast<scf::ForOp>(use.getOwner())) {
        carried.values.insert(loop.getTiedLoopRegionIterArg(&use));
        carried.values.insert(loop.getTiedLoopResult(&use));
      } else if (auto mma = dyn_cast<WgmmaOp>(use.getOwner()); mma && mma.getAcc() == use.get()) {
        carried.values.insert(mma.getResult());
        if (!matchPattern(mma.getAccumulate(), m_Constant()))
          carried.overwriting.insert(mma);
      } else if (auto map = dyn_cast<MapOp>(use.getOwner())) {
        for (Value result : map.getResults())
          if (TileRegisters::getRegisters(result.getType(), 1) ==
              TileRegisters::getRegisters(carried.begin.getType(), 1))
            carried.values.insert(result);
      } else if (auto branch = dyn_cast<scf::IfOp>(use.getOwner()->getParentOp());
                 branch && isa<scf::YieldOp>(use.getOwner())) {
        carried.values.insert(branch.getResult(use.getOperandNumber()));
      }
    }
}

SmallVector<CarriedAccumulator> tkc::findCarriedAccumulators(RoleOp role) {
  SmallVector<CarriedAccumulator> found;
  role.walk<WalkOrder::PreOrder>([&](UninitializedOp begin) {
    CarriedAccumulator carried{begin, getOutermostLoop(begin), {}, {}};
    if (!carried.loop)
      return;
    follow(carried);
    if (!carried.overwriting.empty())
      found.push_back(std::move(carried));
  });
  return found;
}
