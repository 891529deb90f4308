//===- FillAccumulators.cpp - Accumulators begin with zeros ---------------===//
//
// An accumulator that its loop's first MMA overwrites keeps its registers for
// ptxas through the epilogue (analysis/registers/CarriedAccumulators.h). Where the epilogue
// multiplies again, as a chain of MMAs does, there may be none left: ptxas then
// spills, and serialises wgmma (C7512). There the accumulator is filled instead, unless
// all accumulators are in use where most registers are needed: filling would save none.
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/CarriedAccumulators.h"
#include "analysis/registers/RegisterBudget.h"
#include "analysis/registers/RegisterPrediction.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"

namespace tkc {
#define GEN_PASS_DEF_FILLACCUMULATORS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

static void fill(CarriedAccumulator &carried) {
  UninitializedOp begin = carried.begin;
  OpBuilder builder(begin);
  auto type = cast<FragmentType>(begin.getType());
  Location loc = begin.getLoc();
  Value zero = builder.create<arith::ConstantOp>(loc, builder.getZeroAttr(type.getElementType()));
  begin.getResult().replaceAllUsesWith(builder.create<FillOp>(loc, type, zero).getResult());
  begin.erase();
  for (Operation *mma : carried.overwriting) {
    builder.setInsertionPoint(mma);
    cast<WgmmaOp>(mma).getAccumulateMutable().assign(
        builder.create<arith::ConstantIntOp>(getUnnamedLoc(loc), 1, 1));
  }
}

/// Whether one of them only keeps its registers at `op`.
static bool isKeptAt(Operation *op, RoleOp role, ArrayRef<CarriedAccumulator> all) {
  TilePressure pressure = TileRegisters(role).getPressure(op);
  return llvm::any_of(all, [&](const CarriedAccumulator &carried) {
    return llvm::none_of(pressure.alive,
                         [&](Value value) { return carried.values.contains(value); });
  });
}

static void fillWhereFull(RoleOp role) {
  RegisterPrediction prediction = predictRegisters(role);
  if (!prediction.mostAt ||
      prediction.most <= getTileRegisters(role.getWarpgroups(), role.getRegisters(), /*beside=*/0))
    return;
  SmallVector<CarriedAccumulator> all = findCarriedAccumulators(role);
  if (isKeptAt(prediction.mostAt, role, all))
    for (CarriedAccumulator &carried : all)
      fill(carried);
}

namespace {
struct FillAccumulators : tkc::impl::FillAccumulatorsBase<FillAccumulators> {
  void runOnOperation() override {
    forEachKernel<KernelOp>(getOperation(), [](KernelOp kernel) { kernel.walk(fillWhereFull); });
  }
};
} // namespace
