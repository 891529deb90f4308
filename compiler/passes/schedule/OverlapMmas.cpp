//===- OverlapMmas.cpp - MMAs beside elementwise work ---------------------===//
//
// In attention, S = Q K^T is followed by a softmax and that by O += P V: while the
// threads compute exponentials, the tensor cores stand still, and the other way
// round. The next iteration's S needs nothing of this one's O, so one warpgroup
// can have both in flight (FlashAttention-3, Shah et al. 2024, section 3.2):
//
//     S(0); softmax(0); rescale(0)
//     for j:  issue S(j + 1); issue O += P(j) V(j); wait for S only; softmax(j + 1);
//             wait for O; rescale(j + 1)
//     O += P(n - 1) V(n - 1)
//
// That is software pipelining in two stages, which MLIR does
// (scf::pipelineForLoop); this pass decides what belongs to which stage and in
// what order, from the dependences alone. Two things decide the order. Accumulators
// that threads touch must be waited for before the loop goes round (ptxas
// serialises otherwise), so they are updated at the end of the step. And the
// registers of P are read by the MMA in flight, so P is rounded after that,
// last.
//
//===----------------------------------------------------------------------===//
#include "analysis/ExtentEquality.h"
#include "analysis/TripCount.h"
#include "analysis/registers/RegisterBudget.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TemplateParameters.h"
#include "dialect/tk/Tk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include "passes/tile/Distribution.h"
#include "remarks/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace tkc {
#define GEN_PASS_DEF_OVERLAPMMAS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;

using OperationSet = llvm::SmallPtrSet<Operation *, 32>;

//===----------------------------------------------------------------------===//
// Dependences within one iteration
//===----------------------------------------------------------------------===//

static bool isTile(Value value) { return isa<tk::ElementsInterface>(value.getType()); }

static bool isSharedTile(Value value) {
  if (auto tile = dyn_cast<tk::TileType>(value.getType()))
    return tile.isShared();
  auto vector = dyn_cast<tk::TileVectorType>(value.getType());
  return vector && vector.isShared();
}

/// Calls `visit` for every value that `op`, or an op inside it, reads.
template <typename Visit> static void forEachRead(Operation *op, Visit visit) {
  op->walk([&](Operation *inner) { llvm::for_each(inner->getOperands(), visit); });
}

/// The ops of the body that read a result of `op` in the same iteration; the terminator is not one.
static SmallVector<Operation *> getReaders(Operation *op) {
  SmallVector<Operation *> readers;
  for (Operation *user : op->getUsers()) {
    Operation *reader = op->getBlock()->findAncestorOpInBlock(*user);
    if (!reader->hasTrait<OpTrait::IsTerminator>())
      readers.push_back(reader);
  }
  return readers;
}

/// Everything in the body that depends on one of `roots`, without them.
static OperationSet getDependents(ArrayRef<Operation *> roots) {
  OperationSet dependents;
  SmallVector<Operation *> worklist(roots);
  while (!worklist.empty())
    for (Operation *reader : getReaders(worklist.pop_back_val()))
      if (dependents.insert(reader).second)
        worklist.push_back(reader);
  return dependents;
}

/// Everything in the body that one of `roots` depends on, with them.
static OperationSet getClosure(ArrayRef<Operation *> roots, Block *body) {
  OperationSet closure(roots.begin(), roots.end());
  SmallVector<Operation *> worklist(roots);
  while (!worklist.empty())
    forEachRead(worklist.pop_back_val(), [&](Value read) {
      Operation *maker = read.getDefiningOp();
      if (maker && maker->getBlock() == body && closure.insert(maker).second)
        worklist.push_back(maker);
    });
  return closure;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

namespace {
/// The body of a loop, split in two stages.
struct Stages {
  scf::ForOp loop;
  SmallVector<Operation *> first;  ///< MMAs that begin an iteration
  SmallVector<Operation *> second; ///< those that need elementwise work on the first ones' results
  OperationSet later;              ///< all of the second stage
};
} // namespace

/// Ops that cost nothing to compute in both stages.
static bool isFreeInBothStages(Operation *op) {
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         (isa<tk::FillOp>(op) ||
          (llvm::none_of(op->getOperands(), isTile) && llvm::none_of(op->getResults(), isTile)));
}

/// True if the user wants the loop pipelined, and its MMAs to overlap.
static bool isWanted(scf::ForOp loop) {
  auto attribute = loop->getAttrOfType<tk::PipelineAttr>(tk::pipelineAttrName);
  return attribute && attribute.getOverlap();
}

/// A body of loads, MMAs and elementwise code without other effects.
static bool isSimple(scf::ForOp loop, MissedReason &missed) {
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool isOther = (!isa<tk::LoadOp>(op) && !isMemoryEffectFree(&op)) ||
                   (op.getNumRegions() && !isa<tk::MapOp, scf::IfOp>(op)) ||
                   isa<tk::AllocOp, tk::WriteOp>(op);
    if (isOther)
      return missed.because(op.getLoc(), Remark::OverlapEffects);
  }
  bool computesAll = llvm::all_of(loop.getYieldedValues(), [&](Value yielded) {
    return yielded.getDefiningOp() && yielded.getParentBlock() == loop.getBody();
  });
  return computesAll || missed.because(loop.getLoc(), Remark::OverlapPassedOn);
}

/// Divides the MMAs. Fails if there are not two kinds, which is nothing to remark on, or one
/// iteration's elementwise work needs the second ones.
static LogicalResult divideMmas(Stages &stages, MissedReason &missed) {
  SmallVector<Operation *> mmas, work;
  for (Operation &op : stages.loop.getBody()->without_terminator())
    if (isa<tk::MmaOp>(op))
      mmas.push_back(&op);
  OperationSet afterMmas = getDependents(mmas);
  for (Operation *op : afterMmas)
    if (!isa<tk::MmaOp>(op))
      work.push_back(op);
  OperationSet afterWork = getDependents(work);
  for (Operation *mma : mmas)
    (afterWork.contains(mma) ? stages.second : stages.first).push_back(mma);
  // Nothing but other MMAs may need what the second ones compute.
  OperationSet afterSecond = getDependents(stages.second);
  if (stages.first.empty() || stages.second.empty())
    return failure();
  if (!llvm::all_of(afterSecond, [](Operation *op) { return isa<tk::MmaOp>(op); }))
    return missed.because(stages.second.front()->getLoc(), Remark::OverlapReadsSecond);
  return success();
}

/// The ops that read, directly or not, what the second stage of the iteration before has computed.
static OperationSet getLate(const Stages &stages) {
  SmallVector<Operation *> roots;
  scf::ForOp loop = stages.loop;
  for (auto [argument, yielded] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
    if (stages.later.contains(yielded.getDefiningOp()))
      for (Operation *user : argument.getUsers())
        if (Operation *reader = loop.getBody()->findAncestorOpInBlock(*user);
            !reader->hasTrait<OpTrait::IsTerminator>())
          roots.push_back(reader);
  OperationSet late = getDependents(roots);
  late.insert(roots.begin(), roots.end());
  return late;
}

/// Gives the second stage a clone of `op` for its own use.
static void cloneForLater(Operation *op, Stages &stages) {
  OpBuilder builder(op);
  Operation *clone = builder.clone(*op);
  for (auto [old, own] : llvm::zip(op->getResults(), clone->getResults()))
    old.replaceUsesWithIf(own, [&](OpOperand &use) {
      Operation *reader = op->getBlock()->findAncestorOpInBlock(*use.getOwner());
      return stages.later.contains(reader);
    });
  stages.later.insert(clone);
}

/// Values that only the second stage reads move there; scalars that both read are computed in both.
static void assignReaders(Stages &stages) {
  stages.later.insert(stages.second.begin(), stages.second.end());
  SmallVector<Operation *> body;
  for (Operation &op : stages.loop.getBody()->without_terminator())
    body.push_back(&op);
  for (Operation *op : llvm::reverse(body)) {
    SmallVector<Operation *> readers = getReaders(op);
    auto isLater = [&](Operation *reader) { return stages.later.contains(reader); };
    if (stages.later.contains(op) || llvm::none_of(readers, isLater))
      continue;
    bool isYielded =
        llvm::any_of(op->getUsers(), [](Operation *user) { return isa<scf::YieldOp>(user); });
    bool hasSharedResult = llvm::any_of(op->getResults(), isSharedTile);
    if (llvm::all_of(readers, isLater) && !isYielded && (isFreeInBothStages(op) || hasSharedResult))
      stages.later.insert(op);
    else if (isFreeInBothStages(op))
      cloneForLater(op, stages);
  }
}

/// A shared tile cannot go from one iteration to the next, and what an iteration hands to the next
/// one's second stage must come from a second stage.
static bool mayCross(const Stages &stages) {
  scf::ForOp loop = stages.loop;
  for (Operation *op : stages.later) {
    bool isBad = false;
    forEachRead(op, [&](Value read) {
      if (Operation *maker = read.getDefiningOp()) {
        isBad |= maker->getBlock() == loop.getBody() && !stages.later.contains(maker) &&
                 isSharedTile(read);
      } else if (auto argument = dyn_cast<BlockArgument>(read);
                 argument && argument.getOwner() == loop.getBody() &&
                 argument != loop.getInductionVar()) {
        Value yielded = loop.getTiedLoopYieldedValue(argument)->get();
        isBad |= !stages.later.contains(yielded.getDefiningOp());
      }
    });
    if (isBad)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// A map that only rounds its operand.
static bool isConversion(tk::MapOp map) {
  auto narrow =
      map.getBody().front().getTerminator()->getOperand(0).getDefiningOp<arith::TruncFOp>();
  return map.getInputs().size() == 1 && map.getNumResults() == 1 && narrow &&
         narrow.getIn() == map.getElements()[0];
}

/// Divides a map whose result is rounded, so that the work can be done before the MMA in flight
/// has read the rounded tile of the iteration before.
static void splitConversion(tk::MapOp map) {
  auto narrow =
      map.getBody().front().getTerminator()->getOperand(0).getDefiningOp<arith::TruncFOp>();
  if (map.getNumResults() != 1 || !narrow || isConversion(map) ||
      narrow->getBlock() != &map.getBody().front())
    return;
  OpBuilder builder(map);
  auto type = cast<tk::ElementsInterface>(map.getResult(0).getType());
  Type wide = type.withElementType(narrow.getIn().getType());
  IRMapping mapping;
  auto work = builder.create<tk::MapOp>(
      map.getLoc(), wide, map.getInputs(), !map.getCoordinates().empty(),
      [&](OpBuilder &inside, Location loc, ValueRange arguments) {
        mapping.map(map.getBody().getArguments(), arguments);
        for (Operation &op : map.getBody().front().without_terminator())
          if (&op != narrow)
            inside.clone(op, mapping);
        inside.create<tk::YieldOp>(loc, mapping.lookupOrDefault(narrow.getIn()));
      });
  auto rounded = builder.create<tk::MapOp>(
      getUnnamedLoc(map.getLoc()), map.getResultTypes(), work.getResults(), false,
      [&](OpBuilder &inside, Location loc, ValueRange arguments) {
        Value value = inside.create<arith::TruncFOp>(loc, narrow.getType(), arguments[0]);
        inside.create<tk::YieldOp>(loc, value);
      });
  map.replaceAllUsesWith(rounded.getResults());
  map.erase();
}

/// True if only MMAs of the second stage read the op: it makes their operand.
static bool makesOperand(Operation *op, const Stages &stages) {
  SmallVector<Operation *> readers = getReaders(op);
  return !readers.empty() && llvm::any_of(op->getResults(), isTile) &&
         llvm::all_of(readers,
                      [&](Operation *reader) {
                        return stages.later.contains(reader) && isa<tk::MmaOp>(reader);
                      }) &&
         isa<tk::MapOp>(op) &&
         llvm::none_of(op->getUsers(), [](Operation *user) { return isa<scf::YieldOp>(user); });
}

/// The steady state, in order.
static std::vector<std::pair<Operation *, unsigned>> getOrder(const Stages &stages) {
  Block *body = Stages(stages).loop.getBody();
  OperationSet start = getClosure(stages.first, body), late = getLate(stages);
  // 0: what begins the next iteration; 1: the second stage; 2: work beside it; 3: what needs its
  // result; 4: its next operands.
  auto getRank = [&](Operation *op) {
    if (stages.later.contains(op))
      return 1;
    if (start.contains(op))
      return 0;
    auto map = dyn_cast<tk::MapOp>(op);
    if (map && makesOperand(op, stages) && (isConversion(map) || late.contains(op)))
      return isConversion(map) ? 4 : 3;
    return late.contains(op) ? 3 : 2;
  };
  std::vector<std::pair<Operation *, unsigned>> order;
  for (int rank = 0; rank <= 4; ++rank)
    for (Operation &op : body->without_terminator())
      if (getRank(&op) == rank)
        order.emplace_back(&op, rank == 1);
  return order;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Loads that the pipeline puts in several places stay one load: they share a ring.
static void numberLoads(scf::ForOp loop) {
  int64_t next = 0;
  loop->getParentOfType<tk::KernelOp>().walk(
      [&](tk::LoadOp load) { next = std::max(next, int64_t(load.getRing().value_or(-1)) + 1); });
  loop.walk([&](tk::LoadOp load) {
    if (!load.getRing())
      load.setRing(next++);
  });
}

/// if (lower < upper) { loop } else { its initial values }: a loop that is pipelined must run.
static void guard(scf::ForOp loop) {
  OpBuilder builder(loop);
  Location loc = getUnnamedLoc(loop.getLoc());
  Value runs = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, loop.getLowerBound(),
                                             loop.getUpperBound());
  auto branch = builder.create<scf::IfOp>(loc, loop.getResultTypes(), runs, /*withElse=*/true);
  loop.replaceAllUsesWith(branch.getResults());
  builder.setInsertionPointToEnd(branch.thenBlock());
  auto yield = builder.create<scf::YieldOp>(loc, loop.getResults());
  loop->moveBefore(yield);
  builder.setInsertionPointToEnd(branch.elseBlock());
  builder.create<scf::YieldOp>(loc, loop.getInitArgs());
}

/// Marks the ops of the first stage while the loop is pipelined.
static constexpr StringLiteral aheadAttrName = "tk.ahead";

/// In the loop, accumulators of the first stage are those of the next iteration: `s_next`.
static void nameAhead(Operation *mma) {
  StringRef name = getSourceName(mma->getResult(0));
  if (name.empty())
    return;
  std::string next = (name + "_next").str();
  shareExtents(mma->getParentOfType<tk::KernelOp>(), name, next);
  mma->setLoc(getNamedLoc(next, mma->getLoc()));
}

/// MLIR peels an epilogue only off a loop whose bounds it knows, to be sure that the loop is long
/// enough. With two stages that is one iteration, and ours runs. So it gets constants as bounds,
/// which afterwards are replaced by the real ones in everything that it has computed with them.
static LogicalResult pipeline(const Stages &stages) {
  scf::ForOp loop = stages.loop;
  Location counterLoc = loop.getInductionVar().getLoc();
  DictionaryAttr attributes = loop->getAttrDictionary();
  IRRewriter rewriter(loop->getContext());
  rewriter.setInsertionPoint(loop);
  SmallVector<std::pair<Operation *, Value>> standIns;
  constexpr int64_t bounds[] = {0, 1000, 1};
  for (auto [operand, number] : llvm::zip(loop->getOpOperands().take_front(3), bounds)) {
    auto standIn =
        rewriter.create<arith::ConstantIntOp>(loop.getLoc(), number, operand.get().getType());
    standIns.emplace_back(standIn, operand.get());
    operand.set(standIn);
  }
  scf::PipeliningOption options;
  options.getScheduleFn = [&](scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &order) {
    order = getOrder(stages);
  };
  for (Operation *first : stages.first)
    first->setAttr(aheadAttrName, rewriter.getUnitAttr());
  options.annotateFn = [&](Operation *op, scf::PipeliningOption::PipelinerPart part, unsigned) {
    bool isAhead = op->removeAttr(aheadAttrName) != Attribute();
    if (isAhead && part == scf::PipeliningOption::PipelinerPart::Kernel)
      nameAhead(op);
  };
  FailureOr<scf::ForOp> pipelined = scf::pipelineForLoop(rewriter, loop, options);
  for (auto [standIn, bound] : standIns) {
    standIn->getResult(0).replaceAllUsesWith(bound);
    standIn->erase();
  }
  if (failed(pipelined))
    return failure();
  (*pipelined)->setAttrs(attributes);
  pipelined->getInductionVar().setLoc(counterLoc);
  return success();
}

/// True if one iteration would be left between the first step and the last MMA. It would not
/// stay a loop, and the last MMA would use its tile before the MMA before it, which
/// runs then, has given its own back.
static bool leavesOneIteration(scf::ForOp loop) {
  auto [from, to, step] = std::tuple(loop.getLowerBound(), loop.getUpperBound(), loop.getStep());
  return constantTripCount(from, to, step) == 2;
}

/// Divides the body of a loop whose MMAs can overlap.
static LogicalResult divide(Stages &stages, MissedReason &missed) {
  scf::ForOp loop = stages.loop;
  if (!isWanted(loop) || failed(divideMmas(stages, missed)) || !isSimple(loop, missed))
    return failure();
  const Location second = stages.second.front()->getLoc();
  if (leavesOneIteration(loop))
    return missed.because(second, Remark::OverlapTwoIterations);
  assignReaders(stages);
  OperationSet late = getLate(stages);
  bool isStartLate = llvm::any_of(getClosure(stages.first, loop.getBody()),
                                  [&](Operation *op) { return late.contains(op); });
  if (isStartLate)
    return missed.because(stages.first.front()->getLoc(), Remark::OverlapRecurrence);
  if (!mayCross(stages))
    return missed.because(second, Remark::OverlapSharedTile);
  return success();
}

/// Returns the remark about the loop if it has been changed.
static FailureOr<std::optional<PlacedRemark>> overlap(scf::ForOp loop, bool surelyRuns) {
  Stages stages{loop, {}, {}, {}};
  MissedReason missed;
  if (failed(divide(stages, missed))) {
    missed.reportAt(loop);
    return std::optional<PlacedRemark>();
  }
  PlacedRemark done(stages.second.front()->getLoc(), Remark::OverlapDone);
  for (Operation *mma : stages.second)
    if (auto map = cast<tk::MmaOp>(mma).getA().getDefiningOp<tk::MapOp>();
        map && map->getBlock() == loop.getBody() && map->hasOneUse())
      splitConversion(map);
  numberLoads(loop);
  if (!surelyRuns)
    guard(loop);
  if (failed(pipeline(stages)))
    return loop.emitError("cannot pipeline the loop's MMAs");
  return std::optional(done);
}

/// Values that pipelined loops hand on unread would count as alive.
static LogicalResult dropUnread(tk::KernelOp kernel) {
  RewritePatternSet patterns(kernel.getContext());
  scf::ForOp::getCanonicalizationPatterns(patterns, kernel.getContext());
  return applyPatternsAndFoldGreedily(kernel, std::move(patterns));
}

/// Overlaps every loop that it applies to. Returns the remarks about them.
static FailureOr<SmallVector<PlacedRemark>> overlapAll(tk::KernelOp kernel) {
  TripCount tripCount(kernel);
  SmallVector<std::pair<scf::ForOp, bool>> loops;
  kernel.walk([&](scf::ForOp loop) { loops.emplace_back(loop, tripCount.isAtLeastOne(loop)); });
  SmallVector<PlacedRemark> done;
  for (auto [loop, surelyRuns] : loops) {
    FailureOr<std::optional<PlacedRemark>> result = overlap(loop, surelyRuns);
    if (failed(result))
      return failure();
    if (*result)
      done.push_back(**result);
  }
  if (!done.empty() && failed(dropUnread(kernel)))
    return failure();
  return done;
}

/// Whether MMAs run while the threads go on: a warp waits for its own.
static bool areAsynchronous(tk::KernelOp kernel) {
  tk::EachOp each = findEach(kernel);
  return !each || each.getWorker() != tk::EachWorker::Warp;
}

static LogicalResult overlapWhereItFits(tk::KernelOp kernel) {
  if (!areAsynchronous(kernel))
    return success();
  OwningOpRef<tk::KernelOp> plain = kernel.clone();
  FailureOr<ArrayAttr> equalExtents = getEqualExtents(kernel);
  if (failed(equalExtents))
    return failure();
  kernel->setAttr(equalExtentsAttrName, *equalExtents);
  FailureOr<SmallVector<PlacedRemark>> done = overlapAll(kernel);
  if (failed(done))
    return failure();
  // Both stages' tiles are alive at once; where they do not fit, one after the other may.
  bool isTooMuch = !done->empty() && getRegisterFit(kernel) < getRegisterFit(*plain);
  for (const PlacedRemark &remark : *done)
    report(kernel, isTooMuch ? PlacedRemark(remark.loc, Remark::OverlapRegisters) : remark);
  if (isTooMuch)
    kernel.getBody().takeBody(plain->getBody());
  return success();
}

namespace {
struct OverlapMmas : tkc::impl::OverlapMmasBase<OverlapMmas> {
  void runOnOperation() override {
    if (failed(forEachKernel<tk::KernelOp>(getOperation(), overlapWhereItFits)))
      signalPassFailure();
  }
};
} // namespace
