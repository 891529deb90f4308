//===- LazyUpdates.cpp - Scaling only where the factor is not 1 -----------===//
//
// Online softmax scales its accumulator each time a row's maximum grows, by a
// factor that is exactly 1 where it did not. That is one multiplication for each
// of 64 or 128 registers, for nothing in most iterations, if the program lets the
// reference of a row move only when a score exceeds it by far. One vote of the
// warp tells whether any of its sixteen rows needs the scaling.
//
// The vote is on the factor itself, so every row gets what the source says. It is
// worth having only where a factor can be expected to be 1: an exponential of how
// far something that the loop carries has moved. A plain decay never is.
//
//===----------------------------------------------------------------------===//
#include "analysis/ValueLifetimes.h"
#include "dialect/hopper/Hopper.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Passes.h"

namespace tkc {
#define GEN_PASS_DEF_LAZYUPDATES
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

namespace {
/// A tile whose rows a column vector scales.
struct Scaling {
  Value tile, factor;
};
} // namespace

/// What a map scales, if that is all that it does.
static std::optional<Scaling> getScaling(MapOp map) {
  if (map.getNumResults() != 1 || map.getInputs().size() != 2)
    return std::nullopt;
  Operation *yield = map.getBody().front().getTerminator();
  auto product = yield->getOperand(0).getDefiningOp<arith::MulFOp>();
  if (!product || product->getBlock() != &map.getBody().front())
    return std::nullopt;
  Scaling scaling;
  for (Value factor : product->getOperands()) {
    auto element = dyn_cast<BlockArgument>(factor);
    if (!element || !llvm::is_contained(map.getElements(), element))
      return std::nullopt;
    Value input = map.getInputs()[element.getArgNumber()];
    auto vector = dyn_cast<FragmentVectorType>(input.getType());
    if (input.getType() == map.getResult(0).getType() && !vector)
      scaling.tile = input;
    else if (vector && vector.getOrientation() == tk::Orientation::Column &&
             vector.getElementType().isF32())
      scaling.factor = input;
  }
  if (!scaling.tile || !scaling.factor)
    return std::nullopt;
  return scaling;
}

/// True if `value` follows from something that `loop` carries, by way of maps and reductions.
static bool followsCarried(Value value, scf::ForOp loop) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == loop.getBody() && argument != loop.getInductionVar();
  Operation *op = value.getDefiningOp();
  if (!loop->isProperAncestor(op) || !isa<MapOp, ReduceRowsOp, FinishRowsOp>(op))
    return false;
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return followsCarried(operand, loop); });
}

/// True for an exponential of what has changed since the last iteration.
static bool isOftenOne(Value factor, scf::ForOp loop) {
  auto map = factor.getDefiningOp<MapOp>();
  if (!map || !followsCarried(factor, loop))
    return false;
  return map.getBody()
      .walk([](Operation *op) {
        return isa<math::ExpOp, math::Exp2Op>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// if (any factor is not 1) { the map } else { the tile }
static void makeLazy(MapOp map, const Scaling &scaling) {
  OpBuilder builder(map);
  Location loc = getUnnamedLoc(map.getLoc());
  Value one = builder.create<arith::ConstantOp>(loc, builder.getF32FloatAttr(1.0f));
  Value differs = builder.create<AnyDiffersOp>(loc, builder.getI1Type(), scaling.factor, one);
  auto branch = builder.create<scf::IfOp>(loc, map.getResultTypes(), differs, /*withElse=*/true);
  map.replaceAllUsesWith(branch.getResults());
  builder.setInsertionPointToEnd(branch.thenBlock());
  auto yield = builder.create<scf::YieldOp>(loc, map.getResults());
  map->moveBefore(yield);
  builder.setInsertionPointToEnd(branch.elseBlock());
  builder.create<scf::YieldOp>(loc, scaling.tile);
}

namespace {
struct LazyUpdates : tkc::impl::LazyUpdatesBase<LazyUpdates> {
  void runOnOperation() override {
    getOperation().walk([](MapOp map) {
      auto loop = map->getParentOfType<scf::ForOp>();
      std::optional<Scaling> scaling = getScaling(map);
      if (loop && scaling && isOftenOne(scaling->factor, loop))
        makeLazy(map, *scaling);
    });
  }
};
} // namespace
