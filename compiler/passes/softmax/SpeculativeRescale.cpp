//===- SpeculativeRescale.cpp - Rows that rise, told by the sums of exponentials ===//
//
// Where the reference of a row moves only when a score exceeds it by far, a warp
// votes in every iteration whether one does (tk-conditional-rescale), and for that each
// thread must find the maxima of its scores, which nothing else needs:
//
//     part = partial_row_max(s)
//     row_max_grew = any_row(part > best + slack)
//     if (row_max_grew) { now = ...; from = ...; alpha = ... }
//     p = exp2((s - from) * c);  total = total * alpha + partial_row_sum(p)
//
// But a score that exceeds the bound has an exponential above a limit, and so has
// the sum that it is part of. So the exponentials are computed with the reference
// as it is, and the vote is on their sums, which are needed anyway:
//
//     p = exp2(fma(s, c, -from * c));  sum = partial_row_sum(p)
//     if (any_row(!(sum <= limit))) { part = partial_row_max(s); ...; p and sum again }
//
// In the branch stands all that stood here before; the vote only has to be true wherever
// it was before. It is true more often: also where many scores are a little above the
// reference. Exponentials were in vain then, so after a few such iterations the loop
// goes on with the branch alone, which bounds what scores can make it cost. Nor are
// they computed where a row has no limit yet, because all its scores were masked.
//
//     limit = exp2((best + slack - from) * c - 1)
//
// from * c is rounded to 24 bits, which makes the argument of an exponential wrong by up to
// 2^-24 |from * c|, so these exponentials are computed only while |from * c| is so small that it
// does not show in the type that they are converted to (Exponents.h). Elsewhere, for c <= 0, and
// where a factor would not be 1, the limit is -1, which every sum exceeds, and in the branch the
// exponentials are computed as they were. The 1 in the limit is room for rounding, too. Sums that
// are NaN exceed every limit.
//
// Where the tensor cores add up (tk-row-sums-on-tensor-cores), there is no sum, and the vote is on
// the exponentials as they are converted to 16 bits: whether one is 2 or more, which one bit says.
// A row has a limit then only if that lies below it, and the limit itself is not needed in the
// loop.
//
// Scores outlive their exponentials now (where there are too few registers, the vote stays as it
// was), so the MMAs that read these must be over before: all of it stands where the accumulator
// is scaled, after the wait for it. In exchange no iteration looks for a maximum.
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/RegisterBudget.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include "passes/schedule/CarriedValues.h"
#include "passes/softmax/Exponents.h"
#include "passes/softmax/OnlineSoftmax.h"
#include "passes/tile/MapBodies.h"
#include "remarks/Remarks.h"
#include <limits>

namespace tkc {
#define GEN_PASS_DEF_SPECULATIVERESCALE
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// The least element that hopper.any_large finds.
static constexpr float largeElement = 2.0f;

/// After so many sums in vain a loop looks for maxima first.
static constexpr int mostAttempts = 2;

//===----------------------------------------------------------------------===//
// The limit
//===----------------------------------------------------------------------===//

namespace {
/// Scalars of a map's body.
struct Scalars {
  OpBuilder &builder;
  Location loc;

  Value number(float value) {
    return builder.create<arith::ConstantOp>(loc, builder.getF32FloatAttr(value));
  }
  Value no(Value condition) {
    Value yes = builder.create<arith::ConstantOp>(loc, builder.getBoolAttr(true));
    return builder.create<arith::XOrIOp>(loc, condition, yes);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return builder.create<arith::CmpFOp>(loc, predicate, a, b);
  }
  Value both(Value a, Value b) { return builder.create<arith::AndIOp>(loc, a, b); }
};
} // namespace

/// The emitted comment on limits. The numbers are explained above.
static constexpr StringLiteral
    limitOfSums = "A sum of exponentials above the row's limit means that a score may exceed the "
                  "row's bound. The 1 in the exponent is room for rounding. Rows whose scaled "
                  "reference is so large that its rounding would show have no limit (-1).",
    limitOfElements = "An exponential of 2 or more means that a score may exceed the row's bound, "
                      "if the bound's own exponential is at least 2. The 1 in the exponent is room "
                      "for rounding. Rows whose scaled reference is so large that its rounding "
                      "would show have no limit (-1).";

/// Whether an MMA in a limit is rounded does not matter: the 1 has room for that.
static void allowContraction(Operation *op) {
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    op->setAttr("fastmath",
                arith::FastMathFlagsAttr::get(op->getContext(), arith::FastMathFlags::contract));
}

/// The limit of each row's sum, or of its exponentials if the vote is on those: `now` has what the
/// vote's inputs and the reference are then.
static Value createLimit(OpBuilder &builder, OnlineSoftmax &vote,
                         llvm::function_ref<Value(Value)> now) {
  AnyRowOp any = vote.any;
  SmallVector<Value> inputs;
  IRMapping elements;
  SmallVector<unsigned> positions;
  for (auto [index, input] : llvm::enumerate(any.getInputs()))
    if (input != vote.part.getResult()) {
      inputs.push_back(now(input));
      positions.push_back(index);
    }
  inputs.push_back(now(getUnmovedReference(vote)));
  Location loc = getNamedLoc("limit", any.getLoc());
  auto limit = builder.create<MapOp>(
      loc, inputs.back().getType(), inputs, /*coordinates=*/false,
      [&](OpBuilder &body, Location, ValueRange values) {
        Block &condition = any.getBody().front();
        for (auto [position, value] : llvm::zip(positions, values))
          elements.map(condition.getArgument(position), value);
        for (Operation &op : condition.without_terminator())
          if (!dependsOn(op.getResult(0), vote.part.getResult(), any))
            allowContraction(body.clone(op, elements));
        using Predicate = arith::CmpFPredicate;
        Scalars scalars{body, getUnnamedLoc(loc)};
        auto scaled = [&](Value value) -> Value {
          return vote.scale ? body.create<arith::MulFOp>(scalars.loc, value, vote.scale) : value;
        };
        Value from = values.back();
        Value gap = body.create<arith::SubFOp>(scalars.loc, elements.lookup(vote.bound), from);
        allowContraction(gap.getDefiningOp());
        Value power = body.create<arith::SubFOp>(scalars.loc, scaled(gap), scalars.number(1.0f));
        Value above = body.create<math::Exp2Op>(getNamedLoc("allowed", scalars.loc), power);
        if (vote.hasSum()) {
          Value largest = scalars.number(std::numeric_limits<float>::max());
          // A choice, not a minimum: a NaN stays one, and every sum exceeds it.
          above = body.create<arith::SelectOp>(
              scalars.loc, scalars.compare(Predicate::OGT, above, largest), largest, above);
        }
        Value size = body.create<math::AbsFOp>(scalars.loc, scaled(from));
        Value isKnown =
            scalars.compare(Predicate::OLT, size, scalars.number(vote.largestReference));
        if (vote.scale)
          isKnown = scalars.both(scalars.compare(Predicate::OGT, vote.scale, scalars.number(0.0f)),
                                 isKnown);
        for (Value other : vote.others)
          isKnown = scalars.both(scalars.no(elements.lookup(other)), isKnown);
        if (!vote.hasSum()) {
          isKnown.setLoc(getNamedLoc("is_exact", scalars.loc));
          Value isSeen = scalars.compare(Predicate::OGE, above, scalars.number(largeElement));
          isKnown = scalars.both(isKnown, isSeen);
        }
        isKnown.setLoc(getNamedLoc("is_known", scalars.loc));
        Value result =
            body.create<arith::SelectOp>(scalars.loc, isKnown, above, scalars.number(-1.0f));
        body.create<tk::YieldOp>(scalars.loc, result);
      });
  limit->setAttr(becauseAttrName,
                 builder.getStringAttr(vote.hasSum() ? limitOfSums : limitOfElements));
  return limit.getResult(0);
}

/// `attemptsLeft`, or `none` where a row of the warp has no limit: its sum would exceed it.
static Value createAttempts(OpBuilder &builder, Location loc, Value limit, Value attemptsLeft,
                            Value none) {
  Value hasNoLimit = builder.create<AnyRowOp>(
      getNamedLoc("has_no_limit", loc), limit, [&](OpBuilder &body, Location, ValueRange values) {
        Scalars scalars{body, loc};
        Value zero = scalars.number(0.0f);
        body.create<tk::YieldOp>(loc, scalars.compare(arith::CmpFPredicate::OLT, values[0], zero));
      });
  return builder.create<arith::SelectOp>(loc, hasNoLimit, none, attemptsLeft);
}

/// Carries the limit, if the vote is on sums, and how often it may still be in vain, as a negative
/// number while none is worth a try; gives this iteration's. The vote has to be found again after
/// it.
static std::pair<Value, BlockArgument> carryLimit(scf::ForOp &loop, OnlineSoftmax &vote) {
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  Location loc = getUnnamedLoc(vote.any.getLoc());
  Value limit = createLimit(rewriter, vote, [&](Value value) -> Value {
    auto argument = dyn_cast<BlockArgument>(value);
    bool isCarried = argument && argument.getOwner() == loop.getBody();
    return isCarried ? loop.getTiedLoopInit(argument)->get() : value;
  });
  auto number = [&](int value) {
    return rewriter.create<arith::ConstantOp>(loc, rewriter.getI32IntegerAttr(value));
  };
  Value attemptsLeft =
      createAttempts(rewriter, loc, limit, number(mostAttempts), number(-mostAttempts));
  loop->setAttr(becauseAttrName,
                rewriter.getStringAttr(
                    "While attempts_left > 0 an iteration speculates that no row outgrows its "
                    "reference; it is spent "
                    "by speculations that fail, and negative as long as a row has no limit."));
  SmallVector<Value, 2> starts = {attemptsLeft};
  if (vote.hasSum())
    starts.insert(starts.begin(), limit);
  auto carried = carryMore(rewriter, loop, starts);
  carried.front().setLoc(limit.getLoc());
  carried.back().setLoc(getNamedLoc("attempts_left", loc));
  return {vote.hasSum() ? Value(carried.front()) : Value(), carried.back()};
}

//===----------------------------------------------------------------------===//
// The vote on sums
//===----------------------------------------------------------------------===//

/// The exponentials measured from `from`, and what reads them, in the order of the readers. As one
/// multiply-add each: compilers would keep the MMAs, which do not depend on the reference, from
/// before the branch until they are needed in it.
static SmallVector<Value> createExponentials(OpBuilder &builder, OnlineSoftmax &vote, Value from) {
  MapOp old = vote.exponentials;
  Value scores = vote.part.getSource();
  bool scoresFirst = old.getInputs()[0] == scores;
  SmallVector<Value, 2> inputs = {scores, from};
  if (!scoresFirst)
    std::swap(inputs[0], inputs[1]);
  Location loc = getUnnamedLoc(old.getLoc());
  auto map = builder.create<MapOp>(
      getNamedLoc("p", old.getLoc()), old.getResult(0).getType(), inputs, /*coordinates=*/false,
      [&](OpBuilder &body, Location, ValueRange elements) {
        Value score = elements[!scoresFirst], reference = elements[scoresFirst];
        Value power = vote.scale ? createContracted(body, loc, {score, reference, vote.scale})
                                 : body.create<arith::SubFOp>(loc, score, reference);
        body.create<tk::YieldOp>(loc, body.create<math::Exp2Op>(loc, power).getResult());
      });
  IRMapping mapping;
  mapping.map(old.getResult(0), map.getResult(0));
  return llvm::map_to_vector(vote.readers, [&](Operation *reader) -> Value {
    Operation *clone = builder.clone(*reader, mapping);
    if (isa<ReduceRowsOp>(reader) && getSourceName(reader->getResult(0)).empty())
      clone->setLoc(getNamedLoc("sum", reader->getLoc()));
    return clone->getResult(0);
  });
}

/// The readers' results with the reference as it is, and without a sum whether an exponential is
/// large; where that would be in vain, nothing but a sum that exceeds every limit, or true.
static SmallVector<Value> createSpeculative(OpBuilder &builder, OnlineSoftmax &vote,
                                            Value isSpeculative) {
  Location loc = getUnnamedLoc(vote.any.getLoc());
  SmallVector<Type> types = llvm::map_to_vector(
      vote.readers, [](Operation *reader) { return reader->getResult(0).getType(); });
  if (!vote.hasSum())
    types.push_back(builder.getI1Type());
  auto branch = builder.create<scf::IfOp>(loc, types, isSpeculative, /*addThenBlock=*/true,
                                          /*addElseBlock=*/true);
  branch->setAttr(
      becauseAttrName,
      builder.getStringAttr("speculative softmax: exponentials with the old references; a "
                            "large one refutes them"));
  OpBuilder inThen = OpBuilder::atBlockEnd(branch.thenBlock());
  SmallVector<Value> made = createExponentials(inThen, vote, getUnmovedReference(vote));
  if (!vote.hasSum())
    made.push_back(inThen.create<AnyLargeOp>(getNamedLoc("needs_rescale", loc), inThen.getI1Type(),
                                             made.front()));
  inThen.create<scf::YieldOp>(loc, made);

  OpBuilder inElse = OpBuilder::atBlockEnd(branch.elseBlock());
  Value infinity = inElse.create<arith::ConstantOp>(
      loc, inElse.getF32FloatAttr(std::numeric_limits<float>::infinity()));
  SmallVector<Value> nothing = llvm::map_to_vector(types, [&](Type type) -> Value {
    if (isa<FragmentType>(type))
      return inElse.create<UninitializedOp>(loc, type);
    if (type.isInteger(1))
      return inElse.create<arith::ConstantOp>(loc, inElse.getBoolAttr(true));
    return inElse.create<FillOp>(getNamedLoc("sum", loc), type, infinity);
  });
  inElse.create<scf::YieldOp>(loc, nothing);
  return SmallVector<Value>(branch.getResults());
}

/// Whether a row's sum is above its limit.
static Value createVote(OpBuilder &builder, OnlineSoftmax &vote, Value sum, Value limit) {
  Location loc = getUnnamedLoc(vote.any.getLoc());
  return builder.create<AnyRowOp>(getNamedLoc("needs_rescale", loc), ValueRange{sum, limit},
                                  [&](OpBuilder &body, Location, ValueRange values) {
                                    Scalars scalars{body, loc};
                                    Value isBelow = scalars.compare(arith::CmpFPredicate::OLE,
                                                                    values[0], values[1]);
                                    body.create<tk::YieldOp>(loc, scalars.no(isBelow));
                                  });
}

/// The results that the code in the branch has for others.
static SmallVector<Value> getResults(OnlineSoftmax &vote) {
  SmallVector<Value> results(vote.branch.getResults());
  for (Operation *reader : vote.readers)
    results.push_back(reader->getResult(0));
  for (scf::IfOp scaling : vote.scalings)
    llvm::append_range(results, scaling.getResults());
  return results;
}

/// The same if no row's maximum grows: the `else` code of the branch stands at the insertion point
/// then.
static SmallVector<Value> createStaying(OpBuilder &builder, OnlineSoftmax &vote,
                                        ArrayRef<Value> speculative) {
  IRMapping mapping;
  for (Operation &op : vote.branch.elseBlock()->without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : vote.branch.elseYield().getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  llvm::append_range(results, speculative);
  for (scf::IfOp scaling : vote.scalings)
    llvm::append_range(results, scaling.elseYield().getOperands());
  return results;
}

/// Moves the code that a vote on maxima stands in the middle of to the end of a block.
static void moveCode(OnlineSoftmax &vote, Block *block) {
  SmallVector<Operation *> moved = {vote.part, vote.any, vote.branch, vote.exponentials};
  llvm::append_range(moved, vote.readers);
  llvm::append_range(moved, vote.scalings);
  llvm::sort(moved, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : moved)
    op->moveBefore(block, block->end());
}

/// Whether there are registers for scores and the operand that their exponentials become at once.
/// An operand that the loop carries has registers: those of the one that was read.
static bool fits(OnlineSoftmax &vote, scf::ForOp loop, MissedReason &missed) {
  auto role = loop->getParentOfType<RoleOp>();
  int64_t registers = TileRegisters(role).getPressure(vote.exponentials).registers;
  if (vote.hasSum())
    registers += TileRegisters::getRegisters(vote.part.getType(), 1); // a limit
  for (Operation *reader : vote.readers)
    if (isa<MapOp>(reader) && !llvm::is_contained(loop.getYieldedValues(), reader->getResult(0)))
      registers += TileRegisters::getRegisters(reader->getResult(0).getType(), 1);
  const int64_t available = getMaxTileRegisters(role);
  if (registers > available)
    return missed.because(vote.exponentials.getLoc(), Remark::SpeculateRegisters, registers,
                          available);
  return true;
}

static void voteOnSums(scf::ForOp loop) {
  MissedReason missed;
  std::optional<OnlineSoftmax> found = findOnlineSoftmax(loop, missed);
  if (!found || !fits(*found, loop, missed))
    return missed.reportAt(loop);
  reportRemark(loop, found->exponentials.getLoc(),
               found->hasSum() ? Remark::SpeculateOnSums : Remark::SpeculateOnWeights);
  auto [limit, attemptsLeft] = carryLimit(loop, *found);
  OnlineSoftmax vote = *findOnlineSoftmax(loop, missed); // the loop's arguments are new ones
  Location loc = vote.branch.getLoc();
  OpBuilder builder(vote.scalings.back());
  builder.setInsertionPointAfter(vote.scalings.back());
  Value zero = builder.create<arith::ConstantOp>(loc, builder.getI32IntegerAttr(0));
  Value isSpeculative =
      builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, attemptsLeft, zero);
  SmallVector<Value> speculative = createSpeculative(builder, vote, isSpeculative);
  Value exceeds =
      limit ? createVote(builder, vote, speculative.front(), limit) : speculative.pop_back_val();
  llvm::DenseMap<Value, Value> next;
  for (Value value : getState(vote))
    next[value] = getNext(value, vote, loop);

  SmallVector<Value> rising = getResults(vote);
  SmallVector<Type> types(ValueRange(rising).getTypes());
  SmallVector<Value, 2> kept = {attemptsLeft};
  if (limit)
    kept.insert(kept.begin(), limit);
  llvm::append_range(types, ValueRange(kept).getTypes());
  auto branch = builder.create<scf::IfOp>(loc, types, exceeds, /*addThenBlock=*/true,
                                          /*addElseBlock=*/true);
  branch->setAttr(becauseAttrName,
                  builder.getStringAttr("the speculation failed: find the row maxima, choose "
                                        "references and compute the exponentials again"));
  OpBuilder inElse = OpBuilder::atBlockEnd(branch.elseBlock());
  SmallVector<Value> staying = createStaying(inElse, vote, speculative);
  llvm::append_range(staying, kept);
  inElse.create<scf::YieldOp>(loc, staying);

  moveCode(vote, branch.thenBlock());
  for (auto [value, result] : llvm::zip(rising, branch.getResults()))
    value.replaceUsesWithIf(result,
                            [&](OpOperand &use) { return !branch->isAncestor(use.getOwner()); });
  OpBuilder inThen = OpBuilder::atBlockEnd(branch.thenBlock());
  Value nextLimit = createLimit(inThen, vote, [&](Value value) { return next.lookup(value); });
  if (limit)
    rising.push_back(nextLimit);
  Value one = inThen.create<arith::ConstantOp>(loc, inThen.getI32IntegerAttr(1));
  Value used = inThen.create<arith::SubIOp>(loc, attemptsLeft, one);
  Value unused = inThen.create<arith::SubIOp>(loc, zero, attemptsLeft);
  Value left =
      inThen.create<arith::SelectOp>(getNamedLoc("attempts", loc), isSpeculative, used, unused);
  Value none = inThen.create<arith::SubIOp>(loc, zero, left);
  rising.push_back(createAttempts(inThen, loc, nextLimit, left, none));
  inThen.create<scf::YieldOp>(loc, rising);
  Operation *yield = loop.getBody()->getTerminator();
  unsigned first = yield->getNumOperands() - kept.size();
  for (auto [index, value] : llvm::enumerate(branch.getResults().take_back(kept.size())))
    yield->setOperand(first + index, value);

  Operation *last = branch;
  for (Operation *op : vote.dependents) {
    op->moveAfter(last);
    last = op;
  }
}

namespace {
struct SpeculativeRescale : tkc::impl::SpeculativeRescaleBase<SpeculativeRescale> {
  void runOnOperation() override {
    forEachKernel<KernelOp>(getOperation(), [](KernelOp kernel) {
      SmallVector<scf::ForOp> loops;
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      llvm::for_each(loops, voteOnSums);
    });
  }
};
} // namespace
