//===- Hazards.cpp - What must still wait for asynchronous work -----------===//
//
// The facts, from the PTX ISA ("wgmma: asynchronous operations", "async proxy",
// "cp.async.bulk.wait_group"):
//
// - after a product is started, neither its accumulator nor its shared operands
//   may be touched until its group is waited for; products that accumulate into
//   the same registers are ordered among themselves;
// - before a product, registers this thread's code has touched need a fence;
// - a TMA store reads its buffer at some time until the thread that started it
//   has waited; the other threads learn that from a barrier;
// - what threads write to shared memory, TMA and wgmma see only after each writer
//   has fenced and then met the thread that starts the copy.
//
// A structured walk, not MLIR's dense dataflow: which staging buffer an iteration
// of an unrolled loop uses is known only with the loop's counter, so such loops
// are walked iteration by iteration. Other loops are walked until nothing changes.
//
//===----------------------------------------------------------------------===//
#include "analysis/Hazards.h"

#include "analysis/BarrierRoles.h"
#include "analysis/FragmentVariables.h"
#include "analysis/HazardState.h"
#include "analysis/TripCount.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
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

namespace {
class Walker {
public:
  Walker(RoleOp role, const BarrierRoles &barriers, const TripCount &tripCount,
         SmallVector<Hazard> &hazards)
      : role(role), barriers(barriers), tripCount(tripCount), hazards(hazards), fragments(role) {
    role.walk<WalkOrder::PreOrder>([&](Operation *op) {
      numbers[op] = operations.size();
      operations.push_back(op);
    });
  }

  void run() {
    HazardState state;
    walk(role.getBody().front(), state);
    for (auto &[key, store] : state.stores)
      if (!store.isKnownToLeader)
        report(HazardKind::StoreReading, role, operations[key.first]);
    for (auto &[key, product] : state.products)
      report(HazardKind::ProductInFlight, role, operations[key.first]);
  }

private:
  void report(HazardKind kind, Operation *op, Operation *cause, int64_t pending = 0,
              bool isFromBeforeLoop = false) {
    for (Hazard &known : hazards) {
      if (known.kind != kind || known.op != op)
        continue;
      // What comes from inside the loop decides; among equals, the strictest does.
      bool isStronger = known.isFromBeforeLoop != isFromBeforeLoop ? known.isFromBeforeLoop
                                                                   : pending < known.pending;
      if (isStronger)
        known = {kind, op, cause, pending, isFromBeforeLoop};
      return;
    }
    hazards.push_back({kind, op, cause, pending, isFromBeforeLoop});
  }

  void walk(Block &block, HazardState &state) {
    for (Operation &op : block)
      visit(&op, state);
  }

  void visit(Operation *op, HazardState &state) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visit(loop, state);
    if (auto loop = dyn_cast<TileLoopOp>(op))
      return walkLoop(op, loop.getBody().front(), /*surelyRuns=*/false, state);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return visit(branch, state);
    if (auto wgmma = dyn_cast<WgmmaOp>(op))
      return visit(wgmma, state);
    if (auto store = dyn_cast<StoreFragmentOp>(op))
      return visit(store, state);
    if (auto store = dyn_cast<TmaStoreOp>(op))
      return visit(store, state);
    if (auto ends = dyn_cast<StoreRowEndsOp>(op))
      return visit(ends, state);
    if (auto arrive = dyn_cast<ArriveOp>(op))
      return visit(arrive, state);
    if (auto fill = dyn_cast<FillOp>(op)) {
      useRegisters(op, fill.getResult(), state);
    } else if (auto start = dyn_cast<UninitializedOp>(op)) {
      state.touched.insert(fragments.lookup(start.getResult()));
    } else if (auto copy = dyn_cast<CopyOp>(op)) {
      useRegisters(op, copy.getSource(), state);
      useRegisters(op, copy.getResult(), state);
    } else if (isa<TmaLoadOp>(op)) {
      if (!state.isGridWaited)
        report(HazardKind::GridUnwaited, op, op);
    } else if (auto wait = dyn_cast<WaitBarrierOp>(op)) {
      // The loads that complete this barrier began after the producer had waited for the grid
      // before.
      state.isGridWaited |= barriers.isSignalledByLoads(wait.getBarrier());
    } else if (isa<CommitProductsOp>(op)) {
      state.closeGroup();
    } else if (auto wait = dyn_cast<WaitProductsOp>(op)) {
      state.waitProducts(wait.getPending());
    } else if (isa<FenceRegistersOp>(op)) {
      state.touched.clear();
    } else if (auto wait = dyn_cast<WaitStoresReadOp>(op)) {
      state.waitStores(wait.getPending());
    } else if (isa<SyncWarpgroupOp>(op)) {
      state.syncWarpgroup();
    } else if (isa<FenceAsyncProxyOp>(op)) {
      state.fenceAsyncProxy();
    } else if (isa<WaitGridDependencyOp>(op)) {
      state.isGridWaited = true;
    }
  }

  //===--------------------------------------------------------------------===//
  // Registers and products
  //===--------------------------------------------------------------------===//

  void reportProduct(Operation *op, unsigned product, const PendingProduct &pending) {
    report(pending.isOpen ? HazardKind::ProductOpen : HazardKind::ProductInFlight, op,
           operations[product], pending.age, /*isFromBeforeLoop=*/true);
  }

  /// This thread's code reads or writes a variable in registers.
  void useRegisters(Operation *op, Value fragment, HazardState &state) {
    unsigned variable = fragments.lookup(fragment);
    for (auto &[key, pending] : state.products) {
      auto product = cast<WgmmaOp>(operations[key.first]);
      bool uses = fragments.lookup(product.getResult()) == variable;
      if (isa<FragmentType>(product.getA().getType()))
        uses |= fragments.lookup(product.getA()) == variable;
      if (uses)
        reportProduct(op, key.first, pending);
    }
    state.touched.insert(variable);
  }

  void visit(WgmmaOp wgmma, HazardState &state) {
    bool isTouched = state.touched.count(fragments.lookup(wgmma.getAcc()));
    if (isa<FragmentType>(wgmma.getA().getType()))
      isTouched |= state.touched.count(fragments.lookup(wgmma.getA()));
    if (isTouched)
      report(HazardKind::RegistersTouched, wgmma, wgmma);
    for (Value operand : {wgmma.getA(), Value(wgmma.getB())})
      if (isa<SharedType>(operand.getType()))
        readThroughAsyncProxy(wgmma, getPlace(operand), state);
    state.products[{numbers.lookup(wgmma), 0}] = PendingProduct();
  }

  /// The loop that repeats an operation.
  static Operation *getLoop(Operation *op) {
    Operation *parent = op->getParentOp();
    while (parent && !isa<scf::ForOp, TileLoopOp, RoleOp>(parent))
      parent = parent->getParentOp();
    return parent;
  }

  void visit(ArriveOp arrive, HazardState &state) {
    for (auto &[key, pending] : state.products) {
      auto product = cast<WgmmaOp>(operations[key.first]);
      bool isRecent =
          getLoop(product) == getLoop(arrive) && key.second < int64_t(arrive.getDistance());
      if (isRecent)
        continue;
      for (Value operand : {product.getA(), Value(product.getB())})
        if (isa<SharedType>(operand.getType()) && barriers.mayFree(arrive.getBarrier(), operand))
          reportProduct(arrive, key.first, pending);
    }
  }

  //===--------------------------------------------------------------------===//
  // Shared memory
  //===--------------------------------------------------------------------===//

  /// True if the value is the same at every point of the role.
  bool isInvariant(Value value) const {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return !role->isProperAncestor(argument.getOwner()->getParentOp());
    Operation *op = value.getDefiningOp();
    if (!role->isProperAncestor(op))
      return true;
    return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return isInvariant(operand); });
  }

  static SharedPlace constantPlace(int64_t number) { return {{}, {}, 1, number}; }
  static bool isConstant(const SharedPlace &place) { return !place.base && !place.isUnknown; }

  /// A number as base * scale + offset, with the counters of the unrolled loops around it known.
  SharedPlace evaluate(Value value) const {
    if (std::optional<int64_t> constant = getConstant(value))
      return constantPlace(*constant);
    if (auto counter = counters.find(value); counter != counters.end())
      return constantPlace(counter->second);
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::AddIOp, arith::MulIOp, arith::RemSIOp>(op)) {
      SharedPlace left = evaluate(op->getOperand(0)), right = evaluate(op->getOperand(1));
      if (isConstant(left) && !isa<arith::RemSIOp>(op))
        std::swap(left, right);
      if (isConstant(right) && !left.isUnknown) {
        if (isa<arith::AddIOp>(op))
          return {{}, left.base, left.scale, left.offset + right.offset};
        if (isa<arith::MulIOp>(op))
          return {{}, left.base, left.scale * right.offset, left.offset * right.offset};
        if (isConstant(left) && right.offset > 0)
          return constantPlace(left.offset % right.offset);
      }
    }
    if (isInvariant(value))
      return {{}, value};
    return {{}, {}, 1, 0, /*isUnknown=*/true};
  }

  SharedPlace getPlace(Value shared) const {
    while (auto rows = shared.getDefiningOp<RowsOp>())
      shared = rows.getSource();
    SharedPlace place{{}, {}, 1, 0, /*isUnknown=*/true};
    if (auto slot = shared.getDefiningOp<SlotOp>())
      place = evaluate(slot.getIndex());
    place.ring = BarrierRoles::getRing(shared);
    return place;
  }

  void readThroughAsyncProxy(Operation *op, const SharedPlace &place, HazardState &state) {
    for (auto &[key, isFenced] : state.writes)
      if (place.mayBe(key.second))
        report(isFenced ? HazardKind::WriteUnsynced : HazardKind::WriteUnfenced, op,
               operations[key.first]);
  }

  void visit(StoreFragmentOp store, HazardState &state) {
    useRegisters(store, store.getSource(), state);
    SharedPlace place = getPlace(store.getDest());
    for (auto &[key, pending] : state.stores)
      if (place.mayBe(key.second))
        report(pending.isKnownToLeader ? HazardKind::FreedUnknown : HazardKind::StoreReading, store,
               operations[key.first], pending.age, pending.isFromBeforeLoop);
    for (auto &[read, other] : state.reads)
      if (place.mayBe(other))
        report(HazardKind::FreedUnknown, store, operations[read]);
    state.writes[{numbers.lookup(store), place}] = false;
  }

  /// All threads of the warpgroup read what all of them wrote.
  void visit(StoreRowEndsOp ends, HazardState &state) {
    if (!state.isGridWaited)
      report(HazardKind::GridUnwaited, ends, ends);
    SharedPlace place = getPlace(ends.getSource());
    for (auto &[key, isFenced] : state.writes)
      if (place.mayBe(key.second))
        report(HazardKind::WriteUnsynced, ends, operations[key.first]);
    state.reads.insert({numbers.lookup(ends), place});
  }

  void visit(TmaStoreOp store, HazardState &state) {
    if (!state.isGridWaited)
      report(HazardKind::GridUnwaited, store, store);
    SharedPlace place = getPlace(store.getSource());
    readThroughAsyncProxy(store, place, state);
    state.addStore(numbers.lookup(store), place);
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
      counters[loop.getInductionVar()] = counter;
      walk(*loop.getBody(), state);
    }
    counters.erase(loop.getInductionVar());
    if (isOutermost)
      for (auto &[key, store] : state.stores)
        store.isFromBeforeLoop = false;
  }

  void shift(Operation *loop, HazardState &state) {
    state.shiftDistances(
        [&](unsigned product) { return loop->isProperAncestor(operations[product]); });
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
  FragmentVariables fragments;
  llvm::DenseMap<Operation *, unsigned> numbers;
  SmallVector<Operation *> operations;
  llvm::DenseMap<Value, int64_t> counters;
};
} // namespace

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Between the initialisation of mbarriers and the roles that use them.
static void findInitHazards(KernelOp kernel, SmallVector<Hazard> &hazards) {
  Operation *init = nullptr;
  bool isFenced = false, isSynced = false;
  for (Operation &op : kernel.getBody().front()) {
    if (isa<InitBarrierOp>(op)) {
      init = &op;
      isFenced = isSynced = false;
    } else if (isa<FenceBarrierInitOp>(op)) {
      isFenced = true;
    } else if (isa<SyncBlockOp>(op)) {
      isSynced = true;
    } else if (isa<RoleOp>(op) && init) {
      bool isSignalledByTma = false;
      kernel.walk([&](TmaLoadOp) { isSignalledByTma = true; });
      if (!isFenced && isSignalledByTma)
        hazards.push_back({HazardKind::InitUnfenced, &op, init});
      if (!isSynced)
        hazards.push_back({HazardKind::InitUnsynced, &op, init});
      return;
    }
  }
}

SmallVector<Hazard> tkc::findHazards(KernelOp kernel) {
  SmallVector<Hazard> hazards;
  findInitHazards(kernel, hazards);
  BarrierRoles barriers(kernel);
  TripCount tripCount(kernel);
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
  // What comes round a loop may be covered by what the way to the loop's end needs anyway, so it
  // comes later; the end of a role comes last.
  auto rank = [&](const Hazard &hazard) {
    bool isEnd = isa<RoleOp>(hazard.op) && hazard.kind < HazardKind::InitUnfenced;
    bool isCarried = order.lookup(hazard.cause) > order.lookup(hazard.op);
    return std::tuple(isEnd, isCarried, order.lookup(hazard.op));
  };
  llvm::stable_sort(hazards, [&](const Hazard &a, const Hazard &b) { return rank(a) < rank(b); });
  return hazards;
}
