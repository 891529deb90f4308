//===- BarrierRoles.cpp - The purpose of each mbarrier of a kernel --------===//
#include "analysis/protocol/BarrierRoles.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// The tile that a shared tile is a part of.
static Value getWhole(Value shared) {
  // Rows or columns of a tile are a part of it.
  while (isa_and_nonnull<RowsOp, ColumnsOp>(shared.getDefiningOp()))
    shared = shared.getDefiningOp()->getOperand(0);
  return shared;
}

namespace {
/// Empty barriers that a role waits for at a cursor before it loads there.
struct EmptyWaits {
  SmallVector<Value, 2> barriers;
  bool isOver = false; // a load has followed
};
} // namespace

BarrierRoles::BarrierRoles(KernelOp kernel) {
  // Rings may share a cursor: a load's waits are the last ones before it.
  DenseMap<Value, EmptyWaits> waits;
  auto addLoad = [&](BarrierUse load, Value tile) {
    signalledByLoads.insert(load.getBarrier().getAsOpaquePointer());
    Value ring = getRing(tile);
    loaded.insert(ring);
    if (!ring)
      return;
    freedBy.try_emplace(ring); // filled once, it is freed by nobody
    EmptyWaits &before = waits[load.getCursor()];
    before.isOver = true;
    for (Value barrier : before.barriers)
      freedBy[ring].insert(barrier.getAsOpaquePointer());
  };
  kernel.walk([&](Operation *op) {
    if (auto wait = dyn_cast<WaitBarrierOp>(op); wait && wait.getPrevious()) {
      EmptyWaits &before = waits[wait.getCursor()];
      if (before.isOver)
        before = {};
      before.barriers.push_back(wait.getBarrier());
    } else if (auto use = dyn_cast<BarrierUse>(op)) {
      for (const SharedUse &shared : getSharedUses(use))
        addLoad(use, shared.tile);
    }
  });
  // Tiles that only threads write are overwritten where the threads are, whoever arrives anywhere.
  auto addWrite = [&](Value tile) {
    Value ring = getRing(tile);
    if (!ring || loaded.contains(ring))
      return;
    // Loads overwrite it together with the ring that it lies over.
    if (Value memory = getMemory(ring); memory != ring && loaded.contains(memory)) {
      llvm::SmallPtrSet<void *, 2> barriers = freedBy[memory];
      freedBy[ring] = barriers;
      return;
    }
    freedBy[ring];
    // Unless they hand it over.
    auto stage = getWhole(tile).getDefiningOp<StageOp>();
    if (!stage)
      return;
    for (Operation *user : stage.getCursor().getUsers())
      if (auto wait = dyn_cast<WaitBarrierOp>(user); wait && wait.getPrevious())
        freedBy[ring].insert(wait.getBarrier().getAsOpaquePointer());
      else if (auto arrive = dyn_cast<ArriveOp>(user))
        handedOver[ring].insert(arrive.getBarrier().getAsOpaquePointer());
  };
  kernel.walk([&](SharedAccess access) {
    for (const SharedUse &use : access.getSharedUses()) {
      if (use.isWrittenByThreads())
        addWrite(use.tile);
      if (use.completion == Completion::MmaGroup || use.completion == Completion::StoreGroup)
        readAsync.insert(getRing(use.tile));
    }
  });
}

Value BarrierRoles::getRing(Value shared) {
  shared = getWhole(shared);
  if (auto stage = shared.getDefiningOp<StageOp>())
    return stage.getRing();
  if (auto slot = shared.getDefiningOp<SlotOp>())
    return slot.getRing();
  return {};
}

bool BarrierRoles::isFreed(Value ring) const {
  auto found = freedBy.find(ring);
  return loaded.contains(getMemory(ring)) && found != freedBy.end() && !found->second.empty();
}

bool BarrierRoles::mayFree(Value barrier, Value shared) const {
  auto found = freedBy.find(getRing(shared));
  return found == freedBy.end() || found->second.contains(barrier.getAsOpaquePointer());
}
