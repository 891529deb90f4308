//===- ProtocolScalars.cpp - Scalars and choices of an explored run -------===//
#include "analysis/protocol/ProtocolScalars.h"

#include "analysis/TripCount.h"
#include "dialect/hopper/HopperTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include <set>

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;
using namespace tkc::protocol;

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

unsigned Choices::choose(unsigned count) {
  if (position == digits.size())
    digits.push_back({0, count});
  return digits[position++].value;
}

bool Choices::advance() {
  while (!digits.empty() && digits.back().value + 1 == digits.back().count)
    digits.pop_back();
  if (digits.empty())
    return false;
  ++digits.back().value;
  position = 0;
  return true;
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

// The first word of a key says what it is; op names are pointers and never this small.
enum : uint64_t { ArgumentKey = 1, TileIndexKey, CounterKey, RegistersKey, LessKey, EqualKey };

static uint64_t asWord(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

/// Conversions between widths do not change the numbers that count loops.
static bool isConversion(Operation *op) {
  return isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp>(op) ||
         (isa<arith::TruncIOp>(op) && !op->getResult(0).getType().isInteger(1));
}

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) || constant.getSignificantBits() > 64)
    return std::nullopt;
  return value.getType().isInteger(1) ? int64_t(constant.getZExtValue()) : constant.getSExtValue();
}

uint64_t Scalars::getFamily(Value value) {
  auto [entry, isNew] = families.try_emplace(value, 0);
  if (!isNew)
    return entry->second;
  uint64_t family = asWord(value.getAsOpaquePointer());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<TileLoopOp>(parent)) {
      family = llvm::hash_combine(TileIndexKey, argument.getArgNumber());
    } else if (auto loop = dyn_cast<scf::ForOp>(parent); loop && argument.getArgNumber() == 0) {
      family = llvm::hash_combine(CounterKey, getFamily(loop.getLowerBound()),
                                  getFamily(loop.getUpperBound()), getFamily(loop.getStep()));
    }
  } else if (value.getDefiningOp<TileAtOp>()) {
    family = llvm::hash_combine(TileIndexKey, cast<OpResult>(value).getResultNumber());
  } else if (Operation *op = value.getDefiningOp(); op->getNumRegions() == 0) {
    if (isConversion(op)) {
      family = getFamily(op->getOperand(0));
    } else {
      llvm::hash_code hash =
          llvm::hash_combine(asWord(op->getName().getAsOpaquePointer()),
                             asWord(op->getAttrDictionary().getAsOpaquePointer()),
                             cast<OpResult>(value).getResultNumber());
      for (Value operand : op->getOperands())
        hash = llvm::hash_combine(hash, getFamily(operand));
      family = hash;
    }
  }
  return families[value] = family;
}

bool Scalars::isVarying(Value value) {
  auto [entry, isNew] = varying.try_emplace(value, false);
  if (!isNew)
    return entry->second;
  bool result = false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    result = !isa<KernelOp>(argument.getOwner()->getParentOp());
  else if (Operation *op = value.getDefiningOp(); op->getNumRegions() > 0)
    result = true;
  else
    result = llvm::any_of(op->getOperands(), [&](Value operand) { return isVarying(operand); });
  return varying[value] = result;
}

/// True for what differs between the warpgroups or warps of one role.
static bool isOfWorker(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<RoleOp>(argument.getOwner()->getParentOp());
  return llvm::any_of(value.getDefiningOp()->getOperands(), isOfWorker);
}

Scalars::Scalars(KernelOp kernel) {
  std::set<int64_t> counts = {0, 1, 2}; // two, for what an iteration leaves to the next one
  kernel.walk([&](AllocBarrierOp barrier) {
    int64_t stages = barrier.getResult().getType().getStages();
    counts.insert({stages - 1, stages, stages + 1, 2 * stages + 1});
  });
  tripCounts.assign(counts.begin(), counts.end());
  TripCount tripCount(kernel);
  kernel.walk([&](scf::ForOp loop) {
    if (getTileShare(loop))
      return;
    int64_t step = std::max<int64_t>(1, getConstant(loop.getStep()).value_or(1));
    std::optional<int64_t> lower = getConstant(loop.getLowerBound());
    if (!lower)
      bounds.try_emplace(getFamily(loop.getLowerBound()), Bound{step, 0, false});
    if (getConstant(loop.getUpperBound()))
      return;
    Bound bound{step, lower.value_or(0), lower && tripCount.isAtLeastOne(loop)};
    auto [known, isNew] = bounds.try_emplace(getFamily(loop.getUpperBound()), bound);
    known->second.isPositive |= bound.isPositive;
  });
}

bool Scalars::isChosen(scf::ForOp loop) {
  return !getConstant(loop.getUpperBound()) || !getConstant(loop.getLowerBound());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void Scalars::beginRun(Choices &runChoices) {
  choices = &runChoices;
  choices->restart();
  numbers.clear();
  chosen.clear();
  tiles = 0;
}

Scalar Scalars::intern(const Key &key) {
  auto [entry, isNew] = table.try_emplace(key, Scalar{false, expressions});
  expressions += isNew;
  return entry->second;
}

void Scalars::append(Key &key, const Scalar &scalar) {
  key.push_back(scalar.isKnown);
  key.push_back(scalar.number);
}

Scalars::Form Scalars::findForm(Value value) {
  Form form;
  form.isBound = bounds.contains(getFamily(value));
  if (std::optional<int64_t> constant = getConstant(value)) {
    form.kind = Form::Constant;
    form.constant = {true, *constant};
    return form;
  }
  auto result = dyn_cast<OpResult>(value);
  if (!result) {
    bool isOfKernel = isa<KernelOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
    form.kind = isOfKernel ? Form::Argument : Form::Registers;
    return form;
  }
  Operation *op = result.getOwner();
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat() || isa<tk::GlobalType>(type); };
  form.head = {asWord(op->getName().getAsOpaquePointer()),
               asWord(op->getAttrDictionary().getAsOpaquePointer()), result.getResultNumber()};
  form.isCommutative = op->hasTrait<OpTrait::IsCommutative>() && op->getNumOperands() == 2;
  form.kind = isConversion(op)                ? Form::Conversion
              : isa<AnyRowOp, AnyLargeOp>(op) ? Form::Vote
              : isa<TileShareOp>(op)          ? Form::TileShare
              : isa<TileAtOp>(op)             ? Form::TileAt
              : op->getNumRegions() > 0 || !llvm::all_of(op->getOperandTypes(), isScalar)
                  ? Form::Registers
                  : Form::Operation;
  return form;
}

Scalars::Form &Scalars::getForm(Value value) {
  Form *&form = forms[value];
  if (!form)
    form = &ownedForms.emplace_back(findForm(value));
  return *form;
}

Scalar Scalars::evaluate(Value value, const Environment &environment) {
  Form &form = getForm(value);
  if (form.kind == Form::Constant)
    return form.constant;
  Scalar result;
  if (auto known = environment.values.find(value); known != environment.values.end())
    result = known->second;
  else if (form.kind == Form::Conversion)
    return evaluate(value.getDefiningOp()->getOperand(0), environment);
  else if (form.kind == Form::Argument)
    result = intern({ArgumentKey, asWord(value.getAsOpaquePointer()), 0});
  else if (form.kind == Form::Registers)
    result = intern({RegistersKey, asWord(value.getAsOpaquePointer()), environment.place});
  else
    result = evaluateOp(cast<OpResult>(value), form, environment);
  if (result.isKnown)
    return result;
  if (auto number = numbers.find(result.number); number != numbers.end())
    return {true, number->second};
  return form.isBound ? chooseNumber(value, result, environment) : result;
}

Scalar Scalars::evaluateOp(OpResult result, Form &form, const Environment &environment) {
  Operation *op = result.getOwner();
  if (form.kind == Form::Vote)
    return intern({RegistersKey, asWord(result.getAsOpaquePointer()), environment.place,
                   environment.agent + uint64_t(1)});
  // A block's tiles have the numbers 0, 1, 2 here.
  if (form.kind == Form::TileShare) {
    auto share = cast<TileShareOp>(op);
    if (result == share.getEnd())
      return {true, getTileCount(op, share.getExtents(), environment)};
    return {true, result == share.getBlocks()};
  }
  if (form.kind == Form::TileAt) {
    auto place = cast<TileAtOp>(op);
    if (Scalar tile = evaluate(place.getTile(), environment); tile.isKnown)
      return getTileIndex(place.getExtents(), tile.number, result.getResultNumber(), environment);
  }
  Operands operands;
  for (Value operand : op->getOperands())
    operands.push_back(evaluate(operand, environment));
  if (operands.empty())
    return intern(form.head);
  for (const Evaluated &before : form.evaluated)
    if (before.operands == operands)
      return before.result;
  Evaluated &evaluated = form.evaluated[form.oldest++ % form.evaluated.size()];
  evaluated = {operands, apply(result, form, operands)};
  return evaluated.result;
}

Scalar Scalars::apply(OpResult result, const Form &form, ArrayRef<Scalar> unordered) {
  Operation *op = result.getOwner();
  Operands operands(unordered);
  if (form.isCommutative)
    if (std::pair(operands[1].isKnown, operands[1].number) <
        std::pair(operands[0].isKnown, operands[0].number))
      std::swap(operands[0], operands[1]);
  Key key = form.head;
  for (const Scalar &operand : operands)
    append(key, operand);
  if (auto known = table.find(key); known != table.end())
    return known->second;
  if (!llvm::all_of(operands, [](const Scalar &operand) { return operand.isKnown; }))
    return intern(key);
  // MLIR computes it.
  SmallVector<Attribute> constants;
  for (auto [operand, scalar] : llvm::zip(op->getOperands(), operands))
    constants.push_back(operand.getType().isIntOrIndex()
                            ? Attribute(IntegerAttr::get(operand.getType(), scalar.number))
                            : Attribute());
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(constants, folded)) || folded.empty())
    return intern(key);
  OpFoldResult value = folded[result.getResultNumber()];
  if (auto number = dyn_cast_if_present<IntegerAttr>(dyn_cast<Attribute>(value)))
    return table[key] = {true, number.getType().isInteger(1)
                                   ? int64_t(number.getValue().getZExtValue())
                                   : number.getValue().getSExtValue()};
  for (auto [operand, scalar] : llvm::zip(op->getOperands(), operands))
    if (dyn_cast<Value>(value) == operand) // x + 0
      return table[key] = scalar;
  return intern(key);
}

//===----------------------------------------------------------------------===//
// Choices of a run
//===----------------------------------------------------------------------===//

Scalar Scalars::chooseNumber(Value value, const Scalar &expression,
                             const Environment &environment) {
  // The smaller of a number and one that is known.
  int64_t most = std::numeric_limits<int64_t>::max();
  if (auto least = value.getDefiningOp<arith::MinSIOp>())
    for (Value operand : least->getOperands())
      if (Scalar scalar = evaluate(operand, environment); scalar.isKnown)
        most = std::min(most, scalar.number);
  auto [entry, isNew] = chosen.try_emplace(getFamily(value));
  Family &family = entry->second;
  const Bound &bound = bounds.find(getFamily(value))->second;
  ArrayRef<int64_t> counts = ArrayRef(tripCounts).drop_front(bound.isPositive);
  unsigned count = counts.size();
  if (isNew && isOfWorker(value)) {
    // No worker has an iteration, or only the odd ones or the even ones: one, or all. Of three
    // tiles, which are for what differs between them, the odd workers have one.
    static constexpr std::pair<unsigned, unsigned> patterns[] = {
        {0, 1}, {0, 0}, {1, 0}, {0, 2}, {2, 0}};
    auto [even, odd] = patterns[choices->choose(most == 0 || tiles > 2 ? 1 : most == 1 ? 3 : 5)];
    auto getChoice = [&](unsigned number) { return number == 2 ? count - 1 : number; };
    family.first = getChoice(even);
    family.second = getChoice(odd);
  } else if (isNew) {
    // With three tiles, the second may have another number than the first and the third.
    bool isPaired = tiles > 2 && isVarying(value);
    unsigned choice = choices->choose(isPaired ? 2 * count : count);
    family.first = choice % count;
    family.second = choice < count ? family.first : (choice + 1) % count;
  }
  unsigned choice = family.instances++ % 2 == 0 ? family.first : family.second;
  int64_t number = bound.base + bound.step * counts[choice];
  number = std::min(number, most);
  numbers[expression.number] = number;
  return {true, number};
}

bool Scalars::chooseTruth(Value condition, const Scalar &expression) {
  if (auto known = numbers.find(expression.number); known != numbers.end())
    return known->second;
  auto [entry, isNew] = chosen.try_emplace(llvm::hash_combine(EqualKey, getFamily(condition)));
  Family &family = entry->second;
  if (isNew) {
    // Never, always, and one after the other.
    unsigned choice = choices->choose(isVarying(condition) ? 4 : 2);
    family.first = choice == 1 || choice == 2;
    family.second = choice == 1 || choice == 3;
  }
  bool truth = family.instances++ % 2 == 0 ? family.first : family.second;
  numbers[expression.number] = truth;
  return truth;
}

bool Scalars::decide(Value condition, const Environment &environment) {
  Scalar scalar = evaluate(condition, environment);
  if (scalar.isKnown)
    return scalar.number;
  Operation *op = condition.getDefiningOp();
  if (auto both = dyn_cast_if_present<arith::AndIOp>(op))
    return decide(both.getLhs(), environment) && decide(both.getRhs(), environment);
  if (auto either = dyn_cast_if_present<arith::OrIOp>(op))
    return decide(either.getLhs(), environment) || decide(either.getRhs(), environment);
  if (auto differ = dyn_cast_if_present<arith::XOrIOp>(op))
    return decide(differ.getLhs(), environment) != decide(differ.getRhs(), environment);
  auto compare = dyn_cast_if_present<arith::CmpIOp>(op);
  if (!compare)
    return chooseTruth(condition, scalar);
  // Of a < b, b > a, a >= b and b <= a, one is chosen and the others follow.
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  Scalar left = evaluate(compare.getLhs(), environment),
         right = evaluate(compare.getRhs(), environment);
  bool isEquality = predicate == Predicate::eq || predicate == Predicate::ne;
  bool isSwapped = predicate == Predicate::sgt || predicate == Predicate::sle ||
                   predicate == Predicate::ugt || predicate == Predicate::ule;
  bool isNegated = predicate == Predicate::ne || predicate == Predicate::sge ||
                   predicate == Predicate::sle || predicate == Predicate::uge ||
                   predicate == Predicate::ule;
  if (isSwapped)
    std::swap(left, right);
  Key key = {isEquality ? EqualKey : LessKey};
  append(key, left);
  append(key, right);
  return chooseTruth(condition, intern(key)) != isNegated;
}

int64_t Scalars::getTripCount(scf::ForOp loop, const Environment &environment) {
  Scalar lower = evaluate(loop.getLowerBound(), environment),
         upper = evaluate(loop.getUpperBound(), environment),
         step = evaluate(loop.getStep(), environment);
  if (!lower.isKnown || !upper.isKnown || !step.isKnown || step.number < 1)
    return tripCounts[choices->choose(tripCounts.size())];
  return upper.number <= lower.number
             ? 0
             : (upper.number - lower.number + step.number - 1) / step.number;
}

Scalar Scalars::getCounter(scf::ForOp loop, int64_t iteration, const Environment &environment) {
  Scalar lower = evaluate(loop.getLowerBound(), environment),
         step = evaluate(loop.getStep(), environment);
  if (lower.isKnown && step.isKnown)
    return {true, lower.number + iteration * step.number};
  Key key = {CounterKey, uint64_t(iteration)};
  append(key, lower);
  append(key, step);
  return intern(key);
}

int64_t Scalars::getTileCount(Operation *op, ValueRange extents, const Environment &environment) {
  Key key = {TileIndexKey};
  for (Value extent : extents)
    append(key, evaluate(extent, environment));
  Scalar count = intern(key);
  auto [entry, isNew] = numbers.try_emplace(count.number, 0);
  if (isNew) {
    bool isPersistent = op->getParentOfType<KernelOp>().getPersistent().value_or(true);
    entry->second = 1 + (isPersistent ? choices->choose(3) : 0);
    tiles = std::max(tiles, entry->second);
  }
  return entry->second;
}

Scalar Scalars::getTileIndex(ValueRange extents, int64_t tile, unsigned dim,
                             const Environment &environment) {
  Key key = {TileIndexKey, uint64_t(tile), dim};
  for (Value extent : extents)
    append(key, evaluate(extent, environment));
  return intern(key);
}
