//===- SplitMaskedIterations.cpp - Masks only where they mask -------------===//
//
// A mask costs a comparison and a selection for every element of every block of
// scores, and does nothing in most of them: all columns but the last block's lie
// inside the tensor, and all blocks left of the diagonal are whole. Whether a
// block is whole is one comparison of uniform scalars: the mask's own, at the row
// and column of the tile where it is hardest to fulfil.
//
// The other way is two loops, one without the mask. It has no branch, but code
// twice, and the MMAs and loads in flight run dry between the two; a branch
// that the whole block takes costs an instruction or two and leaves the loop
// whole for tk-overlap-mmas.
//
//===----------------------------------------------------------------------===//
#include "dialect/hopper/Hopper.h"
#include "dialect/tk/MaskBranch.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/Tk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "passes/Passes.h"
#include "remarks/Remarks.h"

namespace tkc {
#define GEN_PASS_DEF_SPLITMASKEDITERATIONS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Conditions over the coordinates of a tile
//===----------------------------------------------------------------------===//

namespace {
/// Looks at the scalars of one map's body.
class Coordinates {
public:
  explicit Coordinates(MapOp map) : map(map), body(&map.getBody().front()) {}

  /// True if the value differs between elements because of where they are.
  bool dependOn(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return llvm::is_contained(map.getCoordinates(), argument);
    Operation *op = value.getDefiningOp();
    return op->getBlock() == body &&
           llvm::any_of(op->getOperands(), [&](Value operand) { return dependOn(operand); });
  }

  /// True if the value is made of coordinates and constants alone.
  bool isSameInAllTiles(Value value) {
    if (isa<BlockArgument>(value))
      return llvm::is_contained(map.getCoordinates(), value);
    Operation *op = value.getDefiningOp();
    return op->hasTrait<OpTrait::ConstantLike>() ||
           (op->getBlock() == body && llvm::all_of(op->getOperands(), [&](Value operand) {
              return isSameInAllTiles(operand);
            }));
  }

  /// True if the value can be computed outside of the map once the coordinates are known.
  bool isScalar(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() != body || llvm::is_contained(map.getCoordinates(), argument);
    Operation *op = value.getDefiningOp();
    return op->getBlock() != body ||
           llvm::all_of(op->getOperands(), [&](Value operand) { return isScalar(operand); });
  }

  /// How a value changes with a coordinate: by `slope` for each step, or, where that is not always
  /// the same, only upwards or only downwards.
  struct Growth {
    std::optional<int64_t> slope;
    bool mayGrow = true, mayShrink = true;

    static Growth even(int64_t slope) { return {slope, slope > 0, slope < 0}; }
  };

  Growth getGrowth(Value value, BlockArgument coordinate) {
    if (value == coordinate)
      return Growth::even(1);
    if (!dependOn(value) || isa<BlockArgument>(value))
      return Growth::even(0);
    Operation *op = value.getDefiningOp();
    if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MinSIOp, arith::MaxSIOp>(op))
      return {};
    Growth left = getGrowth(op->getOperand(0), coordinate),
           right = getGrowth(op->getOperand(1), coordinate);
    if (isa<arith::MinSIOp, arith::MaxSIOp>(op))
      return {std::nullopt, left.mayGrow || right.mayGrow, left.mayShrink || right.mayShrink};
    if (isa<arith::SubIOp>(op)) {
      std::swap(right.mayGrow, right.mayShrink);
      if (right.slope)
        right.slope = -*right.slope;
    }
    if (isa<arith::MulIOp>(op)) {
      std::optional<int64_t> factor = getConstant(op->getOperand(1));
      if (!factor)
        factor = getConstant(op->getOperand(0)), left = right;
      return factor && left.slope ? Growth::even(*left.slope * *factor) : Growth();
    }
    if (left.slope && right.slope)
      return Growth::even(*left.slope + *right.slope);
    return {std::nullopt, left.mayGrow || right.mayGrow, left.mayShrink || right.mayShrink};
  }

  MapOp map;
  Block *body;
};

/// Computes, before a map, whether a condition in its body is false anywhere in the tile.
class SomewhereFalse {
public:
  SomewhereFalse(MapOp map, OpBuilder &builder) : coordinates(map), builder(builder) {
    auto type = cast<ElementsInterface>(map.getResult(0).getType());
    if (type.getRank() == 2)
      extents = {type.getRows(), type.getCols()};
    else
      extents = {type.getRows() + type.getCols()};
  }

  /// Whether `compute` has an answer.
  bool canCompute(Value condition) {
    if (!coordinates.dependOn(condition))
      return coordinates.isScalar(condition);
    Operation *op = condition.getDefiningOp();
    if (auto [a, b] = getParts(op); a)
      return canCompute(a) && canCompute(b);
    auto compare = dyn_cast<arith::CmpIOp>(op);
    return compare && coordinates.isScalar(compare.getLhs()) &&
           coordinates.isScalar(compare.getRhs()) && getHardest(compare).has_value();
  }

  Value compute(Value condition) {
    Location loc = getUnnamedLoc(condition.getLoc());
    Operation *op = condition.getDefiningOp();
    if (auto [a, b] = getParts(op); a && coordinates.dependOn(condition)) {
      Value left = compute(a), right = compute(b);
      if (isConjunction(op))
        return builder.create<arith::OrIOp>(loc, left, right);
      return builder.create<arith::AndIOp>(loc, left, right);
    }
    if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op)) {
      IRMapping at;
      std::optional<SmallVector<int64_t>> hardest = getHardest(compare);
      for (auto [argument, place] : llvm::zip(coordinates.map.getCoordinates(), *hardest))
        at.map(argument, builder.create<arith::ConstantIntOp>(loc, place, 32).getResult());
      Value left = clone(compare.getLhs(), at), right = clone(compare.getRhs(), at);
      return builder.create<arith::CmpIOp>(loc, arith::invertPredicate(compare.getPredicate()),
                                           left, right);
    }
    IRMapping nowhere;
    Value truth = builder.create<arith::ConstantIntOp>(loc, 1, 1);
    return builder.create<arith::XOrIOp>(loc, clone(condition, nowhere), truth);
  }

private:
  static bool isConjunction(Operation *op) {
    if (auto choice = dyn_cast<arith::SelectOp>(op))
      return getConstant(choice.getFalseValue()) == 0;
    return isa<arith::AndIOp>(op);
  }

  /// The two conditions that `and`, `or`, `a ? b : false` or `a ? true : b` combine; nulls for
  /// others.
  static std::pair<Value, Value> getParts(Operation *op) {
    if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op))
      return {op->getOperand(0), op->getOperand(1)};
    auto choice = dyn_cast_or_null<arith::SelectOp>(op);
    if (!choice || !choice.getType().isInteger(1))
      return {};
    if (getConstant(choice.getFalseValue()) == 0)
      return {choice.getCondition(), choice.getTrueValue()};
    std::optional<int64_t> constant = getConstant(choice.getTrueValue());
    if (constant && *constant != 0)
      return {choice.getCondition(), choice.getFalseValue()};
    return {};
  }

  /// The place in the tile where a comparison is hardest to fulfil.
  std::optional<SmallVector<int64_t>> getHardest(arith::CmpIOp compare) {
    using arith::CmpIPredicate;
    CmpIPredicate predicate = compare.getPredicate();
    bool isLess = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle;
    bool isMore = predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge;
    SmallVector<int64_t> place;
    for (auto [coordinate, extent] : llvm::zip(coordinates.map.getCoordinates(), extents)) {
      Coordinates::Growth left = coordinates.getGrowth(compare.getLhs(), coordinate),
                          right = coordinates.getGrowth(compare.getRhs(), coordinate);
      bool grows = left.mayGrow || right.mayShrink, shrinks = left.mayShrink || right.mayGrow;
      if (left.slope && right.slope) {
        grows = *left.slope > *right.slope;
        shrinks = *left.slope < *right.slope;
      }
      bool isDifferent = grows || shrinks;
      if ((grows && shrinks) || (isDifferent && !isLess && !isMore))
        return std::nullopt;
      place.push_back(isDifferent && grows == isLess ? extent - 1 : 0);
    }
    return place;
  }

  /// The value outside of the map.
  Value clone(Value value, IRMapping &at) {
    if (at.contains(value) || value.getParentBlock() != coordinates.body)
      return at.lookupOrDefault(value);
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      at.map(operand, clone(operand, at));
    builder.clone(*op, at)->setLoc(getUnnamedLoc(op->getLoc()));
    return at.lookup(value);
  }

  Coordinates coordinates;
  OpBuilder &builder;
  SmallVector<int64_t> extents;
};
} // namespace

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// The selections by place in a map's body.
static SmallVector<arith::SelectOp> getMasks(MapOp map) {
  SmallVector<arith::SelectOp> masks;
  Coordinates coordinates(map);
  for (Operation &op : map.getBody().front())
    if (auto choice = dyn_cast<arith::SelectOp>(op);
        choice && !choice.getType().isInteger(1) && coordinates.dependOn(choice.getCondition()))
      masks.push_back(choice);
  return masks;
}

/// The number of a map's operations besides selecting.
static unsigned countOtherWork(MapOp map) {
  unsigned work = 0;
  for (Operation &op : map.getBody().front().without_terminator())
    work += !op.getResult(0).getType().isIntOrIndex() &&
            !isa<arith::SelectOp, arith::ConstantOp, arith::ExtFOp, arith::TruncFOp>(op);
  return work;
}

/// A map that does no more beside its mask is worth having twice.
static constexpr unsigned mostOtherWork = 4;

/// if (the mask is false somewhere) { the map } else { the map without it }
static void split(MapOp map) {
  SmallVector<arith::SelectOp> masks = getMasks(map);
  OpBuilder builder(map);
  SomewhereFalse somewhereFalse(map, builder);
  if (masks.empty())
    return;
  if (unsigned work = countOtherWork(map); work > mostOtherWork) {
    // A mask that hides the same in every tile runs in every iteration whatever the others compute.
    Coordinates coordinates(map);
    if (!llvm::all_of(masks, [&](arith::SelectOp mask) {
          return coordinates.isSameInAllTiles(mask.getCondition());
        }))
      reportRemark(map, map.getLoc(), Remark::MaskTooLarge, work);
    return;
  }
  if (!llvm::all_of(masks, [&](arith::SelectOp mask) {
        return somewhereFalse.canCompute(mask.getCondition());
      }))
    return reportRemark(map, map.getLoc(), Remark::MaskUnknown);
  reportRemark(map, map.getLoc(), Remark::MaskSplit);
  Location loc = getUnnamedLoc(map.getLoc());
  Value isMasked;
  for (arith::SelectOp mask : masks) {
    Value here = somewhereFalse.compute(mask.getCondition());
    isMasked = isMasked ? builder.create<arith::OrIOp>(loc, isMasked, here) : here;
  }
  auto branch = builder.create<scf::IfOp>(loc, map.getResultTypes(), isMasked, /*withElse=*/true);
  branch->setAttr(
      hopper::becauseAttrName,
      builder.getStringAttr("the mask runs only where it hides an element of the tile"));
  branch->setAttr(masksTileAttrName, builder.getUnitAttr());
  map.replaceAllUsesWith(branch.getResults());
  builder.setInsertionPointToEnd(branch.elseBlock());
  IRMapping mapping;
  auto whole = cast<MapOp>(builder.clone(*map, mapping));
  builder.create<scf::YieldOp>(loc, whole.getResults());
  for (arith::SelectOp mask : masks) {
    auto own = mapping.lookup(mask.getResult()).getDefiningOp<arith::SelectOp>();
    own.replaceAllUsesWith(own.getTrueValue());
  }
  builder.setInsertionPointToEnd(branch.thenBlock());
  auto yield = builder.create<scf::YieldOp>(loc, map.getResults());
  map->moveBefore(yield);
}

/// In a tile of its own a map that yields its element is nothing.
static void forwardIdentities(Operation *root) {
  root->walk([](MapOp map) {
    auto yield = map.getBody().front().getTerminator();
    for (auto [result, yielded] : llvm::zip(map.getResults(), yield->getOperands()))
      if (auto element = dyn_cast<BlockArgument>(yielded);
          element && llvm::is_contained(map.getElements(), element) &&
          map.getInputs()[element.getArgNumber()].getType() == result.getType())
        result.replaceAllUsesWith(map.getInputs()[element.getArgNumber()]);
  });
}

namespace {
struct SplitMaskedIterations : tkc::impl::SplitMaskedIterationsBase<SplitMaskedIterations> {
  void runOnOperation() override {
    SmallVector<MapOp> maps;
    getOperation().walk([&](MapOp map) {
      if (map->getParentOfType<scf::ForOp>() && !map.getCoordinates().empty())
        maps.push_back(map);
    });
    for (MapOp map : maps)
      split(map);
    forwardIdentities(getOperation());
  }
};
} // namespace
