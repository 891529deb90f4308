//===- MaskedBlocks.cpp - Iterations of which a mask leaves nothing -------===//
#include "passes/schedule/MaskedBlocks.h"

#include "dialect/hopper/Hopper.h"
#include "dialect/tk/MaskBranch.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Iterations that change nothing
//===----------------------------------------------------------------------===//

namespace {
/// All elements of a tile when masks hide everything.
enum class Content { Any, Zero, MinusInfinity };

class HiddenIteration {
public:
  explicit HiddenIteration(scf::ForOp loop) : loop(loop) {}

  /// True if the iteration changes nothing and writes zeros only.
  bool isEmpty() {
    for (Operation &op : loop.getBody()->without_terminator())
      if (!visit(&op))
        return false;
    for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
      if (unchanged.lookup(value) != argument && value != argument)
        return false;
    return !masks.empty();
  }

  SmallVector<BlockMask> masks;
  SmallVector<Operation *> starts;

private:
  Content get(Value value) {
    APFloat constant(0.0f);
    if (matchPattern(value, m_ConstantFloat(&constant)))
      return constant.isZero()                                ? Content::Zero
             : constant.isInfinity() && constant.isNegative() ? Content::MinusInfinity
                                                              : Content::Any;
    return contents.lookup_or(value, Content::Any);
  }

  bool visit(Operation *op) {
    if (auto map = dyn_cast<MapOp>(op))
      return visitMap(map), true;
    if (auto mma = dyn_cast<WgmmaOp>(op))
      return visitMma(mma), true;
    if (auto write = dyn_cast<StoreFragmentOp>(op))
      return get(write.getSource()) == Content::Zero;
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return visitBranch(branch);
    if (isa<WaitBarrierOp, ArriveOp, AdvanceOp, CommitWgmmaOp, LoadFragmentOp, UninitializedOp,
            StageOp, RowsOp, ColumnsOp>(op))
      return true;
    return op->getNumRegions() == 0 && isPure(op);
  }

  bool visitBranch(scf::IfOp branch) {
    if (!isMemoryEffectFree(branch))
      return false;
    if (!branch->hasAttr(masksTileAttrName))
      return true;
    for (Operation &op : branch.thenBlock()->without_terminator())
      if (!visit(&op))
        return false;
    for (auto [result, value] : llvm::zip(branch.getResults(), branch.thenYield().getOperands()))
      contents[result] = get(value);
    return true;
  }

  void visitMma(WgmmaOp mma) {
    if (get(mma.getA()) != Content::Zero && get(mma.getB()) != Content::Zero)
      return;
    std::optional<int64_t> adds = getConstant(mma.getAccumulate());
    if (!adds && !startsInLoop(mma))
      return;
    if (!adds)
      starts.push_back(mma);
    if (adds == 0)
      contents[mma.getResult()] = Content::Zero;
    else
      unchanged[mma.getResult()] = unchanged.lookup_or(mma.getAcc(), mma.getAcc());
  }

  /// True for an accumulator that the loop's first iteration overwrites.
  bool startsInLoop(WgmmaOp mma) {
    auto compare = mma.getAccumulate().getDefiningOp<arith::CmpIOp>();
    auto carried = dyn_cast<BlockArgument>(mma.getAcc());
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::sgt ||
        compare.getLhs() != loop.getInductionVar() || compare.getRhs() != loop.getLowerBound() ||
        !carried || carried.getOwner() != loop.getBody())
      return false;
    Value init = loop.getTiedLoopInit(carried)->get();
    return init.getDefiningOp<UninitializedOp>() && init.hasOneUse();
  }

  void visitMap(MapOp map) {
    Block *body = &map.getBody().front();
    for (auto [argument, input] : llvm::zip(body->getArguments(), map.getInputs()))
      contents[argument] = get(input);
    for (Operation &op : body->without_terminator())
      contents[op.getResult(0)] = compute(map, &op);
    for (auto [result, value] : llvm::zip(map.getResults(), body->getTerminator()->getOperands()))
      contents[result] = get(value);
  }

  static bool readsPlace(MapOp map, Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return llvm::is_contained(map.getCoordinates(), argument);
    Operation *op = value.getDefiningOp();
    return op->getBlock() == &map.getBody().front() &&
           llvm::any_of(op->getOperands(), [&](Value part) { return readsPlace(map, part); });
  }

  Content compute(MapOp map, Operation *op) {
    auto is = [&](unsigned number, Content content) {
      return get(op->getOperand(number)) == content;
    };
    if (auto choice = dyn_cast<arith::SelectOp>(op)) {
      Content hidden = get(choice.getFalseValue());
      if (hidden == Content::Any || !readsPlace(map, choice.getCondition()))
        return Content::Any;
      masks.push_back({map, choice.getCondition()});
      return hidden;
    }
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      return get(op->getOperand(0));
    if (isa<math::ExpOp, math::Exp2Op>(op))
      return is(0, Content::MinusInfinity) ? Content::Zero : Content::Any;
    if (isa<arith::NegFOp>(op))
      return is(0, Content::Zero) ? Content::Zero : Content::Any;
    if (isa<arith::AddFOp, arith::SubFOp>(op))
      return is(0, Content::MinusInfinity) ? Content::MinusInfinity : Content::Any;
    if (!isa<arith::MulFOp, math::FmaOp>(op))
      return Content::Any;
    if (is(0, Content::Zero) || is(1, Content::Zero))
      return isa<arith::MulFOp>(op) ? Content::Zero : get(op->getOperand(2));
    return is(0, Content::MinusInfinity) ? Content::MinusInfinity : Content::Any;
  }

  scf::ForOp loop;
  /// DenseMap with the default of the caller's.
  template <typename T> struct Map : DenseMap<Value, T> {
    T lookup_or(Value key, T otherwise) const {
      auto entry = this->find(key);
      return entry == this->end() ? otherwise : entry->second;
    }
  };
  Map<Content> contents;
  Map<Value> unchanged; ///< accumulators to which MMAs of zeros are added
};
} // namespace

std::optional<MaskedLoop> tkc::matchMaskedLoop(scf::ForOp loop) {
  HiddenIteration iteration(loop);
  if (!iteration.isEmpty())
    return std::nullopt;
  return MaskedLoop{iteration.masks, iteration.starts};
}

//===----------------------------------------------------------------------===//
// How many iterations
//===----------------------------------------------------------------------===//

namespace {
/// Looks at the numbers that a mask compares: affine in the element's place and in the loop's
/// counter.
class HiddenCount {
public:
  HiddenCount(MapOp map, scf::ForOp loop, Value warpgroup, OpBuilder &builder)
      : map(map), loop(loop), warpgroup(warpgroup), builder(builder) {
    auto type = cast<tk::ElementsInterface>(map.getResult(0).getType());
    extents = {type.getRows(), type.getCols()};
  }

  /// Null if it is not known, or always none.
  Value count(Value condition) {
    Operation *op = condition.getDefiningOp();
    if (!op)
      return {};
    if (isa<arith::AndIOp, arith::OrIOp>(op)) {
      Value left = count(op->getOperand(0)), right = count(op->getOperand(1));
      // Of `and`, one side suffices to hide; of `or`, both must.
      if (isa<arith::AndIOp>(op) && (!left || !right))
        return left ? left : right;
      if (!left || !right)
        return {};
      if (isa<arith::AndIOp>(op))
        return builder.create<arith::MaxSIOp>(getLoc(), left, right);
      return builder.create<arith::MinSIOp>(getLoc(), left, right);
    }
    auto compare = dyn_cast<arith::CmpIOp>(op);
    return compare ? count(compare) : Value();
  }

  bool isOfWarpgroup = false;

private:
  Location getLoc() { return getUnnamedLoc(loop.getLoc()); }

  /// a <= b or a < b is fulfilled nowhere as long as a - b is too large at the easiest place, which
  /// shrinks by the same number in every iteration.
  Value count(arith::CmpIOp compare) {
    using arith::CmpIPredicate;
    CmpIPredicate predicate = compare.getPredicate();
    bool isLess = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle;
    bool isMore = predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge;
    Value low = compare.getLhs(), high = compare.getRhs();
    if (isMore)
      std::swap(low, high);
    if (!isLess && !isMore)
      return {};
    auto getSlope = [&](Value variable) -> std::optional<int64_t> {
      std::optional<int64_t> ofLow = getGrowth(low, variable), ofHigh = getGrowth(high, variable);
      return ofLow && ofHigh ? std::optional(*ofLow - *ofHigh) : std::nullopt;
    };
    std::optional<int64_t> step = getSlope(loop.getInductionVar());
    if (!step || *step >= 0)
      return {};
    IRMapping at;
    at.map(loop.getInductionVar(), loop.getLowerBound());
    for (auto [coordinate, extent] : llvm::zip(map.getCoordinates(), extents)) {
      std::optional<int64_t> slope = getSlope(coordinate);
      if (!slope)
        return {};
      at.map(coordinate, createConstant(*slope < 0 ? extent - 1 : 0));
    }
    if (!canCompute(low) || !canCompute(high))
      return {};
    bool isStrict = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sgt;
    Value over = create<arith::SubIOp>(compute(low, at), compute(high, at));
    if (isStrict)
      over = create<arith::AddIOp>(over, createConstant(1));
    isOfWarpgroup |= dependsOn(low, warpgroup) || dependsOn(high, warpgroup);
    over = create<arith::MaxSIOp>(over, createConstant(0));
    return create<arith::CeilDivSIOp>(over, createConstant(-*step));
  }

  bool isInside(Value value) { return loop->isAncestor(value.getParentBlock()->getParentOp()); }

  bool dependsOn(Value value, Value variable) {
    if (value == variable)
      return true;
    Operation *op = value.getDefiningOp();
    return op && llvm::any_of(op->getOperands(),
                              [&](Value operand) { return dependsOn(operand, variable); });
  }

  /// By how much a value grows with each step of a variable.
  std::optional<int64_t> getGrowth(Value value, Value variable) {
    if (value == variable)
      return 1;
    if (!dependsOn(value, variable))
      return 0;
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
      return std::nullopt;
    std::optional<int64_t> left = getGrowth(op->getOperand(0), variable),
                           right = getGrowth(op->getOperand(1), variable);
    if (!left || !right)
      return std::nullopt;
    if (!isa<arith::MulIOp>(op))
      return isa<arith::AddIOp>(op) ? *left + *right : *left - *right;
    if (std::optional<int64_t> factor = getConstant(op->getOperand(1)))
      return *left * *factor;
    if (std::optional<int64_t> factor = getConstant(op->getOperand(0)))
      return *right * *factor;
    return std::nullopt;
  }

  /// True if the value can be computed before the loop.
  bool canCompute(Value value) {
    if (!isInside(value) || value == loop.getInductionVar() ||
        llvm::is_contained(map.getCoordinates(), value))
      return true;
    Operation *op = value.getDefiningOp();
    return op && op->getNumRegions() == 0 && isPure(op) && value.getType().isInteger(32) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return canCompute(operand); });
  }

  Value compute(Value value, IRMapping &at) {
    if (at.contains(value) || !isInside(value))
      return at.lookupOrDefault(value);
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      at.map(operand, compute(operand, at));
    Operation *copy = builder.clone(*op, at);
    copy->setLoc(getUnnamedLoc(op->getLoc()));
    SmallVector<Value> folded;
    if (succeeded(builder.tryFold(copy, folded)) && !folded.empty()) {
      copy->erase();
      at.map(value, folded.front());
    }
    return at.lookup(value);
  }

  template <typename Op> Value create(Value left, Value right) {
    return builder.createOrFold<Op>(getLoc(), left, right);
  }
  Value createConstant(int64_t value) {
    return builder.create<arith::ConstantIntOp>(getLoc(), value, 32);
  }

  MapOp map;
  scf::ForOp loop;
  Value warpgroup;
  OpBuilder &builder;
  SmallVector<int64_t> extents;
};
} // namespace

Value tkc::countHidden(const BlockMask &mask, scf::ForOp loop, Value warpgroup, OpBuilder &builder,
                       bool &isOfWarpgroup) {
  HiddenCount hidden(cast<MapOp>(mask.map), loop, warpgroup, builder);
  Value count = hidden.count(mask.keeps);
  isOfWarpgroup |= hidden.isOfWarpgroup;
  return count;
}
