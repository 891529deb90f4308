//===- CombineBounds.cpp - One comparison in place of two -----------------===//
//
// A causal mask at the end of the keys asks of every element whether its key exists and whether its
// row may see it. Both are upper bounds of the key, and the smaller one is known for a whole row:
//
//     key < keys && key <= row      ->      key <= min(keys - 1, row)
//
// An element then costs one comparison. Both bounds are read apart before: what a mask hides
// follows from each (tk-skip-masked-blocks).
//
//===----------------------------------------------------------------------===//
#include "dialect/hopper/Hopper.h"
#include "dialect/tk/Tk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "passes/Passes.h"
#include "passes/tile/DeadCode.h"

namespace tkc {
#define GEN_PASS_DEF_COMBINEBOUNDS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

namespace {
/// A comparison of an index with a limit: it is less, or greater.
struct Bound {
  Value index, limit;
  bool isUpper, isStrict;
};
} // namespace

/// The bound that a comparison of signed numbers is for its left or its right operand.
static std::optional<Bound> getBound(arith::CmpIOp compare, bool isOfLeft) {
  using arith::CmpIPredicate;
  const CmpIPredicate predicate = compare.getPredicate();
  const bool isLess = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle;
  const bool isGreater = predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge;
  if (!isLess && !isGreater)
    return std::nullopt;
  const bool isStrict = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sgt;
  Value left = compare.getLhs(), right = compare.getRhs();
  return isOfLeft ? Bound{left, right, isLess, isStrict} : Bound{right, left, isGreater, isStrict};
}

/// Whether the limit minus one, or of a lower bound plus one, is a number of its type.
static bool hasNext(const Bound &bound) {
  APInt value;
  if (matchPattern(bound.limit, m_ConstantInt(&value)))
    return bound.isUpper ? !value.isMinSignedValue() : !value.isMaxSignedValue();
  return bound.isUpper && bound.limit.getDefiningOp<tk::ExtentOp>(); // of which none is negative
}

/// The limit of the same bound with "or equal".
static Value getReached(const Bound &bound, Location loc, OpBuilder &builder) {
  if (!bound.isStrict)
    return bound.limit;
  Value one =
      builder.create<arith::ConstantOp>(loc, builder.getIntegerAttr(bound.limit.getType(), 1));
  if (bound.isUpper)
    return builder.create<arith::SubIOp>(loc, bound.limit, one);
  return builder.create<arith::AddIOp>(loc, bound.limit, one);
}

/// Both bounds as one comparison, or null.
static Value combine(const Bound &first, const Bound &second, Location loc, OpBuilder &builder) {
  if (first.index != second.index || first.isUpper != second.isUpper)
    return {};
  const bool isStrict = first.isStrict && second.isStrict;
  for (const Bound &bound : {first, second})
    if (bound.isStrict && !isStrict && !hasNext(bound))
      return {};
  auto limitOf = [&](const Bound &bound) {
    return isStrict ? bound.limit : getReached(bound, loc, builder);
  };
  Value limits[] = {limitOf(first), limitOf(second)};
  using arith::CmpIPredicate;
  if (first.isUpper)
    return builder.create<arith::CmpIOp>(loc, isStrict ? CmpIPredicate::slt : CmpIPredicate::sle,
                                         first.index,
                                         builder.create<arith::MinSIOp>(loc, limits[0], limits[1]));
  return builder.create<arith::CmpIOp>(loc, isStrict ? CmpIPredicate::sgt : CmpIPredicate::sge,
                                       first.index,
                                       builder.create<arith::MaxSIOp>(loc, limits[0], limits[1]));
}

/// Two comparisons that hold together, with one that follows from no other element's.
static Value combine(arith::CmpIOp first, arith::CmpIOp second, Block &body, Location loc,
                     OpBuilder &builder) {
  for (bool isOfLeft : {true, false})
    for (bool isOfOtherLeft : {true, false}) {
      auto one = getBound(first, isOfLeft), other = getBound(second, isOfOtherLeft);
      // An index that is not the element's has its comparisons outside of the elements.
      if (one && other && one->index.getParentBlock() == &body)
        if (Value both = combine(*one, *other, loc, builder))
          return both;
    }
  return {};
}

/// All that must hold for a condition, in the order in which it is written.
static void collectTerms(Value condition, SmallVectorImpl<Value> &terms) {
  auto both = condition.getDefiningOp<arith::AndIOp>();
  if (!both || !condition.getType().isInteger(1))
    return terms.push_back(condition);
  collectTerms(both.getLhs(), terms);
  collectTerms(both.getRhs(), terms);
}

/// Combines two terms; the later one is taken out.
static bool combineOnce(SmallVectorImpl<Value> &terms, arith::AndIOp condition,
                        OpBuilder &builder) {
  for (size_t i = 0; i < terms.size(); ++i)
    for (size_t j = i + 1; j < terms.size(); ++j) {
      auto first = terms[i].getDefiningOp<arith::CmpIOp>();
      auto second = terms[j].getDefiningOp<arith::CmpIOp>();
      if (!first || !second)
        continue;
      Value both = combine(first, second, *condition->getBlock(), condition.getLoc(), builder);
      if (!both)
        continue;
      terms[i] = both;
      terms.erase(terms.begin() + j);
      return true;
    }
  return false;
}

static void combineBounds(arith::AndIOp condition) {
  OpBuilder builder(condition);
  SmallVector<Value> terms;
  collectTerms(condition, terms);
  bool isChanged = false;
  while (combineOnce(terms, condition, builder))
    isChanged = true;
  if (!isChanged)
    return;
  Value all = terms.front();
  for (Value term : ArrayRef(terms).drop_front())
    all = builder.create<arith::AndIOp>(condition.getLoc(), all, term);
  condition.replaceAllUsesWith(all);
}

namespace {
struct CombineBounds : tkc::impl::CombineBoundsBase<CombineBounds> {
  void runOnOperation() override {
    getOperation().walk([](MapOp map) {
      auto isPart = [](Operation *user) { return isa<arith::AndIOp>(user); };
      SmallVector<arith::AndIOp> conditions;
      for (auto condition : map.getBody().getOps<arith::AndIOp>())
        if (condition.getType().isInteger(1) && llvm::none_of(condition->getUsers(), isPart))
          conditions.push_back(condition);
      llvm::for_each(conditions, combineBounds);
      eraseUnread(map);
    });
  }
};
} // namespace
