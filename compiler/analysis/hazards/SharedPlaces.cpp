//===- SharedPlaces.cpp - Which part of shared memory a value names -------===//
#include "analysis/hazards/SharedPlaces.h"

#include "analysis/protocol/BarrierRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

SharedPlaces::SharedPlaces(RoleOp role) : role(role), warpgroups(role.getWarpgroups()) {
  if (role.getBody().getNumArguments())
    index = role.getBody().getArgument(0);
}

/// True if the value is the same at every point of the role.
bool SharedPlaces::isInvariant(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return !role->isProperAncestor(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  if (!role->isProperAncestor(op))
    return true;
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isInvariant(operand); });
}

static SharedNumber add(const SharedNumber &a, const SharedNumber &b) {
  if (b.isConstant() && !a.isUnknown)
    return {a.base, a.scale, a.offset + b.offset};
  if (a.isConstant() && !b.isUnknown)
    return {b.base, b.scale, a.offset + b.offset};
  return SharedNumber::unknown();
}

/// A number with the counters of the unrolled loops around it known.
SharedNumber SharedPlaces::evaluate(Value value) const {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 64)
    return SharedNumber::constant(constant.getSExtValue());
  if (auto counter = counters.find(value); counter != counters.end())
    return SharedNumber::constant(counter->second);
  Operation *op = value.getDefiningOp();
  SharedNumber result = SharedNumber::unknown();
  if (isa_and_nonnull<arith::AddIOp>(op)) {
    result = add(evaluate(op->getOperand(0)), evaluate(op->getOperand(1)));
  } else if (isa_and_nonnull<arith::MulIOp>(op)) {
    SharedNumber left = evaluate(op->getOperand(0)), right = evaluate(op->getOperand(1));
    if (left.isConstant())
      std::swap(left, right);
    if (right.isConstant() && !left.isUnknown)
      result = {left.base, left.scale * right.offset, left.offset * right.offset};
  } else if (isa_and_nonnull<arith::RemSIOp>(op)) {
    SharedNumber left = evaluate(op->getOperand(0)), right = evaluate(op->getOperand(1));
    if (left.isConstant() && right.isConstant() && right.offset > 0)
      result = SharedNumber::constant(left.offset % right.offset);
  }
  if (result.isUnknown && isInvariant(value))
    return {value};
  return result;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

SharedPlace SharedPlaces::getPlace(Value shared) const {
  SharedPlace place;
  place.rows = cast<SharedType>(shared.getType()).getRows();
  place.cols = cast<SharedType>(shared.getType()).getCols();
  while (Operation *op = shared.getDefiningOp()) {
    if (auto part = dyn_cast<RowsOp>(op))
      place.firstRow = add(place.firstRow, evaluate(part.getFirst()));
    else if (auto part = dyn_cast<ColumnsOp>(op))
      place.firstCol = add(place.firstCol, evaluate(part.getFirst()));
    else
      break;
    shared = op->getOperand(0);
  }
  place.ring = BarrierRoles::getRing(shared);
  place.tile = SharedNumber::unknown();
  if (place.ring && cast<RingType>(place.ring.getType()).getStages() == 1)
    place.tile = SharedNumber::constant(0);
  else if (auto slot = shared.getDefiningOp<SlotOp>())
    place.tile = evaluate(slot.getIndex());
  return place;
}

/// True if two ranges surely have nothing in common.
static bool isDisjoint(const SharedNumber &a, int64_t aExtent, const SharedNumber &b,
                       int64_t bExtent) {
  return a.isComparable(b) && (a.offset + aExtent <= b.offset || b.offset + bExtent <= a.offset);
}

/// True for places in two rings of which one lies over the other: nothing more is known of them.
static bool liesOver(const SharedPlace &a, const SharedPlace &b) {
  return a.ring && b.ring && a.ring != b.ring &&
         (getMemory(a.ring) == b.ring || getMemory(b.ring) == a.ring);
}

bool SharedPlaces::mayOverlap(const SharedPlace &a, const SharedPlace &b) const {
  if (a.ring && b.ring && a.ring != b.ring)
    return liesOver(a, b);
  return !isDisjoint(a.tile, 1, b.tile, 1) && !isDisjoint(a.firstRow, a.rows, b.firstRow, b.rows);
}

bool SharedPlaces::mayMeetInColumns(const SharedPlace &a, const SharedPlace &b) const {
  return a.ring != b.ring || !isDisjoint(a.firstCol, a.cols, b.firstCol, b.cols);
}

/// True if every warpgroup has a range of its own, and stays in it with both: index * scale up to
/// (index + 1) * scale.
bool SharedPlaces::isApart(const SharedNumber &a, int64_t aExtent, const SharedNumber &b,
                           int64_t bExtent) const {
  auto isWithin = [&](const SharedNumber &number, int64_t extent) {
    return number.offset >= 0 && number.offset + extent <= number.scale;
  };
  return a.isComparable(b) && index && a.base == index && isWithin(a, aExtent) &&
         isWithin(b, bExtent);
}

bool SharedPlaces::mayCross(const SharedPlace &a, const SharedPlace &b) const {
  if (warpgroups == 1)
    return false;
  if (a.ring && b.ring && a.ring != b.ring)
    return liesOver(a, b);
  if (isApart(a.tile, 1, b.tile, 1) || isApart(a.firstRow, a.rows, b.firstRow, b.rows))
    return false;
  bool areTilesConstant = a.tile.isConstant() && b.tile.isConstant();
  bool areRowsConstant = a.firstRow.isConstant() && b.firstRow.isConstant();
  return !(areTilesConstant && isDisjoint(a.tile, 1, b.tile, 1)) &&
         !(areRowsConstant && isDisjoint(a.firstRow, a.rows, b.firstRow, b.rows));
}
