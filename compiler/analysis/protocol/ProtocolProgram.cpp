//===- ProtocolProgram.cpp - A role as steps that matter to others --------===//
#include "analysis/protocol/ProtocolProgram.h"

#include "dialect/hopper/HopperLimits.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;
using namespace tkc::protocol;

BarrierNumbers::BarrierNumbers(KernelOp kernel) {
  kernel.walk([&](AllocBarrierOp op) {
    numbers[op.getResult()] =
        add(op, op.getName().str(), op.getResult().getType().getStages(), op.getArrivals());
  });
  for (auto scheduler : kernel.getBody().front().getOps<TileSchedulerOp>()) {
    schedulerFull = add(scheduler, "tile_scheduler full", tileSchedulerSlots, 1);
    schedulerEmpty =
        add(scheduler, "tile_scheduler empty", tileSchedulerSlots, scheduler.getReaders());
  }
}

unsigned BarrierNumbers::add(Operation *op, std::string name, int64_t count, int64_t arrivals) {
  barriers.push_back({op, std::move(name), count, arrivals, stages});
  stages += count;
  return barriers.size() - 1;
}

namespace {
class RoleCompiler {
public:
  RoleCompiler(RoleProgram &program, const BarrierNumbers &barriers)
      : program(program), barriers(barriers) {}

  void compile() {
    // Tiles and cursors may be taken before the roles.
    auto kernel = program.role->getParentOfType<KernelOp>();
    for (Operation &op : kernel.getBody().front())
      if (isa<SlotOp, StageOp, RowsOp, ColumnsOp, CursorOp>(op))
        visit(&op);
    visit(program.role.getBody().front());
    add(StepKind::End, program.role);
  }

private:
  Step &add(StepKind kind, Operation *op) {
    Step &step = program.steps.emplace_back();
    step.kind = kind;
    step.op = op;
    return step;
  }

  unsigned getBarrier(Value barrier) { return barriers.numbers.lookup(barrier); }
  unsigned getCursor(Value cursor) {
    auto [entry, isNew] = cursors.try_emplace(cursor, program.cursors);
    program.cursors += isNew;
    return entry->second;
  }
  unsigned getTile(Value tile) {
    auto [entry, isNew] = tiles.try_emplace(tile, program.tiles);
    program.tiles += isNew;
    return entry->second;
  }

  void visit(Block &block) {
    for (Operation &op : block)
      visit(&op);
  }

  /// A step at an mbarrier.
  Step &addBarrier(StepKind kind, BarrierUse op) {
    Step &step = add(kind, op);
    step.barrier = getBarrier(op.getBarrier());
    step.cursor = getCursor(op.getCursor());
    return step;
  }

  Step &addAccess(StepKind kind, Operation *op, Value tile, bool isShared = false) {
    unsigned number = getTile(tile);
    Step &step = add(kind, op);
    step.tiles = {number};
    step.isShared = isShared;
    return step;
  }

  void addMeeting(Operation *op, unsigned id, int64_t threads, bool isShared) {
    Step &step = add(StepKind::Meet, op);
    step.id = id;
    step.count = threads;
    step.isShared = isShared;
  }

  /// One warpgroup comes to the barrier, and another one waits there for it.
  template <typename Op> void addHandOver(StepKind kind, Op op) {
    Step &step = add(kind, op);
    step.id = op.getBarrierId();
    step.count = 2 * warpgroupThreads;
    step.isShared = true;
  }

  /// Every warp writes a part of its own; all that share the tile meet, read, and meet again.
  void addCrossWarp(Operation *op, Value scratch, int64_t warpgroups, unsigned id) {
    addAccess(StepKind::Write, op, scratch, /*isShared=*/warpgroups > 1);
    addMeeting(op, id, warpgroups * warpgroupThreads, /*isShared=*/warpgroups > 1);
    addAccess(StepKind::Read, op, scratch);
    addMeeting(op, id, warpgroups * warpgroupThreads, /*isShared=*/warpgroups > 1);
  }

  void visit(Operation *op) {
    TypeSwitch<Operation *>(op)
        .Case([&](CursorOp cursor) {
          unsigned number = getCursor(cursor.getResult());
          add(StepKind::NewCursor, op).cursor = number;
        })
        .Case([&](AdvanceOp advance) {
          unsigned number = getCursor(advance.getCursor());
          add(StepKind::Advance, op).cursor = number;
        })
        .Case([&](CursorStageOp stage) {
          unsigned number = getCursor(stage.getCursor());
          add(StepKind::ReadCursor, op).cursor = number;
        })
        .Case([&](StageOp stage) {
          unsigned cursor = getCursor(stage.getCursor());
          addAccess(StepKind::TakeStage, op, stage.getResult()).cursor = cursor;
        })
        .Case([&](SlotOp slot) { addAccess(StepKind::TakeSlot, op, slot.getResult()); })
        .Case([&](RowsOp rows) {
          unsigned source = getTile(rows.getSource());
          addAccess(StepKind::TakeRows, op, rows.getResult()).tiles.push_back(source);
        })
        .Case([&](ColumnsOp columns) {
          unsigned source = getTile(columns.getSource());
          addAccess(StepKind::TakeColumns, op, columns.getResult()).tiles.push_back(source);
        })
        .Case([&](WaitBarrierOp wait) {
          addBarrier(StepKind::Wait, wait).isPrevious = wait.getPrevious();
        })
        .Case([&](ExpectBytesOp expect) {
          addBarrier(StepKind::Expect, expect).count = expect.getBytes();
        })
        .Case([&](ArriveOp arrive) { addBarrier(StepKind::Arrive, arrive); })
        .Case([&](CommitWgmmaOp) { add(StepKind::CommitWgmma, op); })
        .Case([&](WaitWgmmaOp wait) { add(StepKind::WaitWgmma, op).count = wait.getPending(); })
        .Case(
            [&](WaitStoresReadOp wait) { add(StepKind::WaitStores, op).count = wait.getPending(); })
        .Case([&](SyncWarpgroupOp sync) {
          if (program.role.getEach() == tk::EachWorker::Warp)
            return; // only the warp's own lanes meet
          addMeeting(op, sync.getBarrierId(), warpgroupThreads, /*isShared=*/false);
        })
        .Case([&](SyncConsumersOp sync) {
          int64_t threads = program.role.getWarpgroups() * warpgroupThreads;
          addMeeting(op, sync.getBarrierId(), threads, /*isShared=*/true);
        })
        .Case([&](SignalWarpgroupOp signal) { addHandOver(StepKind::Signal, signal); })
        .Case([&](AwaitWarpgroupOp wait) { addHandOver(StepKind::Meet, wait); })
        .Case<PingPongBeginOp, PingPongAcquireOp, PingPongReleaseOp, PingPongEndOp>(
            [&](auto pingpong) {
              bool waits = isa<PingPongAcquireOp, PingPongEndOp>(op);
              Step &step = add(waits ? StepKind::Meet : StepKind::Signal, op);
              step.id = pingpong.getBarrierId();
              step.count = 2 * warpgroupThreads;
            })
        .Case([&](Exchange exchange) {
          if (exchange.getScratch())
            addCrossWarp(op, exchange.getScratch(), exchange.getWarpgroups(),
                         exchange.getBarrierId());
        })
        .Case([&](SharedAccess access) { visitUses(op, access.getSharedUses()); })
        .Case([&](FenceAsyncProxyOp) { add(StepKind::Fence, op); })
        .Case([&](TileLoopOp loop) { visitTiles(loop); })
        .Case([&](scf::ForOp loop) { visitLoop(loop, StepKind::Loop, StepKind::LoopEnd); })
        .Case([&](scf::IfOp branch) { visitBranch(branch); })
        .Default([&](Operation *other) { visitOther(other); });
  }

  void visitUses(Operation *op, ArrayRef<SharedUse> uses) {
    SmallVector<unsigned, 2> multiplied;
    for (const SharedUse &use : uses) {
      switch (use.completion) {
      case Completion::AtOnce:
        addAccess(use.access == Access::Read ? StepKind::Read : StepKind::Write, op, use.tile);
        break;
      case Completion::Bytes: {
        unsigned tile = getTile(use.tile);
        Step &step = addBarrier(StepKind::Load, cast<BarrierUse>(op));
        step.tiles = {tile};
        auto type = cast<SharedType>(use.tile.getType());
        step.count =
            type.getRows() * type.getCols() * tk::getStorageBits(type.getElementType()) / 8;
        break;
      }
      case Completion::Arrival: {
        unsigned tile = getTile(use.tile);
        addBarrier(StepKind::Load, cast<BarrierUse>(op)).tiles = {tile};
        addBarrier(StepKind::Arrive, cast<BarrierUse>(op));
        break;
      }
      case Completion::StoreGroup:
        addAccess(StepKind::Store, op, use.tile);
        break;
      case Completion::MmaGroup:
        multiplied.push_back(getTile(use.tile));
        break;
      }
    }
    if (!multiplied.empty())
      add(StepKind::Mma, op).tiles = multiplied;
  }

  /// Ops with an effect on shared memory touch every tile they name; those that touch barriers must
  /// be known.
  void visitOther(Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    // These synchronise nothing that is modelled here.
    if (!effects || isa<FenceBarrierInitOp, FenceRegistersOp>(op))
      return;
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    bool reads = false, writes = false;
    for (const MemoryEffects::EffectInstance &effect : instances) {
      SideEffects::Resource *resource = effect.getResource();
      if (resource == Barriers::get() || resource == Cursors::get())
        program.unknown = program.unknown ? program.unknown : op;
      if (resource != SharedMemory::get())
        continue;
      reads |= isa<MemoryEffects::Read>(effect.getEffect());
      writes |= isa<MemoryEffects::Write>(effect.getEffect());
    }
    for (Value operand : op->getOperands())
      if (isa<SharedType>(operand.getType())) {
        if (reads)
          addAccess(StepKind::Read, op, operand);
        if (writes)
          addAccess(StepKind::Write, op, operand);
      }
  }

  /// True if the steps from `first` on do anything but name tiles.
  bool doesSomething(size_t first) const {
    return llvm::any_of(llvm::drop_begin(program.steps, first), [](const Step &step) {
      return step.kind != StepKind::TakeStage && step.kind != StepKind::TakeSlot &&
             step.kind != StepKind::TakeRows && step.kind != StepKind::TakeColumns &&
             step.kind != StepKind::Jump && step.kind != StepKind::SetResults;
    });
  }

  /// The next tile of the scheduler (runtime/hopper/tile/scheduler.h, tell and read): the producer
  /// fills a slot that is empty, the consumers read one that is full and give it back at once.
  void addPingPong(TileLoopOp loop, unsigned cursor) {
    bool isProducer = program.role.getKind() == RoleKind::Producer;
    unsigned waitsFor = isProducer ? barriers.schedulerEmpty : barriers.schedulerFull;
    unsigned arrivesAt = isProducer ? barriers.schedulerFull : barriers.schedulerEmpty;
    Step &wait = add(StepKind::Wait, loop);
    wait.barrier = waitsFor, wait.cursor = cursor, wait.isPrevious = isProducer;
    Step &arrive = add(StepKind::Arrive, loop);
    arrive.barrier = arrivesAt, arrive.cursor = cursor;
    add(StepKind::Advance, loop).cursor = cursor;
  }

  /// A loop over tiles of a scheduler has a step before each of them, and one for the end.
  void visitTiles(TileLoopOp loop) {
    unsigned cursor = loop.getDynamic() ? program.cursors++ : 0;
    if (loop.getDynamic()) {
      add(StepKind::NewCursor, loop).cursor = cursor;
      addPingPong(loop, cursor);
    }
    visitLoop(loop, StepKind::TileLoop, StepKind::TileLoopEnd, [&] {
      if (loop.getDynamic())
        addPingPong(loop, cursor);
    });
  }

  void visitLoop(
      Operation *loop, StepKind begin, StepKind end,
      llvm::function_ref<void()> finishIteration = [] {}) {
    size_t first = program.steps.size();
    add(begin, loop);
    visit(loop->getRegion(0).front());
    finishIteration();
    if (!doesSomething(first + 1)) {
      program.steps.truncate(first);
      return;
    }
    add(end, loop).target = first;
    program.steps[first].target = program.steps.size();
  }

  void visitBranch(scf::IfOp branch) {
    size_t first = program.steps.size();
    add(StepKind::Branch, branch);
    visit(branch.getThenRegion().front());
    setResults(branch, branch.getThenRegion());
    bool isNeeded = doesSomething(first + 1);
    size_t jump = program.steps.size();
    add(StepKind::Jump, branch);
    size_t otherwise = program.steps.size();
    if (!branch.getElseRegion().empty()) {
      visit(branch.getElseRegion().front());
      setResults(branch, branch.getElseRegion());
    }
    isNeeded |= doesSomething(otherwise);
    if (!isNeeded) {
      program.steps.truncate(first);
      return;
    }
    program.steps[first].target = otherwise;
    program.steps[jump].target = program.steps.size();
  }

  void setResults(scf::IfOp branch, Region &region) {
    if (branch.getNumResults() > 0)
      add(StepKind::SetResults, region.front().getTerminator());
  }

  RoleProgram &program;
  const BarrierNumbers &barriers;
  llvm::DenseMap<Value, unsigned> cursors, tiles;
};
} // namespace

RoleProgram protocol::compileRole(RoleOp role, const BarrierNumbers &barriers) {
  RoleProgram program;
  program.role = role;
  RoleCompiler(program, barriers).compile();
  return program;
}
