//===- GuardExponents.cpp - Multiply-adds for exponents that allow it -----===//
//
// exp2((x - v) * c) takes one instruction less as exp2(fma(x, c, -v * c)), but that
// is wrong by 2^-24 |v c| of itself (Exponents.h). In a loop, one vote of the warp
// tells whether a row has a reference for which that would show:
//
//     coarse = any_row(!(|v * c| < 4096))
//     if (coarse) { p = exp2((x - v) * c) } else { p = exp2(fma(x, c, -v * c)) }
//
// References are what softmax measures scores from, and so they are small, but where
// a mask has put a number like -1e30 in all of a row.
//
//===----------------------------------------------------------------------===//
#include "dialect/hopper/Hopper.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Exponents.h"
#include "passes/MapBodies.h"
#include "passes/Passes.h"

namespace tkc {
#define GEN_PASS_DEF_GUARDEXPONENTS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

namespace {
/// An exponential of a map, measured from what a column vector has for its row.
struct Measured {
  Operation *power;
  ScaledDifference difference;
  Value vector;
};

/// What the warp has already been asked in a block: by vector, scale and bound.
using Votes = llvm::DenseMap<std::tuple<Value, Value, int>, Value>;
} // namespace

/// The only exponential of the map, if the loop's step would be shorter without its difference.
static std::optional<Measured> findMeasured(MapOp map) {
  SmallVector<math::Exp2Op> powers(map.getBody().front().getOps<math::Exp2Op>());
  if (powers.size() != 1 || map.getNumResults() != 1 ||
      !isa<FragmentType>(map.getResult(0).getType()))
    return std::nullopt;
  std::optional<ScaledDifference> difference = readScaledDifference(powers[0].getOperand(), map);
  if (!difference || !difference->scale || !difference->element.getType().isF32())
    return std::nullopt;
  Value vector = getOperandOf(difference->reference, map);
  auto type = vector ? dyn_cast<FragmentVectorType>(vector.getType()) : FragmentVectorType();
  Value tile = getOperandOf(difference->element, map);
  if (!type || type.getOrientation() != tk::Orientation::Column ||
      (tile && !isa<FragmentType>(tile.getType())))
    return std::nullopt;
  return Measured{powers[0], *difference, vector};
}

/// Whether a row of the warp has a reference that is not below the bound.
static Value createVote(OpBuilder &builder, Location loc, const Measured &measured, float bound) {
  return builder.create<AnyRowOp>(
      getNamedLoc("coarse", loc), measured.vector,
      [&](OpBuilder &body, Location, ValueRange elements) {
        Value scaled = body.create<arith::MulFOp>(loc, elements[0], measured.difference.scale);
        Value size = body.create<math::AbsFOp>(loc, scaled);
        Value limit = body.create<arith::ConstantOp>(loc, body.getF32FloatAttr(bound));
        Value isNear = body.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, size, limit);
        Value yes = body.create<arith::ConstantOp>(loc, body.getBoolAttr(true));
        body.create<tk::YieldOp>(loc, body.create<arith::XOrIOp>(loc, isNear, yes).getResult());
      });
}

static void guard(MapOp map, const Measured &measured, float bound, Votes &votes) {
  OpBuilder builder(map);
  Location loc = getUnnamedLoc(map.getLoc());
  Value &coarse = votes[{measured.vector, measured.difference.scale, int(bound)}];
  if (!coarse)
    coarse = createVote(builder, loc, measured, bound);
  auto branch = builder.create<scf::IfOp>(loc, map.getResultTypes(), coarse, /*withElse=*/true);
  map.replaceAllUsesWith(branch.getResults());
  builder.setInsertionPointToEnd(branch.elseBlock());
  IRMapping mapping;
  auto contracted = cast<MapOp>(builder.clone(*map, mapping));
  builder.create<scf::YieldOp>(loc, contracted.getResults());
  builder.setInsertionPointToEnd(branch.thenBlock());
  map->moveBefore(builder.create<scf::YieldOp>(loc, map.getResults()));

  Operation *power = mapping.lookup(measured.power);
  builder.setInsertionPoint(power);
  power->setOperand(0, createContracted(builder, loc,
                                        {mapping.lookup(measured.difference.element),
                                         mapping.lookup(measured.difference.reference),
                                         measured.difference.scale}));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*power->getBlock())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

namespace {
struct GuardExponents : tkc::impl::GuardExponentsBase<GuardExponents> {
  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) {
      Votes votes;
      for (MapOp map : llvm::make_early_inc_range(loop.getBody()->getOps<MapOp>())) {
        std::optional<Measured> measured = findMeasured(map);
        std::optional<float> bound = measured ? getLargestReference(map) : std::nullopt;
        if (bound)
          guard(map, *measured, *bound, votes);
      }
    });
  }
};
} // namespace
