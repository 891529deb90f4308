//===- CarriedRowMax.cpp - Row references that move only when a warp says so ===//
#include "passes/softmax/CarriedRowMax.h"

#include "analysis/TileNames.h"
#include "dialect/hopper/Hopper.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/schedule/CarriedValues.h"
#include "passes/tile/MapBodies.h"
#include "remarks/Remarks.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

namespace {
/// The loop's next value follows from a row's maximum, or is its present one.
struct Choice {
  unsigned index; ///< among the loop's arguments
  BlockArgument best;
  ReduceRowsOp top;
  Operation *now; ///< a map of `top` and `best`, or `top` itself, which begins with `best`

  /// All that follows from the choice in vectors alone, in order.
  SmallVector<MapOp> followers;
  /// The results of followers that others read; those of them that are factors; and those whose
  /// unmoved value is another than the one of this iteration.
  SetVector<Value> read, factors, moving;
};
} // namespace

static bool isColumnVector(Type type) {
  auto vector = dyn_cast<FragmentVectorType>(type);
  return vector && vector.getOrientation() == tk::Orientation::Column;
}

/// True if a scalar of the body of `map` is computed from the element of `operand` and from values
/// that are the same in all rows, alone.
static bool dependsOnlyOn(Value value, Value operand, MapOp map) {
  return dependsOn(value, operand, map) && llvm::all_of(map.getInputs(), [&](Value other) {
           return other == operand || !dependsOn(value, other, map);
         });
}

namespace {
/// A scalar of a map's body, or its contrary.
struct Condition {
  Value value; ///< null: whether one vector's element is larger than the other's
  bool isNegated = false;
};
} // namespace

/// The condition under which a map gives a reference that follows from `top` rather than `best`.
static std::optional<Condition> getCondition(MapOp map, Value top, Value best) {
  Operation *op = map.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
    bool isNegated = getOperandOf(select.getTrueValue(), map) == best;
    Value chosen = isNegated ? select.getFalseValue() : select.getTrueValue();
    Value kept = isNegated ? select.getTrueValue() : select.getFalseValue();
    bool isChoice = dependsOnlyOn(chosen, top, map) && getOperandOf(kept, map) == best;
    if (isChoice && getBound(select.getCondition(), top, map, isNegated))
      return Condition{select.getCondition(), isNegated};
    return std::nullopt;
  }
  auto larger = dyn_cast_or_null<arith::MaxNumFOp>(op);
  if (!larger)
    return std::nullopt;
  Value left = getOperandOf(larger.getLhs(), map), right = getOperandOf(larger.getRhs(), map);
  if ((left == top && right == best) || (left == best && right == top))
    return Condition{};
  return std::nullopt;
}

static bool isRowMaximum(ReduceRowsOp reduce) {
  return reduce && reduce.getCombine() == tk::Combine::Max && !reduce.getPartial();
}

/// The choice of a map between what follows from a row maximum and what `loop` carries at `index`.
static std::optional<Choice> readChoice(MapOp map, ReduceRowsOp top, scf::ForOp loop,
                                        unsigned index, MissedReason &missed) {
  BlockArgument best = loop.getRegionIterArg(index);
  Location loc = map.getLoc();
  const std::string now = quoteTileName(map.getResult(0));
  if (top.getInit())
    return missed.because(loc, Remark::ChoiceMaximumInit, now);
  if (!top->hasOneUse() || top->getBlock() != loop.getBody())
    return missed.because(loc, Remark::ChoiceMaximumRead, now);
  // The vote knows these two alone.
  if (!llvm::all_of(map.getInputs(),
                    [&](Value other) { return other == top.getResult() || other == best; }))
    return missed.because(loc, Remark::ChoiceOfOthers, now);
  if (map.getNumResults() != 1 || !map.getCoordinates().empty() ||
      !getCondition(map, top.getResult(), best))
    return missed.because(loc, Remark::ChoiceForm, now);
  return Choice{index, best, top, map, {}, {}, {}, {}};
}

/// The choice that decides what `loop` carries next at `index`.
static std::optional<Choice> findChoice(scf::ForOp loop, unsigned index, MissedReason &missed) {
  BlockArgument best = loop.getRegionIterArg(index);
  Operation *now = loop.getYieldedValues()[index].getDefiningOp();
  if (!isColumnVector(best.getType()) || !now || now->getBlock() != loop.getBody())
    return std::nullopt;
  if (auto top = dyn_cast<ReduceRowsOp>(now); isRowMaximum(top) && top.getInit() == best)
    return Choice{index, best, top, now, {}, {}, {}, {}};
  auto map = dyn_cast<MapOp>(now);
  if (!map)
    return std::nullopt;
  for (Value input : map.getInputs())
    if (auto top = input.getDefiningOp<ReduceRowsOp>(); isRowMaximum(top))
      if (std::optional<Choice> choice = readChoice(map, top, loop, index, missed))
        return choice;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Values that follow from it
//===----------------------------------------------------------------------===//

/// True for a map of vectors that the loop does not change otherwise than by the choice.
static bool follows(MapOp map, const Choice &choice, scf::ForOp loop) {
  if (!map.getCoordinates().empty() || !llvm::all_of(map->getResultTypes(), isColumnVector))
    return false;
  bool follows = false;
  for (Value input : map.getInputs()) {
    Operation *op = input.getDefiningOp();
    bool isFollower = op == choice.now || llvm::is_contained(choice.followers, op);
    if (!isFollower && input != choice.best && !loop.isDefinedOutsideOfLoop(input))
      return false;
    follows |= isFollower;
  }
  auto isFixed = [&](Value scalar) {
    return map.getBody().isAncestor(scalar.getParentRegion()) ||
           loop.isDefinedOutsideOfLoop(scalar);
  };
  return follows && llvm::all_of(map.getBody().front(), [&](Operation &op) {
           return llvm::all_of(op.getOperands(), isFixed);
         });
}

/// True if a follower's result depends on the reference before the choice, too.
static bool dependsOnBest(Value value, const Choice &choice) {
  if (value == choice.best)
    return true;
  auto map = value.getDefiningOp<MapOp>();
  return map && llvm::is_contained(choice.followers, map) &&
         llvm::any_of(map.getInputs(), [&](Value input) { return dependsOnBest(input, choice); });
}

static void findFollowers(Choice &choice, scf::ForOp loop, const SetVector<Value> &factors) {
  for (MapOp map : loop.getBody()->getOps<MapOp>())
    if (follows(map, choice, loop))
      choice.followers.push_back(map);
  for (MapOp map : choice.followers)
    for (Value result : map.getResults()) {
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !llvm::is_contained(choice.followers, user);
          }))
        choice.read.insert(result);
      if (factors.contains(result))
        choice.factors.insert(result);
      if (choice.read.contains(result) && dependsOnBest(result, choice))
        choice.moving.insert(result);
    }
}

//===----------------------------------------------------------------------===//
// The branch
//===----------------------------------------------------------------------===//

/// Clones the followers with `reference` in both places, before and after the choice.
static void cloneUnmoved(OpBuilder &builder, const Choice &choice, Value reference,
                         IRMapping &mapping) {
  mapping.map(choice.best, reference);
  mapping.map(choice.now->getResult(0), reference);
  for (MapOp map : choice.followers)
    builder.clone(*map, mapping);
}

/// Carries an unmoved value for each one that is read. Gives those of this iteration.
static llvm::DenseMap<Value, Value> carryUnmoved(scf::ForOp &loop, Choice &choice) {
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  IRMapping start;
  cloneUnmoved(rewriter, choice, loop.getInitArgs()[choice.index], start);
  SmallVector<Value> starts =
      llvm::map_to_vector(choice.read, [&](Value value) { return start.lookup(value); });
  for (Value factor : choice.factors)
    if (Operation *op = start.lookup(factor).getDefiningOp())
      op->setAttr(becauseAttrName,
                  rewriter.getStringAttr(
                      "the factor of a row whose reference stays: 1, or another number "
                      "with which the row votes for a rescale (NaN; all scores masked)"));
  auto unmoved = carryMore(rewriter, loop, starts);
  choice.best = loop.getRegionIterArg(choice.index);
  llvm::DenseMap<Value, Value> carried;
  for (auto [argument, value] : llvm::zip_equal(unmoved, choice.read)) {
    StringRef name = getSourceName(value);
    bool isNamedAnew = choice.moving.contains(value) && !name.empty();
    argument.setLoc(isNamedAnew ? getNamedLoc(("speculative_" + name).str(), value.getLoc())
                                : value.getLoc());
    carried[value] = argument;
  }
  return carried;
}

/// Whether a row of the warp chooses a new reference, or has a factor that is not 1 as it is.
static Value vote(OpBuilder &builder, Choice &choice, Value part,
                  const llvm::DenseMap<Value, Value> &unmoved) {
  Location loc = getUnnamedLoc(choice.now->getLoc());
  SmallVector<Value> inputs = {part, choice.best};
  for (Value value : choice.factors)
    inputs.push_back(unmoved.lookup(value));
  Value one = builder.create<arith::ConstantOp>(loc, builder.getF32FloatAttr(1.0f));
  return builder.create<AnyRowOp>(
      getNamedLoc("row_max_grew", loc), inputs,
      [&](OpBuilder &body, Location, ValueRange elements) {
        Value rowMaxGrew;
        auto map = dyn_cast<MapOp>(choice.now);
        Condition condition =
            map ? *getCondition(map, choice.top.getResult(), choice.best) : Condition{};
        if (Operation *decides = condition.value ? condition.value.getDefiningOp() : nullptr) {
          IRMapping mapping;
          for (auto [element, input] : llvm::zip(map.getElements(), map.getInputs()))
            mapping.map(element, elements[input == choice.best]);
          for (Operation &op : map.getBody().front().without_terminator())
            if (&op == decides || op.isBeforeInBlock(decides))
              body.clone(op, mapping);
          rowMaxGrew = mapping.lookup(condition.value);
          if (condition.isNegated) {
            Value yes = body.create<arith::ConstantOp>(loc, body.getBoolAttr(true));
            rowMaxGrew = body.create<arith::XOrIOp>(loc, rowMaxGrew, yes);
          }
        } else {
          Value larger = body.create<arith::MaxNumFOp>(loc, elements[0], elements[1]);
          rowMaxGrew =
              body.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNE, larger, elements[1]);
        }
        for (Value factor : elements.drop_front(2)) {
          Value differs = body.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNE, factor, one);
          rowMaxGrew = body.create<arith::OrIOp>(loc, rowMaxGrew, differs);
        }
        body.create<tk::YieldOp>(loc, rowMaxGrew);
      });
}

/// The larger of both, as an op of its own: a reduction that begins with `best` has no condition.
static Value createMaximum(OpBuilder &builder, Location loc, Value top, Value best) {
  return builder
      .create<MapOp>(loc, top.getType(), ValueRange{top, best}, /*coordinates=*/false,
                     [&](OpBuilder &body, Location, ValueRange elements) {
                       Value larger = body.create<arith::MaxNumFOp>(loc, elements[0], elements[1]);
                       body.create<tk::YieldOp>(loc, larger);
                     })
      .getResult(0);
}

/// The branch in which a row may rise: the new reference, what follows from it now, and what will
/// follow once it stays.
static void fillThen(scf::IfOp branch, Choice &choice, Value part) {
  Block *block = branch.thenBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(block);
  Value top =
      builder.create<FinishRowsOp>(choice.top.getLoc(), part.getType(), tk::Combine::Max, part);
  Value now = choice.now->getResult(0);
  if (choice.now == choice.top) {
    Value larger = createMaximum(builder, now.getLoc(), top, choice.best);
    now.replaceAllUsesWith(larger);
    choice.now = larger.getDefiningOp();
    now = larger;
  } else {
    choice.top.replaceAllUsesWith(top);
    choice.now->moveBefore(block, block->end());
  }
  choice.top.erase();
  for (MapOp map : choice.followers)
    map->moveBefore(block, block->end());
  IRMapping next;
  cloneUnmoved(builder, choice, now, next);

  SmallVector<Value> results = {now};
  llvm::append_range(results, choice.read);
  for (Value value : choice.moving)
    results.push_back(next.lookup(value));
  builder.create<scf::YieldOp>(branch.getLoc(), results);
}

/// The branch in which all stays.
static void fillElse(scf::IfOp branch, const Choice &choice,
                     const llvm::DenseMap<Value, Value> &unmoved) {
  OpBuilder builder = OpBuilder::atBlockEnd(branch.elseBlock());
  SmallVector<Value> results = {choice.best};
  for (Value value : choice.read) {
    results.push_back(unmoved.lookup(value));
    if (!choice.factors.contains(value))
      continue;
    Value one = builder.create<arith::ConstantOp>(branch.getLoc(), builder.getF32FloatAttr(1.0f));
    results.back() = builder.create<FillOp>(value.getLoc(), value.getType(), one);
  }
  for (Value value : choice.moving)
    results.push_back(unmoved.lookup(value));
  builder.create<scf::YieldOp>(branch.getLoc(), results);
}

/// Lets `by` take the place of `value` outside of the branch.
static void replaceOutside(Value value, Value by, scf::IfOp branch) {
  value.replaceUsesWithIf(by, [&](OpOperand &use) { return !branch->isAncestor(use.getOwner()); });
}

static void branchOn(Choice &choice, scf::ForOp &loop, llvm::DenseMap<Value, Value> &conditions) {
  llvm::DenseMap<Value, Value> unmoved = carryUnmoved(loop, choice);
  OpBuilder builder(choice.now);
  Value part = builder.create<ReduceRowsOp>(
      getNamedLoc("part", choice.top.getLoc()), choice.top.getType(), tk::Combine::Max,
      /*partial=*/true, choice.top.getSource(), /*init=*/Value());
  Value rowMaxGrew = vote(builder, choice, part, unmoved);

  SmallVector<Type> types(1 + choice.read.size() + choice.moving.size(), choice.best.getType());
  for (auto [i, value] : llvm::enumerate(choice.read))
    types[1 + i] = value.getType();
  for (auto [i, value] : llvm::enumerate(choice.moving))
    types[1 + choice.read.size() + i] = value.getType();
  auto branch = builder.create<scf::IfOp>(getUnnamedLoc(choice.now->getLoc()), types, rowMaxGrew,
                                          /*addThenBlock=*/true, /*addElseBlock=*/true);
  branch->setAttr(
      becauseAttrName,
      builder.getStringAttr("conditional rescale: a row of the warp has a new reference"));
  fillThen(branch, choice, part);
  fillElse(branch, choice, unmoved);

  replaceOutside(choice.now->getResult(0), branch.getResult(0), branch);
  auto carry = [&](Value value, Value next) {
    unsigned index = cast<BlockArgument>(unmoved.lookup(value)).getArgNumber() - 1;
    loop.getBody()->getTerminator()->setOperand(index, next);
  };
  for (auto [i, value] : llvm::enumerate(choice.read)) {
    Value result = branch.getResult(1 + i);
    replaceOutside(value, result, branch);
    carry(value, result);
    if (choice.factors.contains(value))
      conditions[result] = rowMaxGrew;
  }
  for (auto [i, value] : llvm::enumerate(choice.moving))
    carry(value, branch.getResult(1 + choice.read.size() + i));
}

llvm::DenseMap<Value, Value> tkc::branchOnChoices(scf::ForOp &loop, const SetVector<Value> &factors,
                                                  MissedReason &missed) {
  llvm::DenseMap<Value, Value> conditions;
  for (unsigned index = 0, count = loop.getNumRegionIterArgs(); index < count; ++index) {
    std::optional<Choice> choice = findChoice(loop, index, missed);
    if (!choice)
      continue;
    findFollowers(*choice, loop, factors);
    if (!choice->factors.empty())
      branchOn(*choice, loop, conditions);
  }
  return conditions;
}
