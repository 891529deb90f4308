//===- SpecializeWarpgroups.cpp - A loop for each warpgroup's program -----===//
//
// Where branches on a scope's number let warpgroups do different things in a loop, one loop with
// branches has them wait for each other: a wait for MMAs stands for all, a stage is waited for and
// given back by those that do not read it, and ptxas serialises MMAs in flight across branches. So
//
//     for j { k0, k1 have landed; if (w == 0) A else B; if (w == 1) C; all have read k0, k1 }
//
// becomes a loop for each warpgroup, once there are signals for the tiles that they hand over
// (HandOvers.cpp):
//
//     if (w == 0) for j { k0 has landed; A; I have read k0 }
//     else        for j { k1 has landed; B; C; I have read k1 }
//
// In its own loop each warpgroup waits for a stage before its first read of it, and gives it back
// where it waits for its last one anyway. The empty barrier counts those that read.
//
//===----------------------------------------------------------------------===//
#include "analysis/protocol/BarrierRoles.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/WarpgroupPrograms.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "passes/Passes.h"
#include "passes/schedule/HandOvers.h"
#include "llvm/ADT/MapVector.h"
#include <set>

namespace tkc {
#define GEN_PASS_DEF_SPECIALIZEWARPGROUPS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// True for a loop in whose body a branch on the warpgroup starts MMAs.
static bool differs(scf::ForOp loop, RoleOp role) {
  return llvm::any_of(loop.getBody()->getOps<scf::IfOp>(), [&](scf::IfOp branch) {
    return takesThen(branch, role, 0) &&
           branch->walk([](WgmmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
  });
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

namespace {
/// The loads of a loop that one full and one empty barrier guard, with one cursor of the consumers.
struct Stage {
  Value full, empty, cursor;
  SmallVector<Value, 1> rings;
  bool isSimple = true; ///< waited for and given back once, directly in the loop's body
  std::set<int64_t> readers;
};
} // namespace

/// The loop's stages, those that nothing outside of it waits for or gives back.
static SmallVector<Stage> collectStages(scf::ForOp loop, KernelOp kernel) {
  SmallVector<Stage> stages;
  for (auto wait : loop.getBody()->getOps<WaitBarrierOp>()) {
    Stage &stage = stages.emplace_back();
    stage.full = wait.getBarrier();
    stage.cursor = wait.getCursor();
    int64_t arrivals = 0, advances = 0, waits = 0;
    for (Operation *user : stage.cursor.getUsers()) {
      stage.isSimple &= isa<StageOp>(user) || user->getBlock() == loop.getBody();
      arrivals += isa<ArriveOp>(user);
      advances += isa<AdvanceOp>(user);
      waits += isa<WaitBarrierOp>(user);
      if (auto arrive = dyn_cast<ArriveOp>(user))
        stage.empty = arrive.getBarrier();
    }
    stage.isSimple &= arrivals == 1 && advances == 1 && waits == 1;
    kernel.walk([&](BarrierUse use) {
      if (use.getBarrier() == stage.full)
        for (const SharedUse &shared : getSharedUses(use))
          stage.rings.push_back(BarrierRoles::getRing(shared.tile));
    });
  }
  llvm::erase_if(stages, [](const Stage &stage) { return !stage.isSimple; });
  return stages;
}

static bool touches(Operation *op, ArrayRef<Value> rings) {
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(getSharedUses(inner),
                            [&](const SharedUse &use) {
                              return llvm::is_contained(rings, BarrierRoles::getRing(use.tile));
                            })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if `op` waits for one of the MMAs anyway: it uses what they compute or, in shared memory,
/// overwrites what they read; or waits for another warpgroup, for longer than they take.
static bool waitsFor(Operation *op, const DenseSet<Value> &results,
                     const DenseSet<Value> &readRings) {
  return op
      ->walk([&](Operation *inner) {
        bool isUse = !isa<WgmmaOp>(inner) && llvm::any_of(inner->getOperands(), [&](Value value) {
          return results.contains(value);
        });
        bool isWrite = llvm::any_of(getSharedUses(inner), [&](const SharedUse &use) {
          return use.isWrittenByThreads() && readRings.contains(BarrierRoles::getRing(use.tile));
        });
        return isUse || isWrite || isa<AwaitWarpgroupOp>(inner) ? WalkResult::interrupt()
                                                                : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The operation of the block before which what `last` reads is given back.
static Operation *findReleasePlace(Operation *last) {
  if (!isa<WgmmaOp>(last))
    return last->getNextNode();
  DenseSet<Value> results, readRings;
  for (Operation *op = last;; op = op->getNextNode()) {
    if (op->hasTrait<OpTrait::IsTerminator>() || waitsFor(op, results, readRings))
      return op;
    auto mma = dyn_cast<WgmmaOp>(op);
    if (!mma)
      continue;
    results.insert(mma.getResult());
    for (const SharedUse &use : mma.getSharedUses())
      readRings.insert(BarrierRoles::getRing(use.tile));
  }
}

/// In a warpgroup's own loop: it waits for a stage before it reads it, and gives it back after
/// that; neither if it does not. True if it does.
static bool placeStage(scf::ForOp loop, const Stage &stage) {
  WaitBarrierOp wait;
  ArriveOp arrive;
  AdvanceOp advance;
  Operation *first = nullptr, *last = nullptr;
  for (Operation &op : *loop.getBody()) {
    if (auto found = dyn_cast<WaitBarrierOp>(op); found && found.getCursor() == stage.cursor)
      wait = found;
    if (auto found = dyn_cast<ArriveOp>(op); found && found.getCursor() == stage.cursor)
      arrive = found;
    if (auto found = dyn_cast<AdvanceOp>(op); found && found.getCursor() == stage.cursor)
      advance = found;
    if (touches(&op, stage.rings)) {
      first = first ? first : &op;
      last = &op;
    }
  }
  if (!first) {
    wait.erase();
    arrive.erase();
    advance.erase();
    return false;
  }
  wait->moveBefore(first);
  arrive->moveBefore(findReleasePlace(last));
  advance->moveAfter(arrive);
  return true;
}

/// Stages that each iteration goes through once have one cursor, which moves on at its end: a phase
/// for each of them would be a register for each.
static void shareCursors(ArrayRef<scf::ForOp> loops, MutableArrayRef<Stage> stages, RoleOp role) {
  llvm::MapVector<Type, SmallVector<Stage *>> byType;
  for (Stage &stage : stages)
    byType[stage.cursor.getType()].push_back(&stage);
  for (auto &[type, shared] : byType) {
    if (shared.size() < 2)
      continue;
    auto builder = OpBuilder::atBlockBegin(&role.getBody().front());
    auto cursor = builder.create<CursorOp>(shared.front()->cursor.getLoc(), cast<CursorType>(type),
                                           builder.getStringAttr("own_use"));
    for (Stage *stage : shared) {
      for (Operation *user : llvm::make_early_inc_range(stage->cursor.getUsers()))
        if (isa<AdvanceOp>(user))
          user->erase();
      Operation *old = stage->cursor.getDefiningOp();
      stage->cursor.replaceAllUsesWith(cursor.getResult());
      stage->cursor = cursor.getResult();
      old->erase();
    }
    for (scf::ForOp loop : loops) {
      builder.setInsertionPoint(loop.getBody()->getTerminator());
      builder.create<AdvanceOp>(getUnnamedLoc(loop.getLoc()), cursor.getResult());
    }
  }
}

/// A signal that MMAs have read tiles waits for them, so it comes where something else does.
static void placeSignals(scf::ForOp loop) {
  for (SignalWarpgroupOp signal : llvm::to_vector(loop.getBody()->getOps<SignalWarpgroupOp>())) {
    if (signal.getRead().empty())
      continue;
    SmallVector<Value> rings(signal.getRead());
    Operation *last = nullptr;
    for (Operation *op = signal->getPrevNode(); op && !last; op = op->getPrevNode())
      last = touches(op, rings) ? op : nullptr;
    Operation *place = isa_and_nonnull<WgmmaOp>(last) ? findReleasePlace(last) : nullptr;
    if (place && signal->isBeforeInBlock(place))
      signal->moveBefore(place);
  }
}

/// The empty barrier counts the warps of the warpgroups that give the stage back.
static void countReaders(const Stage &stage, RoleOp role) {
  auto alloc = stage.empty.getDefiningOp<AllocBarrierOp>();
  const int64_t warpgroups = role.getWarpgroups(), readers = stage.readers.size();
  if (!alloc || readers == warpgroups)
    return;
  alloc.setArrivals(int64_t(alloc.getArrivals()) - (warpgroups - readers) * warpgroupWarps);
  std::string names;
  for (int64_t reader : stage.readers)
    names += (names.empty() ? "consumer " : " and ") + std::to_string(reader);
  Builder builder(alloc);
  alloc.setArrivesAttr(builder.getStringAttr("one lane of each warp of " + names));
  if (auto full = stage.full.getDefiningOp<AllocBarrierOp>())
    full.setWaitsAttr(builder.getStringAttr(names));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The side of `branch` that runs, in place of it.
static void inlineSide(scf::IfOp branch, Region &side) {
  if (side.empty()) {
    branch.erase();
    return;
  }
  Block &block = side.front();
  Operation *yield = block.getTerminator();
  branch.replaceAllUsesWith(yield->getOperands());
  branch->getBlock()->getOperations().splice(Block::iterator(branch), block.getOperations(),
                                             block.begin(), Block::iterator(yield));
  branch.erase();
}

/// Leaves of the loop's iterations the part that `warpgroup` does.
static void specialize(scf::ForOp loop, RoleOp role, int64_t warpgroup) {
  SmallVector<scf::IfOp> branches;
  loop.walk([&](scf::IfOp branch) {
    if (takesThen(branch, role, warpgroup))
      branches.push_back(branch);
  });
  for (scf::IfOp branch : branches)
    inlineSide(branch, *takesThen(branch, role, warpgroup) ? branch.getThenRegion()
                                                           : branch.getElseRegion());
  OpBuilder builder(loop);
  Value number = builder.create<arith::ConstantIntOp>(getUnnamedLoc(loop.getLoc()), warpgroup, 32);
  role.getBody().getArgument(0).replaceUsesWithIf(
      number, [&](OpOperand &use) { return loop->isAncestor(use.getOwner()); });
}

/// An accumulator of zeros that a branch has brought to its first MMA is overwritten by that.
static void overwriteZeros(scf::ForOp loop) {
  loop.walk([](WgmmaOp mma) {
    auto fill = mma.getAcc().getDefiningOp<FillOp>();
    if (!fill || !fill->hasOneUse() || !matchPattern(fill.getValue(), m_PosZeroFloat()) ||
        !matchPattern(mma.getAccumulate(), m_One()))
      return;
    OpBuilder builder(mma);
    mma.getAccumulateMutable().assign(
        builder.create<arith::ConstantIntOp>(getUnnamedLoc(mma.getLoc()), 0, 1));
    mma.getAccMutable().assign(builder.create<UninitializedOp>(
        fill.getLoc(), cast<FragmentType>(fill.getResult().getType())));
    fill.erase();
  });
}

/// if (w == first) the loop of the first warpgroup, else those of the others.
static Operation *divide(OpBuilder &builder, scf::ForOp loop, RoleOp role, int64_t first,
                         SmallVectorImpl<scf::ForOp> &loops) {
  auto copyLoop = [&] {
    auto copy = cast<scf::ForOp>(builder.clone(*loop));
    loops.push_back(copy);
    return copy;
  };
  const int64_t count = role.getWarpgroups();
  if (first + 1 == count)
    return copyLoop();
  Location loc = getUnnamedLoc(loop.getLoc());
  Value number = builder.create<arith::ConstantIntOp>(loc, first, 32);
  Value isFirst = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                role.getBody().getArgument(0), number);
  auto branch =
      builder.create<scf::IfOp>(loc, loop.getResultTypes(), isFirst, /*withElseRegion=*/true);
  branch->setAttr(ownProgramAttrName, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  auto fill = [&](Block *block, llvm::function_ref<Operation *()> create) {
    if (loop.getNumResults() == 0)
      builder.setInsertionPoint(block->getTerminator());
    else
      builder.setInsertionPointToEnd(block);
    Operation *made = create();
    if (loop.getNumResults())
      builder.create<scf::YieldOp>(loc, made->getResults());
  };
  fill(branch.thenBlock(), [&]() -> Operation * { return copyLoop(); });
  fill(branch.elseBlock(), [&] { return divide(builder, loop, role, first + 1, loops); });
  return branch;
}

static LogicalResult specialize(scf::ForOp loop, RoleOp role) {
  if (failed(insertHandOvers(loop, role)))
    return failure();
  SmallVector<Stage> stages = collectStages(loop, role->getParentOfType<KernelOp>());
  SmallVector<scf::ForOp> loops;
  OpBuilder builder(loop);
  Operation *branch = divide(builder, loop, role, 0, loops);
  loop->replaceAllUsesWith(branch->getResults());
  loop.erase();
  for (auto [warpgroup, own] : llvm::enumerate(loops)) {
    specialize(own, role, warpgroup);
    overwriteZeros(own);
    for (Stage &stage : stages)
      if (placeStage(own, stage))
        stage.readers.insert(warpgroup);
    placeSignals(own);
  }
  shareCursors(loops, stages, role);
  for (const Stage &stage : stages)
    countReaders(stage, role);
  return success();
}

namespace {
struct SpecializeWarpgroups : tkc::impl::SpecializeWarpgroupsBase<SpecializeWarpgroups> {
  void runOnOperation() override {
    SmallVector<std::pair<scf::ForOp, RoleOp>> found;
    getOperation().walk([&](RoleOp role) {
      if (role.getKind() != RoleKind::Consumer || role.getEach() != tk::EachWorker::Warpgroup ||
          role.getWarpgroups() < 2)
        return;
      role.walk([&](scf::ForOp loop) {
        if (differs(loop, role))
          found.emplace_back(loop, role);
      });
    });
    for (auto [loop, role] : found)
      if (failed(specialize(loop, role)))
        return signalPassFailure();
  }
};
} // namespace
