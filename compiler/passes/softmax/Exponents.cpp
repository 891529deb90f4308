//===- Exponents.cpp - Exponentials of scaled differences -----------------===//
#include "passes/softmax/Exponents.h"

#include "dialect/tk/Tk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/tile/MapBodies.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// The factors of an MMA, the one from outside of the map's body second; nulls if there is none.
static std::pair<Value, Value> splitScale(Value value, MapOp map) {
  auto isOutside = [&](Value factor) {
    return !map.getBody().isAncestor(factor.getParentRegion());
  };
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || isOutside(value))
    return {};
  if (isOutside(product.getRhs()))
    return {product.getLhs(), product.getRhs()};
  if (isOutside(product.getLhs()))
    return {product.getRhs(), product.getLhs()};
  return {};
}

std::optional<ScaledDifference> tkc::readScaledDifference(Value exponent, MapOp map) {
  auto [scaled, scale] = splitScale(exponent, map);
  auto difference = (scaled ? scaled : exponent).getDefiningOp<arith::SubFOp>();
  if (!difference || difference->getBlock() != &map.getBody().front())
    return std::nullopt;
  if (scaled)
    return ScaledDifference{difference.getLhs(), difference.getRhs(), scale};
  auto [left, leftScale] = splitScale(difference.getLhs(), map);
  auto [right, rightScale] = splitScale(difference.getRhs(), map);
  if (left && right && leftScale == rightScale)
    return ScaledDifference{left, right, leftScale};
  return ScaledDifference{difference.getLhs(), difference.getRhs(), {}};
}

Value tkc::createContracted(OpBuilder &builder, Location loc, ScaledDifference difference) {
  Value negative = builder.create<arith::NegFOp>(loc, difference.reference);
  Value scaled = builder.create<arith::MulFOp>(loc, negative, difference.scale);
  return builder.create<math::FmaOp>(loc, difference.element, difference.scale, scaled);
}

/// The bits of precision of an element that is not wider than 16 bits; none for others.
static std::optional<int> getPrecision(Type values) {
  auto element = dyn_cast<FloatType>(cast<tk::ElementsInterface>(values).getElementType());
  if (!element || tk::getStorageBits(element) > 16)
    return std::nullopt;
  return element.getFPMantissaWidth();
}

/// True if the result is made of exponentials by factors and choices alone, and rounded.
static bool scalesExponentials(MapOp map) {
  if (map.getNumResults() != 1)
    return false;
  bool isFound = false;
  SmallVector<Operation *> following;
  for (Operation &op : map.getBody().front()) {
    bool isExponential = isa<math::Exp2Op>(op);
    isFound |= isExponential;
    bool follows = llvm::any_of(op.getOperands(), [&](Value operand) {
      return llvm::is_contained(following, operand.getDefiningOp());
    });
    if (follows && !isa<arith::MulFOp, arith::NegFOp, arith::SelectOp, arith::TruncFOp,
                        arith::ExtFOp, tk::YieldOp>(op))
      return false;
    if (follows || isExponential)
      following.push_back(&op);
  }
  return isFound;
}

/// The precision of what a map rounds its only operand to, if that is all that it does.
static std::optional<int> getRounding(Operation *user) {
  auto map = dyn_cast<MapOp>(user);
  if (!map || map.getNumResults() != 1)
    return std::nullopt;
  auto round =
      map.getBody().front().getTerminator()->getOperand(0).getDefiningOp<arith::TruncFOp>();
  if (!round || !getOperandOf(round.getIn(), map))
    return std::nullopt;
  return getPrecision(map.getResult(0).getType());
}

std::optional<float> tkc::getLargestReference(MapOp exponentials) {
  if (!scalesExponentials(exponentials))
    return std::nullopt;
  std::optional<int> precision = getPrecision(exponentials.getResult(0).getType());
  if (!precision)
    for (Operation *user : exponentials->getUsers()) {
      auto sum = dyn_cast<ReduceRowsOp>(user);
      if (sum && sum.getCombine() == tk::Combine::Add)
        continue;
      std::optional<int> rounding = getRounding(user);
      if (!rounding)
        return std::nullopt;
      precision = std::max(*rounding, precision.value_or(0));
    }
  // Sums are not rounded: they take no more than beside bf16.
  if (!precision)
    return std::nullopt;
  return std::ldexp(1.0f, 20 - std::max(*precision, 8));
}

//===----------------------------------------------------------------------===//
// Quotients
//===----------------------------------------------------------------------===//

namespace {
/// With which power of the number that a row is multiplied by values are multiplied then; none that
/// are not. Values that are not here do not depend on it.
struct Degrees {
  llvm::DenseMap<Value, int> of;

  int get(Value value) const { return of.lookup(value); }

  /// Reads a scalar op of a map's body; false if its results follow no power.
  bool read(Operation &op) {
    auto all = [&](int degree) {
      return llvm::all_of(op.getOperands(), [&](Value value) { return get(value) == degree; });
    };
    if (all(0))
      return true;
    if (op.getNumResults() != 1)
      return false;
    Value result = op.getResult(0);
    int first = get(op.getOperand(0));
    if (isa<arith::MulFOp>(op))
      of[result] = first + get(op.getOperand(1));
    else if (isa<arith::DivFOp>(op))
      of[result] = first - get(op.getOperand(1));
    else if (isa<arith::NegFOp>(op) || (isa<arith::AddFOp, arith::SubFOp>(op) && all(first)))
      of[result] = first;
    else
      return false;
    return true;
  }

  /// Reads a map, which has an operand with a degree.
  bool read(MapOp map) {
    for (auto [input, element] : llvm::zip(map.getInputs(), map.getElements()))
      if (int degree = get(input)) {
        // A number of each row, not of each column.
        auto vector = dyn_cast<FragmentVectorType>(input.getType());
        if (vector && vector.getOrientation() != tk::Orientation::Column)
          return false;
        of[element] = degree;
      }
    Block &body = map.getBody().front();
    for (Operation &op : body.without_terminator())
      if (!read(op))
        return false;
    for (auto [made, result] : llvm::zip(body.getTerminator()->getOperands(), map.getResults()))
      if (int degree = get(made))
        of[result] = degree;
    return true;
  }
};
} // namespace

bool tkc::isQuotientOfRows(MapOp exponentials) {
  // The result is the exponential itself, as a float.
  Operation *yield = exponentials.getBody().front().getTerminator();
  if (exponentials.getNumResults() != 1 || !yield->getOperand(0).getType().isF32() ||
      !yield->getOperand(0).getDefiningOp<math::Exp2Op>() ||
      !cast<tk::ElementsInterface>(exponentials.getResult(0).getType()).getElementType().isF32())
    return false;
  Degrees degrees;
  degrees.of[exponentials.getResult(0)] = 1;
  for (Operation *op = exponentials->getNextNode(); op; op = op->getNextNode()) {
    bool reads = op->walk([&](Operation *inner) {
                     bool has = llvm::any_of(inner->getOperands(), [&](Value operand) {
                       return degrees.get(operand) != 0;
                     });
                     return has ? WalkResult::interrupt() : WalkResult::advance();
                   }).wasInterrupted();
    if (!reads)
      continue;
    auto sum = dyn_cast<ReduceRowsOp>(op);
    if (sum && sum.getCombine() == tk::Combine::Add && !sum.getInit())
      degrees.of[sum.getResult()] = degrees.get(sum.getSource());
    else if (auto map = dyn_cast<MapOp>(op); !map || !degrees.read(map))
      return false;
  }
  return true;
}
