//===- Hazards.cpp - Ops that must still wait for asynchronous work -------===//
//
// The facts, from the PTX ISA ("wgmma: asynchronous operations", "async proxy",
// "cp.async.bulk.wait_group"):
//
// - after an MMA is started, neither its accumulator nor its shared operands
//   may be touched until its group is waited for; MMAs that accumulate into
//   the same registers are ordered among themselves;
// - before an MMA, registers this thread's code has touched need a fence;
// - a TMA store reads its buffer at some time until the thread that started it
//   has waited; the other threads learn that from a barrier;
// - what threads write to shared memory, TMA and wgmma see only after each writer
//   has fenced and then met the thread that starts the copy; other threads see it
//   once they have met;
// - what threads read, TMA may overwrite only when each reader has fenced before it gave the stage
//   back: an arrival does not wait for ld.shared (seen on an H200 with a ring of two stages);
// - what threads write and hand over on an mbarrier to another role's MMAs, each of them has
//   fenced before; threads of another role read it after the mbarrier's wait alone;
// - what threads read, or an MMA whose end each of them waits for, others may
//   overwrite once they have met;
// - a buffer over a stage is given back with it: each warp that arrives knows that the stores of
//   its warpgroup have read it.
//
// A structured walk, not MLIR's dense dataflow: which staging buffer an iteration
// of an unrolled loop uses is known only with the loop's counter, so such loops
// are walked iteration by iteration. Other loops are walked until nothing changes.
//
//===----------------------------------------------------------------------===//
#include "analysis/hazards/Hazards.h"

#include "analysis/TripCount.h"
#include "analysis/hazards/HandedBack.h"
#include "analysis/hazards/HazardState.h"
#include "analysis/hazards/InitHazards.h"
#include "analysis/hazards/NeededReach.h"
#include "analysis/hazards/SharedPlaces.h"
#include "analysis/protocol/BarrierRoles.h"
#include "analysis/registers/RegisterBudget.h"
#include "dialect/hopper/WarpgroupPrograms.h"
#include "dialect/tk/TkElementOp.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

Operation *tkc::getOutermostUnrolledLoop(Operation *op) {
  Operation *outermost = nullptr;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (parent->hasAttr(unrollAttrName))
      outermost = parent;
  return outermost;
}

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 64)
    return constant.getSExtValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// True if the kernel may start before the one before it in the stream has finished.
static bool mayStartEarly(Operation *op) {
  return op->getParentOfType<KernelOp>().getPdl().value_or(true);
}

namespace {
class Walker {
public:
  Walker(RoleOp role, const BarrierRoles &barriers, const TripCount &tripCount,
         SmallVector<Hazard> &hazards)
      : role(role), barriers(barriers), tripCount(tripCount), hazards(hazards), variables(role),
        places(role) {
    role.walk<WalkOrder::PreOrder>([&](Operation *op) {
      numbers[op] = operations.size();
      operations.push_back(op);
      for (const SharedUse &use : getSharedUses(op))
        if (use.isWrittenByThreads())
          writtenRings.insert(getMemory(BarrierRoles::getRing(use.tile)));
    });
  }

  void run() {
    HazardState state;
    walk(role.getBody().front(), state);
    for (auto &[key, store] : state.stores)
      if (!store.isKnownToLeader)
        report({HazardKind::StoreReading, role, operations[key.first]});
    for (auto &[key, mma] : state.mmas)
      report({HazardKind::MmaInFlight, role, operations[key.first]});
  }

  /// Of the waits that have been walked, in program order.
  auto listHandedBack() const { return tkc::listHandedBack(role, variables, waits); }

private:
  void report(Hazard hazard) {
    for (Hazard &known : hazards) {
      if (known.kind != hazard.kind || known.op != hazard.op)
        continue;
      // A hazard from inside the loop decides; among equals, the strictest does.
      bool isStronger = known.isFromBeforeLoop != hazard.isFromBeforeLoop
                            ? known.isFromBeforeLoop
                            : hazard.pending < known.pending;
      bool isAcross = known.isAcrossWarpgroups || hazard.isAcrossWarpgroups;
      if (isStronger)
        known = hazard;
      known.isAcrossWarpgroups = isAcross;
      return;
    }
    hazards.push_back(hazard);
  }

  void walk(Block &block, HazardState &state) {
    for (Operation &op : block)
      visit(&op, state);
  }

  void visit(Operation *op, HazardState &state) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visit(loop, state);
    if (auto loop = dyn_cast<TileLoopOp>(op))
      return visit(loop, state);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return visit(branch, state);
    if (auto wgmma = dyn_cast<WgmmaOp>(op))
      return visit(wgmma, state);
    if (auto start = dyn_cast<UninitializedOp>(op)) {
      state.touched.insert(variables.lookup(start.getResult()));
      return;
    }
    if (!isa<scf::YieldOp, WaitWgmmaOp, FenceRegistersOp>(op))
      useRegisters(op, state);
    if ((isa<tk::ElementOp>(op) || readsTensor(op) || writesTensor(op)) && !state.isGridWaited &&
        mayStartEarly(op))
      report({HazardKind::GridUnwaited, op, op});
    for (const SharedUse &use : getSharedUses(op))
      touch(op, use, state);
    if (auto arrive = dyn_cast<ArriveOp>(op)) {
      visit(arrive, state);
    } else if (auto wait = dyn_cast<WaitBarrierOp>(op)) {
      // The loads that complete this barrier began after the producer had waited for the grid
      // before.
      state.isGridWaited |= barriers.isSignalledByLoads(wait.getBarrier());
      takeBackFenced(state);
    } else if (isa<CommitWgmmaOp>(op)) {
      state.closeGroup();
    } else if (auto wait = dyn_cast<WaitWgmmaOp>(op)) {
      handBack(wait, state);
      state.waitWgmma(wait.getPending());
      state.takeBackFenced();
    } else if (isa<FenceRegistersOp>(op)) {
      state.fenceRegisters();
    } else if (auto wait = dyn_cast<WaitStoresReadOp>(op)) {
      state.waitStores(wait.getPending());
    } else if (isa<SyncWarpgroupOp>(op)) {
      state.sync(getReach(1));
    } else if (isa<SyncConsumersOp>(op)) {
      state.sync(Reach::Consumers);
    } else if (auto signal = dyn_cast<SignalWarpgroupOp>(op)) {
      visit(signal, state);
    } else if (isa<AwaitWarpgroupOp>(op)) {
      // MMAs run while another warpgroup is waited for. If they still did after it, ptxas would put
      // waits of its own before branches in which other accumulators are rescaled (C7517).
      for (auto &[key, pending] : state.mmas)
        reportMma(op, key.first, pending);
      state.sync(getReach(1)); // all threads of the warpgroup come to the barrier
    } else if (isa<FenceAsyncProxyOp>(op)) {
      state.fenceAsyncProxy();
    } else if (isa<WaitGridDependencyOp>(op)) {
      state.isGridWaited = true;
    }
  }

  /// The threads that a barrier of so many warpgroups reaches.
  Reach getReach(int64_t warpgroups) {
    return warpgroups < int64_t(role.getWarpgroups()) ? Reach::Warpgroup : Reach::Consumers;
  }

  //===--------------------------------------------------------------------===//
  // Registers and MMAs
  //===--------------------------------------------------------------------===//

  void reportMma(Operation *op, unsigned mma, const PendingMma &pending, Value value = {}) {
    report({pending.isOpen ? HazardKind::MmaOpen : HazardKind::MmaInFlight, op, operations[mma],
            pending.age, /*isFromBeforeLoop=*/true,
            /*isAcrossWarpgroups=*/false, value});
  }

  /// An MMA's operand in registers, null if it has none.
  static Value getRegisterOperand(WgmmaOp mma) {
    return isa<FragmentType>(mma.getA().getType()) ? mma.getA() : Value();
  }

  /// This thread's code reads or writes variables in registers.
  void useRegisters(Operation *op, HazardState &state) {
    auto use = [&](Value value) {
      unsigned variable = variables.lookup(value);
      if (!variable)
        return;
      for (auto &[key, pending] : state.mmas) {
        auto mma = cast<WgmmaOp>(operations[key.first]);
        Value a = getRegisterOperand(mma);
        if (variables.lookup(mma.getResult()) == variable || (a && variables.lookup(a) == variable))
          reportMma(op, key.first, pending, value);
      }
      state.touched.insert(variable);
    };
    llvm::for_each(op->getOperands(), use);
    llvm::for_each(op->getResults(), use);
  }

  /// An MMA takes part in the order of those of its shape that accumulate into the same registers
  /// (PTX ISA, wgmma.mma_async), but not of those whose result is its operand, or the other way
  /// round.
  void useRegisters(WgmmaOp wgmma, HazardState &state) {
    unsigned acc = variables.lookup(wgmma.getAcc());
    Value a = getRegisterOperand(wgmma);
    for (auto &[key, pending] : state.mmas) {
      auto mma = cast<WgmmaOp>(operations[key.first]);
      Value otherA = getRegisterOperand(mma);
      if (a && variables.lookup(mma.getResult()) == variables.lookup(a))
        reportMma(wgmma, key.first, pending, a);
      const bool hasOtherShape = variables.lookup(mma.getResult()) == acc &&
                                 getInstructionWidth(mma) != getInstructionWidth(wgmma);
      if (hasOtherShape || (otherA && variables.lookup(otherA) == acc))
        reportMma(wgmma, key.first, pending, wgmma.getResult());
    }
    if (state.touched.count(acc) || (a && state.touched.count(variables.lookup(a))))
      report({HazardKind::RegistersTouched, wgmma, wgmma});
  }

  /// A loop or a branch stands after a fence, or between two MMAs into the same registers: ptxas
  /// wants the fence anew (C7519).
  void takeBackFenced(HazardState &state) {
    state.takeBackFenced();
    for (auto &[key, pending] : state.mmas)
      state.touched.insert(variables.lookup(operations[key.first]->getResult(0)));
  }

  /// The registers of MMAs that a wait covers are this thread's again.
  void handBack(WaitWgmmaOp wait, HazardState &state) {
    CoveredMmas &covered = waits[numbers.lookup(wait)];
    covered.wait = wait;
    for (auto &[key, pending] : state.mmas) {
      auto mma = cast<WgmmaOp>(operations[key.first]);
      unsigned accumulator = variables.lookup(mma.getResult());
      if (pending.isOpen || pending.age < int64_t(wait.getPending())) {
        covered.running.insert(accumulator);
        continue;
      }
      covered.over.insert(accumulator);
      state.touched.insert(accumulator);
      if (Value a = getRegisterOperand(mma))
        state.touched.insert(variables.lookup(a));
    }
  }

  void visit(WgmmaOp wgmma, HazardState &state) {
    useRegisters(wgmma, state);
    state.fenced.erase(variables.lookup(wgmma.getAcc()));
    if (Value a = getRegisterOperand(wgmma))
      state.fenced.erase(variables.lookup(a));
    PendingMma mma;
    for (const SharedUse &use : wgmma.getSharedUses()) {
      SharedPlace place = places.getPlace(use.tile);
      readThroughAsyncProxy(wgmma, place, state);
      if (writtenRings.contains(getMemory(place.ring)))
        mma.reads.insert(place);
    }
    state.mmas[{numbers.lookup(wgmma), 0}] = mma;
  }

  /// The loop that repeats an operation.
  static Operation *getLoop(Operation *op) {
    Operation *parent = op->getParentOp();
    while (parent && !isa<scf::ForOp, TileLoopOp, RoleOp>(parent))
      parent = parent->getParentOp();
    return parent;
  }

  /// Stages that threads have written and fenced are another role's from here on, until the
  /// mbarrier for which they wait before they write again.
  void handOver(ArriveOp arrive, HazardState &state) {
    std::erase_if(state.writes, [&](auto &entry) {
      auto &[key, write] = entry;
      if (!barriers.handsOver(arrive.getBarrier(), key.second.ring))
        return false;
      bool isVisible = write.isFenced || !barriers.isReadAsync(key.second.ring);
      if (!isVisible)
        report({HazardKind::WriteUnfenced, arrive, operations[key.first]});
      return isVisible;
    });
  }

  /// Buffers that lie over a ring are the loads' from here on: stores have read them, and what was
  /// written to them is gone when somebody reads the ring again.
  void giveBackOver(ArriveOp arrive, HazardState &state) {
    auto isGivenBack = [&](const SharedPlace &place) {
      return place.ring && getMemory(place.ring) != place.ring &&
             barriers.frees(arrive.getBarrier(), place.ring);
    };
    for (auto &[key, pending] : state.stores)
      if (isGivenBack(key.second) && pending.known < Reach::Warpgroup)
        reportShared(pending.isKnownToLeader ? HazardKind::FreedUnknown : HazardKind::StoreReading,
                     arrive, key.first, Reach::Warpgroup, pending.age);
    std::erase_if(state.writes, [&](auto &entry) {
      auto &[key, write] = entry;
      if (!isGivenBack(key.second))
        return false;
      if (!write.isFenced)
        report({HazardKind::WriteUnfenced, arrive, operations[key.first]});
      return write.isFenced;
    });
  }

  void visit(ArriveOp arrive, HazardState &state) {
    for (auto &[key, pending] : state.mmas) {
      auto mma = cast<WgmmaOp>(operations[key.first]);
      bool isRecent = getLoop(mma) == getLoop(arrive) && key.second < int64_t(arrive.getDistance());
      if (isRecent)
        continue;
      for (const SharedUse &use : mma.getSharedUses())
        if (barriers.mayFree(arrive.getBarrier(), use.tile))
          reportMma(arrive, key.first, pending);
    }
    handOver(arrive, state);
    giveBackOver(arrive, state);
    auto requireFence = [&](unsigned read) {
      if (barriers.mayFree(arrive.getBarrier(),
                           getTileCompletedBy(operations[read], Completion::AtOnce)))
        report({HazardKind::ReadUnfenced, arrive, operations[read]});
    };
    for (unsigned read : state.unfencedReads)
      if (!operations[read]->hasAttr(readAheadAttrName))
        requireFence(read);
    llvm::for_each(state.olderUnfencedReads, requireFence);
  }

  /// Another warpgroup goes on with what this one has written, or overwrites what its MMAs read.
  void visit(SignalWarpgroupOp signal, HazardState &state) {
    for (auto &[key, pending] : state.mmas)
      if (llvm::any_of(pending.reads, [&](const SharedPlace &read) {
            return llvm::is_contained(signal.getRead(), read.ring);
          }))
        reportMma(signal, key.first, pending);
    for (auto &[key, write] : state.writes)
      if (!write.isFenced && barriers.isReadAsync(key.second.ring) &&
          getOwnProgram(operations[key.first]) == getOwnProgram(signal))
        report({HazardKind::WriteUnfenced, signal, operations[key.first]});
  }

  //===--------------------------------------------------------------------===//
  // Shared memory
  //===--------------------------------------------------------------------===//

  /// One access of an op, except for MMAs. Accesses that complete on an mbarrier are the other
  /// roles' business.
  void touch(Operation *op, const SharedUse &use, HazardState &state) {
    SharedPlace place = places.getPlace(use.tile);
    if (use.isWrittenByThreads()) {
      overwrite(op, place, state);
    } else if (use.isReadByThreads()) {
      readByThreads(op, place, state);
    } else if (use.completion == Completion::StoreGroup) {
      readThroughAsyncProxy(op, place, state);
      state.addStore(numbers.lookup(op), place);
    }
  }

  /// Who must have met between the access of `cause` and this one of `op`, if more than `known`
  /// have; else Thread.
  Reach getMissing(Reach known, Operation *op, const SharedPlace &a, unsigned cause,
                   const SharedPlace &b) const {
    if (known == Reach::Consumers)
      return Reach::Thread;
    Reach needed = getNeededReach(role, places, op, a, operations[cause], b);
    return known < needed ? needed : Reach::Thread;
  }

  void reportShared(HazardKind kind, Operation *op, unsigned cause, Reach needed,
                    int64_t pending = 0, bool isFromBeforeLoop = false) {
    report({kind, op, operations[cause], pending, isFromBeforeLoop,
            /*isAcrossWarpgroups=*/needed == Reach::Consumers && role.getWarpgroups() > 1});
  }

  void readThroughAsyncProxy(Operation *op, const SharedPlace &place, HazardState &state) {
    for (auto &[key, write] : state.writes)
      if (Reach needed = getMissing(write.visible, op, place, key.first, key.second);
          needed > Reach::Thread)
        reportShared(write.isFenced ? HazardKind::WriteUnsynced : HazardKind::WriteUnfenced, op,
                     key.first, needed);
  }

  /// All threads of the warpgroup read what all of them, or others, have written.
  void readByThreads(Operation *op, const SharedPlace &place, HazardState &state) {
    for (auto &[key, write] : state.writes)
      if (Reach needed = getMissing(write.written, op, place, key.first, key.second);
          needed > Reach::Thread)
        reportShared(HazardKind::WriteUnsynced, op, key.first, needed);
    if (writtenRings.contains(getMemory(place.ring)))
      state.reads[{numbers.lookup(op), place}] = Reach::Thread;
    if (barriers.isFreed(place.ring))
      state.unfencedReads.insert(numbers.lookup(op));
  }

  /// Threads write to shared memory that someone may still read, or write.
  void overwrite(Operation *op, const SharedPlace &place, HazardState &state) {
    for (auto &[key, pending] : state.stores)
      if (Reach needed = getMissing(pending.known, op, place, key.first, key.second);
          needed > Reach::Thread)
        reportShared(pending.isKnownToLeader ? HazardKind::FreedUnknown : HazardKind::StoreReading,
                     op, key.first, needed, pending.age, pending.isFromBeforeLoop);
    for (auto &[key, pending] : state.mmas)
      if (llvm::any_of(pending.reads, [&](const SharedPlace &read) {
            return getMissing(Reach::Thread, op, place, key.first, read) > Reach::Thread;
          }))
        reportMma(op, key.first, pending);
    for (auto &[key, known] : state.reads)
      if (Reach needed = getMissing(known, op, place, key.first, key.second);
          needed > Reach::Thread)
        reportShared(HazardKind::FreedUnknown, op, key.first, needed);
    // Each thread may write again what it has written; others' part of it must be there first.
    for (auto &[key, write] : state.writes)
      if (Reach needed = getMissing(write.written, op, place, key.first, key.second);
          needed > Reach::Thread && operations[key.first] != op)
        reportShared(HazardKind::WriteUnsynced, op, key.first, needed);
    if (auto exchange = dyn_cast<Exchange>(op))
      state.sync(getReach(exchange.getWarpgroups()));
    else
      state.writes[{numbers.lookup(op), place}] = PendingWrite();
  }

  //===--------------------------------------------------------------------===//
  // Control
  //===--------------------------------------------------------------------===//

  void visit(scf::IfOp branch, HazardState &state) {
    HazardState otherwise = state;
    walk(branch.getThenRegion().front(), state);
    if (!branch.getElseRegion().empty())
      walk(branch.getElseRegion().front(), otherwise);
    state.join(otherwise);
    if (llvm::any_of(branch.getResults(), [](Value result) { return isInRegisters(result); }))
      takeBackFenced(state);
  }

  void visit(TileLoopOp loop, HazardState &state) {
    if (loop.getDynamic()) {
      // The scheduler's counter is in global memory, and the consumers learn from the producer what
      // it drew.
      if (role.getKind() == RoleKind::Producer && !state.isGridWaited && mayStartEarly(loop))
        report({HazardKind::GridUnwaited, loop, loop});
      state.isGridWaited = true;
    }
    // A block of one tile does not come round to its beginning.
    if (!role->getParentOfType<KernelOp>().getPersistent().value_or(true))
      return walk(loop.getBody().front(), state);
    walkLoop(loop, loop.getBody().front(), /*surelyRuns=*/false, state);
  }

  void visit(scf::ForOp loop, HazardState &state) {
    std::optional<int64_t> lower = getConstant(loop.getLowerBound()),
                           upper = getConstant(loop.getUpperBound()),
                           step = getConstant(loop.getStep());
    constexpr int64_t maxIterations = 256;
    bool isCountable = lower && upper && step && *step > 0 && *lower >= 0 &&
                       *upper - *lower <= maxIterations * *step;
    if (!loop->hasAttr(unrollAttrName) || !isCountable)
      return walkLoop(loop, *loop.getBody(), tripCount.isAtLeastOne(loop), state);
    bool isOutermost = getOutermostUnrolledLoop(loop) == nullptr;
    for (auto &[key, store] : state.stores)
      store.isFromBeforeLoop |= isOutermost;
    for (int64_t counter = *lower; counter < *upper; counter += *step) {
      shift(loop, state);
      places.setCounter(loop.getInductionVar(), counter);
      walk(*loop.getBody(), state);
    }
    places.forgetCounter(loop.getInductionVar());
    if (isOutermost)
      for (auto &[key, store] : state.stores)
        store.isFromBeforeLoop = false;
  }

  void shift(Operation *loop, HazardState &state) {
    state.shiftDistances([&](unsigned mma) { return loop->isProperAncestor(operations[mma]); });
  }

  /// Walks a loop until another iteration adds nothing.
  void walkLoop(Operation *loop, Block &body, bool surelyRuns, HazardState &state) {
    HazardState before = state, entry = state, after;
    while (true) {
      after = entry;
      shift(loop, after);
      walk(body, after);
      HazardState next = entry;
      next.join(after);
      if (next == entry)
        break;
      entry = std::move(next);
    }
    state = after;
    if (!surelyRuns)
      state.join(before);
  }

  RoleOp role;
  const BarrierRoles &barriers;
  const TripCount &tripCount;
  SmallVector<Hazard> &hazards;
  FragmentVariables variables;
  SharedPlaces places;
  llvm::DenseMap<Operation *, unsigned> numbers;
  SmallVector<Operation *> operations;
  llvm::DenseSet<Value> writtenRings; ///< by threads

  std::map<unsigned, CoveredMmas> waits; ///< by their numbers
};
} // namespace

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

SmallVector<std::pair<WaitWgmmaOp, SmallVector<Value>>>
tkc::findHandedBack(KernelOp kernel, const TripCount &tripCount) {
  SmallVector<Hazard> hazards;
  SmallVector<std::pair<WaitWgmmaOp, SmallVector<Value>>> result;
  BarrierRoles barriers(kernel);
  for (auto role : kernel.getBody().front().getOps<RoleOp>()) {
    Walker walker(role, barriers, tripCount, hazards);
    walker.run();
    llvm::append_range(result, walker.listHandedBack());
  }
  return result;
}

SmallVector<Hazard> tkc::findHazards(KernelOp kernel) {
  return findHazards(kernel, TripCount(kernel));
}

SmallVector<Hazard> tkc::findHazards(KernelOp kernel, const TripCount &tripCount) {
  SmallVector<Hazard> hazards;
  findInitHazards(kernel, hazards);
  BarrierRoles barriers(kernel);
  for (auto role : kernel.getBody().front().getOps<RoleOp>())
    Walker(role, barriers, tripCount, hazards).run();
  // Where the leader has yet to wait, the others can learn of it only afterwards.
  llvm::SmallPtrSet<Operation *, 8> storeReading;
  for (const Hazard &hazard : hazards)
    if (hazard.kind == HazardKind::StoreReading)
      storeReading.insert(hazard.op);
  llvm::erase_if(hazards, [&](const Hazard &hazard) {
    return hazard.kind == HazardKind::FreedUnknown && storeReading.contains(hazard.op);
  });
  llvm::DenseMap<Operation *, unsigned> order;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { order.try_emplace(op, order.size()); });
  // A hazard that comes round a loop may be covered by waits before the loop's end, so it
  // comes later; the end of a role comes last.
  auto rank = [&](const Hazard &hazard) {
    bool isEnd = isa<RoleOp>(hazard.op) && hazard.kind < HazardKind::InitUnfenced;
    bool isCarried = order.lookup(hazard.cause) > order.lookup(hazard.op);
    return std::tuple(isEnd, isCarried, order.lookup(hazard.op));
  };
  llvm::stable_sort(hazards, [&](const Hazard &a, const Hazard &b) { return rank(a) < rank(b); });
  return hazards;
}
