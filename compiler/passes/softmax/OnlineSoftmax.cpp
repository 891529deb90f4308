//===- OnlineSoftmax.cpp - A vote on maxima whose exponentials are summed -===//
#include "passes/softmax/OnlineSoftmax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/softmax/Exponents.h"
#include "passes/tile/MapBodies.h"
#include "remarks/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// The vote as it is
//===----------------------------------------------------------------------===//

/// Takes a condition apart at its "or"s.
static bool splitCondition(Value condition, OnlineSoftmax &vote) {
  if (auto either = condition.getDefiningOp<arith::OrIOp>())
    return splitCondition(either.getLhs(), vote) && splitCondition(either.getRhs(), vote);
  if (Value bound = getBound(condition, vote.part.getResult(), vote.any)) {
    if (vote.bound)
      return false;
    vote.bound = bound;
    return true;
  }
  vote.others.push_back(condition);
  return !dependsOn(condition, vote.part.getResult(), vote.any);
}

/// True if the condition needs nothing that is made anew in each iteration. Moves its constants out
/// of the loop.
static bool isFixed(AnyRowOp any, scf::ForOp loop) {
  for (Operation &op : any.getBody().front())
    for (Value operand : op.getOperands()) {
      if (any.getBody().isAncestor(operand.getParentRegion()) ||
          loop.isDefinedOutsideOfLoop(operand))
        continue;
      Operation *constant = operand.getDefiningOp();
      if (!constant || !constant->hasTrait<OpTrait::ConstantLike>())
        return false;
      constant->moveBefore(loop);
    }
  return true;
}

/// The partial maxima, the branch, and the condition of a vote. A vote on no maxima has no reason.
static bool readVote(OnlineSoftmax &vote, scf::ForOp loop, MissedReason &missed) {
  for (Value input : vote.any.getInputs())
    if (auto part = input.getDefiningOp<ReduceRowsOp>(); part && loop->isProperAncestor(part)) {
      if (vote.part || part->getBlock() != loop.getBody() || !part.getPartial() ||
          part.getCombine() != tk::Combine::Max || part.getInit())
        return false;
      vote.part = part;
    }
  if (!vote.part)
    return false;
  for (Value input : vote.any.getInputs())
    if (input != vote.part.getResult() && !loop.isDefinedOutsideOfLoop(input) &&
        !llvm::is_contained(loop.getRegionIterArgs(), input))
      return missed.because(vote.any.getLoc(), Remark::SpeculateCondition);
  for (Operation *user : vote.part->getUsers()) {
    if (user == vote.any)
      continue;
    auto branch = dyn_cast<scf::IfOp>(user->getParentOp());
    if (!isa<FinishRowsOp>(user) || vote.branch || !branch ||
        branch.getCondition() != vote.any.getResult() || branch->getBlock() != loop.getBody() ||
        user->getBlock() != branch.thenBlock())
      return false;
    vote.branch = branch;
  }
  Block &body = vote.any.getBody().front();
  if (!vote.branch)
    return false;
  if (!isFixed(vote.any, loop))
    return missed.because(vote.any.getLoc(), Remark::SpeculateCondition);
  // Without slack the sum of exponentials is nearly always above the limit.
  if (!splitCondition(body.getTerminator()->getOperand(0), vote) || !vote.bound ||
      vote.bound.getParentBlock() != &body || !vote.bound.getDefiningOp())
    return missed.because(vote.any.getLoc(), Remark::SpeculateNoSlack);
  return true;
}

//===----------------------------------------------------------------------===//
// The exponentials
//===----------------------------------------------------------------------===//

/// True for exp2((s - from) * scale), where `from` is a result of the branch.
static bool readExponentials(MapOp map, OnlineSoftmax &vote, scf::ForOp loop,
                             MissedReason &missed) {
  Value scores = vote.part.getSource();
  if (map->getBlock() != loop.getBody() || map.getInputs().size() != 2 ||
      map.getNumResults() != 1 || map.getResult(0).getType() != scores.getType() ||
      !map.getCoordinates().empty())
    return false;
  Value from = map.getInputs()[map.getInputs()[0] == scores];
  auto result = dyn_cast<OpResult>(from);
  if (!result || result.getOwner() != vote.branch || !llvm::is_contained(map.getInputs(), scores))
    return false;
  Operation *yield = map.getBody().front().getTerminator();
  auto power = yield->getOperand(0).getDefiningOp<math::Exp2Op>();
  std::optional<ScaledDifference> difference;
  if (power)
    difference = readScaledDifference(power.getOperand(), map);
  if (!difference || getOperandOf(difference->element, map) != scores ||
      getOperandOf(difference->reference, map) != from ||
      (difference->scale && !loop.isDefinedOutsideOfLoop(difference->scale)))
    return false;
  std::optional<float> largest = getLargestReference(map);
  if (difference->scale && !largest)
    return missed.because(map.getLoc(), Remark::SpeculateReaders);
  vote.exponentials = map;
  vote.reference = result.getResultNumber();
  vote.scale = difference->scale;
  vote.largestReference = largest.value_or(vote.largestReference);
  return true;
}

/// True for elements that hold no number much larger than an exponential: the reference of a row is
/// so close to where it moves that sums of exponentials nearly always exceed that.
static bool hasNoRoom(Type elements) {
  return tk::getStorageBits(cast<tk::ElementsInterface>(elements).getElementType()) < 16;
}

/// True for a conversion to 16 bits, and nothing else.
static bool isRounding(Operation *reader) {
  auto map = cast<MapOp>(reader);
  Type element = cast<tk::ElementsInterface>(map.getResult(0).getType()).getElementType();
  auto round =
      map.getBody().front().getTerminator()->getOperand(0).getDefiningOp<arith::TruncFOp>();
  return round && getOperandOf(round.getIn(), map) && (element.isBF16() || element.isF16());
}

/// Sums and conversions of the exponentials; nothing else may read them.
static bool readReaders(OnlineSoftmax &vote, scf::ForOp loop, MissedReason &missed) {
  auto refuse = [&](Operation *reader) {
    return missed.because(reader->getLoc(), Remark::SpeculateReaders);
  };
  for (Operation *user : vote.exponentials->getUsers()) {
    if (user->getBlock() != loop.getBody())
      return refuse(user);
    auto sum = dyn_cast<ReduceRowsOp>(user);
    if (sum && sum.getCombine() == tk::Combine::Add && !sum.getInit()) {
      vote.readers.insert(vote.readers.begin(), sum);
      continue;
    }
    auto conversion = dyn_cast<MapOp>(user);
    if (!conversion || conversion.getInputs().size() != 1 || conversion.getNumResults() != 1 ||
        !conversion.getCoordinates().empty())
      return refuse(user);
    if (hasNoRoom(conversion.getResult(0).getType()))
      return missed.because(conversion.getLoc(), Remark::SpeculateEightBits);
    vote.readers.push_back(conversion);
  }
  bool isComplete =
      !vote.readers.empty() &&
      (vote.hasSum() || (vote.readers.size() == 1 && isRounding(vote.readers.front())));
  return isComplete || refuse(vote.exponentials);
}

//===----------------------------------------------------------------------===//
// Ops that may follow the wait
//===----------------------------------------------------------------------===//

/// True for `if (row_max_grew) { something computed } else { its old value }`.
static bool isScaling(scf::IfOp branch) {
  return branch.elseBlock() && llvm::hasSingleElement(*branch.elseBlock()) &&
         isMemoryEffectFree(branch);
}

/// The other branches on the vote, and what follows from the first one before them.
static bool readDependents(OnlineSoftmax &vote, scf::ForOp loop, MissedReason &missed) {
  auto refuse = [&](Operation *other) {
    return missed.because(other->getLoc(), Remark::SpeculateOtherWork);
  };
  for (Operation *user : vote.any->getUsers()) {
    if (user == vote.branch)
      continue;
    auto scaling = dyn_cast<scf::IfOp>(user);
    if (!scaling || scaling->getBlock() != loop.getBody() ||
        !vote.branch->isBeforeInBlock(scaling) || !isScaling(scaling))
      return refuse(user);
    vote.scalings.push_back(scaling);
  }
  if (vote.scalings.empty())
    return refuse(vote.branch);
  llvm::sort(vote.scalings, [](scf::IfOp a, scf::IfOp b) { return a->isBeforeInBlock(b); });

  SetVector<Operation *> following;
  following.insert(vote.branch);
  for (Operation *op = vote.branch->getNextNode(); op != vote.scalings.back();
       op = op->getNextNode()) {
    WalkResult reads = op->walk([&](Operation *inner) {
      bool isFollowing = llvm::any_of(inner->getOperands(), [&](Value operand) {
        return following.contains(operand.getDefiningOp());
      });
      return isFollowing ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!reads.wasInterrupted())
      continue;
    following.insert(op);
    bool isReplaced = op == vote.exponentials || llvm::is_contained(vote.readers, op) ||
                      llvm::is_contained(vote.scalings, op);
    if (!isReplaced && !isMemoryEffectFree(op))
      return refuse(op);
    if (!isReplaced)
      vote.dependents.push_back(op);
  }
  return true;
}

Value tkc::getNext(Value value, OnlineSoftmax &vote, scf::ForOp loop) {
  if (loop.isDefinedOutsideOfLoop(value))
    return value;
  auto argument = dyn_cast<BlockArgument>(value);
  if (!llvm::is_contained(loop.getRegionIterArgs(), value))
    return {};
  Value next = loop.getYieldedValues()[argument.getArgNumber() - loop.getNumInductionVars()];
  auto result = dyn_cast<OpResult>(next);
  bool isChosen = result && result.getOwner() == vote.branch;
  return isChosen || next == value ? next : Value();
}

Value tkc::getUnmovedReference(OnlineSoftmax &vote) {
  return vote.branch.elseYield().getOperand(vote.reference);
}

SmallVector<Value> tkc::getState(OnlineSoftmax &vote) {
  SmallVector<Value> state = {getUnmovedReference(vote)};
  llvm::copy_if(vote.any.getInputs(), std::back_inserter(state),
                [&](Value input) { return input != vote.part.getResult(); });
  return state;
}

std::optional<OnlineSoftmax> tkc::findOnlineSoftmax(scf::ForOp loop, MissedReason &missed) {
  for (AnyRowOp any : loop.getBody()->getOps<AnyRowOp>()) {
    OnlineSoftmax vote;
    vote.any = any;
    if (!readVote(vote, loop, missed))
      continue;
    auto maps = loop.getBody()->getOps<MapOp>();
    if (llvm::none_of(maps, [&](MapOp map) { return readExponentials(map, vote, loop, missed); })) {
      missed.because(any.getLoc(), Remark::SpeculateExponentials);
      continue;
    }
    if (!readReaders(vote, loop, missed) || !readDependents(vote, loop, missed))
      continue;
    if (llvm::all_of(getState(vote), [&](Value value) { return getNext(value, vote, loop); }))
      return vote;
    missed.because(any.getLoc(), Remark::SpeculateState);
  }
  return std::nullopt;
}
