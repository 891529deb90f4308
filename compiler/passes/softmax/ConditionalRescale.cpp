//===- ConditionalRescale.cpp - Scaling only where the factor is not 1 ----===//
//
// Online softmax scales its accumulator each time a row's maximum grows, by a
// factor that is exactly 1 where it did not. That is one multiplication for each
// of 64 or 128 registers, for nothing in most iterations, if the program lets the
// reference of a row move only when a score exceeds it by far. One vote of the
// warp tells whether any of its sixteen rows needs the scaling.
//
// Where the factor follows from a choice (CarriedRowMax.h), the vote is on the two values of the
// choice, and all that follows from it is in the branch. Elsewhere the
// vote is on the factor itself. Every row gets what the source says, either way.
//
// A vote is worth having only where a factor can be expected to be 1: an
// exponential of how far something that the loop carries has moved, or how far a choice
// is from one of the values that it is made between. A plain decay never is.
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "dialect/hopper/Hopper.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Passes.h"
#include "passes/softmax/CarriedRowMax.h"
#include "passes/tile/MapBodies.h"
#include "remarks/Remarks.h"

namespace tkc {
#define GEN_PASS_DEF_CONDITIONALRESCALE
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

namespace {
/// A map that scales the rows of a tile by a column vector.
struct Scaling {
  Value tile, factor;
};
} // namespace

/// The operand and factor of a map that only scales.
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

/// True if an input of the map is a choice that may be another input: the reference that another
/// warpgroup has handed over, moved or not.
static bool readsChoiceBetweenInputs(MapOp map) {
  for (Value input : map.getInputs()) {
    auto choice = input.getDefiningOp<MapOp>();
    if (!choice)
      continue;
    Value chosen = choice.getBody().front().getTerminator()->getOperand(
        cast<OpResult>(input).getResultNumber());
    auto select = chosen.getDefiningOp<arith::SelectOp>();
    if (!select)
      continue;
    for (Value way : {select.getTrueValue(), select.getFalseValue()})
      if (Value other = getOperandOf(way, choice);
          other && llvm::is_contained(map.getInputs(), other))
        return true;
  }
  return false;
}

/// True for an exponential of a change since the last iteration, or of one that a choice may make.
static bool isOftenOne(Value factor, scf::ForOp loop) {
  auto map = factor.getDefiningOp<MapOp>();
  if (!map || !(followsCarried(factor, loop) || readsChoiceBetweenInputs(map)))
    return false;
  return map.getBody()
      .walk([](Operation *op) {
        return isa<math::ExpOp, math::Exp2Op>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// if (condition) { the map } else { the tile }
static void branchOn(Value condition, MapOp map, Value tile) {
  OpBuilder builder(map);
  Location loc = getUnnamedLoc(map.getLoc());
  auto branch = builder.create<scf::IfOp>(loc, map.getResultTypes(), condition, /*withElse=*/true);
  branch->setAttr(
      becauseAttrName,
      builder.getStringAttr(
          "only if a row of the warp has a new reference: a factor of 1 changes nothing"));
  map.replaceAllUsesWith(branch.getResults());
  builder.setInsertionPointToEnd(branch.thenBlock());
  auto yield = builder.create<scf::YieldOp>(loc, map.getResults());
  map->moveBefore(yield);
  builder.setInsertionPointToEnd(branch.elseBlock());
  builder.create<scf::YieldOp>(loc, tile);
}

/// Whether the factor of a row that the warp holds is not 1.
static Value differsFromOne(Value factor, OpBuilder &builder, Location loc) {
  Value one = builder.create<arith::ConstantOp>(loc, builder.getF32FloatAttr(1.0f));
  return builder.create<AnyRowOp>(getNamedLoc("needs_rescale", loc), factor,
                                  [&](OpBuilder &body, Location, ValueRange elements) {
                                    Value differs = body.create<arith::CmpFOp>(
                                        loc, arith::CmpFPredicate::UNE, elements[0], one);
                                    body.create<tk::YieldOp>(loc, differs);
                                  });
}

/// A map that would be a scaling by an exponential of a change, if it did nothing else.
static void remarkOnOtherWork(MapOp map, scf::ForOp loop) {
  Value result = map.getResult(0);
  if (map.getNumResults() != 1 || isa<FragmentVectorType>(result.getType()))
    return;
  map.getBody().walk([&](arith::MulFOp product) {
    Value scaled, factor;
    for (Value operand : product->getOperands())
      if (Value input = getOperandOf(operand, map)) {
        bool isVector = isa<FragmentVectorType>(input.getType());
        (isVector ? factor : scaled) = input;
      }
    if (scaled && factor && scaled.getType() == result.getType() && isOftenOne(factor, loop))
      reportRemark(loop, map.getLoc(), Remark::RescaleMore, quoteTileName(result),
                   quoteTileName(factor));
  });
}

static void makeLazy(scf::ForOp loop) {
  SmallVector<MapOp> maps;
  SetVector<Value> factors;
  for (MapOp map : loop.getBody()->getOps<MapOp>())
    if (std::optional<Scaling> scaling = getScaling(map);
        scaling && isOftenOne(scaling->factor, loop)) {
      maps.push_back(map);
      factors.insert(scaling->factor);
    } else if (!scaling) {
      remarkOnOtherWork(map, loop);
    }
  MissedReason missed;
  llvm::DenseMap<Value, Value> conditions = branchOnChoices(loop, factors, missed);
  for (MapOp map : maps) {
    Scaling scaling = *getScaling(map); // what branches on choices give has taken places
    Value &condition = conditions[scaling.factor];
    const std::string name = quoteTileName(map.getResult(0)),
                      factor = quoteTileName(scaling.factor);
    if (condition) {
      reportRemark(loop, map.getLoc(), Remark::RescaleOnMaxima, name);
    } else {
      reportRemark(loop, map.getLoc(), Remark::RescaleOnFactor, name, factor);
      missed.because(scaling.factor.getLoc(), Remark::ChoiceNone, factor);
      missed.reportAt(loop);
      OpBuilder builder(map);
      condition = differsFromOne(scaling.factor, builder, getUnnamedLoc(map.getLoc()));
    }
    branchOn(condition, map, scaling.tile);
  }
}

namespace {
struct ConditionalRescale : tkc::impl::ConditionalRescaleBase<ConditionalRescale> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    llvm::for_each(loops, makeLazy);
  }
};
} // namespace
