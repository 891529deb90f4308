//===- HoistInvariants.cpp - Values that are the same in every iteration --===//
//
// MLIR's motion of loop-invariant code, but for one thing: what reads a tile from
// shared memory stays in its loop. It costs little there, and before the loop
// it costs the registers of the tile for as long as the loop runs. Where that is
// worth it, for the left operand of MMAs, tk-promote-operands-to-registers does it.
//
//===----------------------------------------------------------------------===//
#include "dialect/tk/Tk.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "passes/Passes.h"

namespace tkc {
#define GEN_PASS_DEF_HOISTINVARIANTS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;

static bool mayMove(Operation *op) {
  auto read = dyn_cast<tk::ReadOp>(op);
  bool readsTile = read && isa<tk::TileType>(read.getResult().getType());
  return isMemoryEffectFree(op) && isSpeculatable(op) && !readsTile;
}

namespace {
struct HoistInvariants : tkc::impl::HoistInvariantsBase<HoistInvariants> {
  void runOnOperation() override {
    getOperation().walk([](LoopLikeOpInterface loop) {
      moveLoopInvariantCode(
          loop.getLoopRegions(),
          [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
          [](Operation *op, Region *) { return mayMove(op); },
          [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
    });
  }
};
} // namespace
