//===- DominatingConditions.cpp - Bounds of scalars that conditions imply -===//
//
// `if (slot < 0) continue;` makes `slot` an index that may be stored to, though MLIR's analysis of
// ranges knows nothing of it: that gives a value one range, wherever it is read. Here a question
// is asked at an operation, so the conditions of the branches around that are facts.
//
// Facts and questions have one form: left - right <= most, where either side may be 0. `n - 1 -
// slot` is not negative if slot - n <= -1, which `if (slot < n)` says; a loop up to `n` runs if
// 0 - n <= -1. The operands of a value turn a question into others. Sums of the
// language do not overflow, as in C++, so constants move from one side to the other.
//
//===----------------------------------------------------------------------===//
#include "analysis/DominatingConditions.h"

#include "dialect/hopper/HopperTileOps.h"
#include "dialect/tk/Tk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tkc;

namespace {
/// A condition that is true, or false, where the question is asked.
struct Fact {
  Value condition;
  bool truth;
};

/// value + offset; the value is null for a constant.
struct Sum {
  Value value;
  int64_t offset = 0;
};
} // namespace

/// How many computations a question is followed through.
static constexpr unsigned mostSteps = 8;

static Sum splitConstant(Value value) {
  Sum sum{value};
  APInt constant;
  while (sum.value) {
    if (matchPattern(sum.value, m_ConstantInt(&constant)))
      return {Value(), sum.offset + constant.getSExtValue()};
    Operation *op = sum.value.getDefiningOp();
    if (!isa_and_present<arith::AddIOp, arith::SubIOp>(op))
      return sum;
    const bool isSum = isa<arith::AddIOp>(op);
    if (matchPattern(op->getOperand(1), m_ConstantInt(&constant)))
      sum = {op->getOperand(0),
             sum.offset + (isSum ? constant.getSExtValue() : -constant.getSExtValue())};
    else if (isSum && matchPattern(op->getOperand(0), m_ConstantInt(&constant)))
      sum = {op->getOperand(1), sum.offset + constant.getSExtValue()};
    else
      return sum;
  }
  return sum;
}

/// True if both are computed alike from the same values; equal ones need not have been merged.
static bool isSame(Value a, Value b) {
  if (a == b)
    return true;
  Operation *first = a ? a.getDefiningOp() : nullptr, *second = b ? b.getDefiningOp() : nullptr;
  return first && second && isPure(first) && isPure(second) && first->getNumRegions() == 0 &&
         cast<OpResult>(a).getResultNumber() == cast<OpResult>(b).getResultNumber() &&
         OperationEquivalence::isEquivalentTo(
             first, second, [](Value left, Value right) { return success(isSame(left, right)); },
             /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

namespace {
class Question {
public:
  Question(ScalarRange getRange, SmallVector<Fact> facts)
      : getRange(getRange), facts(std::move(facts)) {}

  bool isAtMost(Value left, Value right, int64_t most, unsigned steps) {
    Sum less = splitConstant(left), greater = splitConstant(right);
    return isAtMostApart(less.value, greater.value, most - less.offset + greater.offset, steps);
  }

private:
  /// The same without constants on either side.
  bool isAtMostApart(Value left, Value right, int64_t most, unsigned steps) {
    if (std::optional<int64_t> known = getDifference(left, right); known && *known <= most)
      return true;
    if (llvm::any_of(facts, [&](Fact fact) {
          return followsFrom(fact.condition, fact.truth, left, right, most);
        }))
      return true;
    if (steps == 0)
      return false;
    return (right && isAtLeast(right, left, most, steps - 1)) ||
           (left && isAtMostOf(left, right, most, steps - 1));
  }

  /// The most that left - right is, if something is known everywhere.
  std::optional<int64_t> getDifference(Value left, Value right) const {
    if (isSame(left, right))
      return 0;
    std::optional<ConstantIntRanges> high = left ? getRange(left) : getConstant(0);
    std::optional<ConstantIntRanges> low = right ? getRange(right) : getConstant(0);
    if (!high || !low)
      return std::nullopt;
    return high->smax().getSExtValue() - low->smin().getSExtValue();
  }

  static ConstantIntRanges getConstant(int64_t value) {
    return ConstantIntRanges::constant(APInt(32, value, /*isSigned=*/true));
  }

  /// True if left - right <= most follows from a condition.
  bool followsFrom(Value condition, bool truth, Value left, Value right, int64_t most) const {
    Operation *op = condition.getDefiningOp();
    if (auto differ = dyn_cast_if_present<arith::XOrIOp>(op);
        differ && matchPattern(differ.getRhs(), m_One()))
      return followsFrom(differ.getLhs(), !truth, left, right, most);
    if (isa_and_present<arith::AndIOp>(op) ? truth : isa_and_present<arith::OrIOp>(op) && !truth)
      return followsFrom(op->getOperand(0), truth, left, right, most) ||
             followsFrom(op->getOperand(1), truth, left, right, most);
    auto compare = dyn_cast_if_present<arith::CmpIOp>(op);
    if (!compare)
      return false;
    using Predicate = arith::CmpIPredicate;
    Predicate predicate =
        truth ? compare.getPredicate() : arith::invertPredicate(compare.getPredicate());
    auto says = [&](Value less, Value greater, int64_t bound) {
      return followsFromDifference(less, greater, bound, left, right, most);
    };
    Value first = compare.getLhs(), second = compare.getRhs();
    switch (predicate) {
    case Predicate::slt:
      return says(first, second, -1);
    case Predicate::sle:
      return says(first, second, 0);
    case Predicate::sgt:
      return says(second, first, -1);
    case Predicate::sge:
      return says(second, first, 0);
    case Predicate::eq:
      return says(first, second, 0) || says(second, first, 0);
    default:
      return false;
    }
  }

  /// True if left - right <= most follows from less - greater <= bound.
  bool followsFromDifference(Value less, Value greater, int64_t bound, Value left, Value right,
                             int64_t most) const {
    Sum from = splitConstant(less), to = splitConstant(greater);
    std::optional<int64_t> before = getDifference(left, from.value),
                           after = getDifference(to.value, right);
    return before && after && *before + bound - from.offset + to.offset + *after <= most;
  }

  /// The same question with one more fact.
  bool isAtMostWhere(Value condition, bool truth, Value left, Value right, int64_t most,
                     unsigned steps) {
    facts.push_back({condition, truth});
    const bool is = isAtMost(left, right, most, steps);
    facts.pop_back();
    return is;
  }

  /// left - value <= most, by what `value` is computed from.
  bool isAtLeast(Value value, Value left, int64_t most, unsigned steps) {
    auto isFrom = [&](Value operand) { return isAtMost(left, operand, most, steps); };
    auto isNotNegative = [&](Value operand) { return isAtMost({}, operand, 0, steps); };
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop && loop.getInductionVar() == argument && isFrom(loop.getLowerBound());
    }
    Operation *op = value.getDefiningOp();
    if (isa<arith::MaxSIOp>(op))
      return isFrom(op->getOperand(0)) || isFrom(op->getOperand(1));
    if (isa<arith::MinSIOp>(op))
      return isFrom(op->getOperand(0)) && isFrom(op->getOperand(1));
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return isAtMostWhere(select.getCondition(), true, left, select.getTrueValue(), most, steps) &&
             isAtMostWhere(select.getCondition(), false, left, select.getFalseValue(), most, steps);
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      return isAtMostWhere(branch.getCondition(), true, left, branch.thenYield().getOperand(number),
                           most, steps) &&
             isAtMostWhere(branch.getCondition(), false, left,
                           branch.elseYield().getOperand(number), most, steps);
    }
    if (left)
      return false;
    // From here on: is `value` at least -most?
    if (auto sum = dyn_cast<arith::AddIOp>(op))
      return (isNotNegative(sum.getLhs()) && isFrom(sum.getRhs())) ||
             (isNotNegative(sum.getRhs()) && isFrom(sum.getLhs()));
    if (auto difference = dyn_cast<arith::SubIOp>(op))
      return isAtMost(difference.getRhs(), difference.getLhs(), most, steps);
    if (most < 0)
      return false;
    if (isa<arith::MulIOp, arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op))
      return isNotNegative(op->getOperand(0)) && isNotNegative(op->getOperand(1));
    if (isa<arith::RemSIOp, arith::ShRSIOp>(op))
      return isNotNegative(op->getOperand(0));
    if (isa<arith::AndIOp>(op))
      return isNotNegative(op->getOperand(0)) || isNotNegative(op->getOperand(1));
    return false;
  }

  /// value - right <= most, by what `value` is computed from.
  bool isAtMostOf(Value value, Value right, int64_t most, unsigned steps) {
    auto isUpTo = [&](Value operand, int64_t bound) {
      return isAtMost(operand, right, bound, steps);
    };
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Value end = getEnd(argument);
      return end && isUpTo(end, most + 1);
    }
    Operation *op = value.getDefiningOp();
    if (isa<arith::MinSIOp>(op))
      return isUpTo(op->getOperand(0), most) || isUpTo(op->getOperand(1), most);
    if (isa<arith::MaxSIOp>(op))
      return isUpTo(op->getOperand(0), most) && isUpTo(op->getOperand(1), most);
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return isAtMostWhere(select.getCondition(), true, select.getTrueValue(), right, most,
                           steps) &&
             isAtMostWhere(select.getCondition(), false, select.getFalseValue(), right, most,
                           steps);
    if (auto difference = dyn_cast<arith::SubIOp>(op); difference && !right)
      return isAtMost(difference.getLhs(), difference.getRhs(), most, steps);
    return false;
  }

  /// The upper bound of an index of a loop or a grid, or null.
  static Value getEnd(BlockArgument index) {
    Operation *parent = index.getOwner()->getParentOp();
    if (auto grid = dyn_cast<tk::GridOp>(parent))
      return grid.getExtents()[index.getArgNumber()];
    if (auto tiles = dyn_cast<hopper::TileLoopOp>(parent))
      return tiles.getExtents()[index.getArgNumber()];
    auto loop = dyn_cast<scf::ForOp>(parent);
    return loop && loop.getInductionVar() == index ? loop.getUpperBound() : Value();
  }

  ScalarRange getRange;
  SmallVector<Fact> facts;
};
} // namespace

bool tkc::isDifferenceAtMost(Value left, Value right, int64_t most, Operation *at,
                             ScalarRange getRange) {
  SmallVector<Fact> facts;
  for (Operation *inside = at, *op = at->getParentOp(); op; inside = op, op = op->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(op))
      facts.push_back(
          {branch.getCondition(), inside->getParentRegion() == &branch.getThenRegion()});
  return Question(getRange, std::move(facts)).isAtMost(left, right, most, mostSteps);
}
