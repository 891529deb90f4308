//===- Exponents.cpp - Exponentials of scaled differences -----------------===//
#include "passes/Exponents.h"

#include "dialect/tk/Tk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/MapBodies.h"

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
