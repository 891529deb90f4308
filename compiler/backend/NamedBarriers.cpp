//===- NamedBarriers.cpp - The named barriers that a kernel uses ----------===//
#include "backend/NamedBarriers.h"

#include "dialect/hopper/HopperLimits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

/// A reducer's own barrier.
static NamedBarrierFacts describeReducers(int64_t id) {
  return {id,
          "reducer_barrier",
          warpgroupThreads,
          "the reducer's threads",
          "the same",
          "they have written or read shared memory",
          /*isPerWarpgroup=*/false};
}

/// The warpgroup's own barrier, or the one of all consumers.
static NamedBarrierFacts describeMeeting(int64_t id, int64_t warpgroups) {
  if (warpgroups == 1)
    return {id,
            "warpgroup_barrier",
            warpgroupThreads,
            "the warpgroup's threads",
            "the same",
            "they have written or read shared memory",
            /*isPerWarpgroup=*/true};
  return {id,
          "consumers_barrier",
          warpgroupThreads * warpgroups,
          "all consumers' threads",
          "the same",
          "they have written or read shared memory",
          /*isPerWarpgroup=*/false};
}

static NamedBarrierFacts describePingPong(int64_t id) {
  return {id,
          "ping_pong_barrier",
          2 * warpgroupThreads,
          "it and the one before",
          "consumer",
          "this consumer may issue its MMAs",
          /*isPerWarpgroup=*/true};
}

/// One warpgroup comes to it, and another one waits for that.
static NamedBarrierFacts describeHandOver(SignalWarpgroupOp signal) {
  return {int64_t(signal.getBarrierId()),
          signal.getMeans().split(' ').first.rtrim(',').str() + "_handed_over",
          2 * warpgroupThreads,
          "consumer " + std::to_string(signal.getFrom()),
          "consumer " + std::to_string(signal.getTo()),
          signal.getMeans().str(),
          /*isPerWarpgroup=*/false};
}

/// The named barrier at which the threads that execute `op` meet, if there is one.
static std::optional<NamedBarrierFacts> barrierOf(Operation *op) {
  using Result = std::optional<NamedBarrierFacts>;
  auto role = op->getParentOfType<RoleOp>();
  if (role && role.getEach() == tk::EachWorker::Warp)
    return std::nullopt; // __syncwarp
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](SyncWarpgroupOp sync) {
        return role && role.getKind() == RoleKind::Reducer
                   ? describeReducers(sync.getBarrierId())
                   : describeMeeting(sync.getBarrierId(), 1);
      })
      .Case([&](SyncConsumersOp sync) {
        return describeMeeting(sync.getBarrierId(), role ? role.getWarpgroups() : 1);
      })
      .Case<PingPongBeginOp, PingPongAcquireOp, PingPongReleaseOp, PingPongEndOp>(
          [](auto op) { return describePingPong(op.getBarrierId()); })
      .Case([](SignalWarpgroupOp signal) { return describeHandOver(signal); })
      .Case([](Exchange exchange) -> Result {
        if (!exchange.getScratch())
          return std::nullopt;
        return describeMeeting(exchange.getBarrierId(), exchange.getWarpgroups());
      })
      .Default([](Operation *) { return std::nullopt; });
}

SmallVector<NamedBarrierFacts> backend::collectNamedBarriers(KernelOp kernel, Names &names) {
  SmallVector<NamedBarrierFacts> all;
  kernel.walk([&](Operation *op) {
    std::optional<NamedBarrierFacts> barrier = barrierOf(op);
    if (barrier &&
        llvm::none_of(all, [&](const NamedBarrierFacts &known) { return known.id == barrier->id; }))
      all.push_back(*barrier);
  });
  llvm::sort(all, [](const auto &a, const auto &b) { return a.id < b.id; });
  for (NamedBarrierFacts &barrier : all)
    barrier.name = names.take(barrier.name);
  return all;
}
