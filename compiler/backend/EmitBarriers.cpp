//===- EmitBarriers.cpp - mbarriers, cursors, fences and syncs as CUDA ----===//
//
// Most of these ops are one call whose reason trails it.
//
//===----------------------------------------------------------------------===//
#include "backend/KernelEmitter.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

/// "full.wait(": the member function of a barrier ring.
static std::string method(KernelEmitter &e, Value barrier, StringRef name) {
  return e.text(barrier) + "." + name.str() + "(";
}

void backend::emit(KernelEmitter &e, FillOnesOp op) {
  e.out.line(e.text(op.getRing()) + ".fill_ones();",
             "MMAs add up rows of their left operand with these columns");
}

void backend::emit(KernelEmitter &e, InitBarrierOp op) {
  auto barrier = op.getBarrier().getDefiningOp<AllocBarrierOp>();
  if (!barrier)
    return e.values.error(op, "does not initialise what a hopper.alloc_barrier gave");
  e.out.line(method(e, op.getBarrier(), "init") + Twine(barrier.getArrivals()) + ");");
}

void backend::emit(KernelEmitter &e, TileSchedulerOp op) {
  e.out.line(e.facts.schedulerName + ".init(" + Twine(op.getReaders()) + ");");
}

/// " of q and k": the rings of a cursor, if it serves several and has the name of one.
static std::string describeRings(KernelEmitter &e, CursorOp op) {
  llvm::SmallSetVector<Operation *, 8> found;
  for (Operation *user : op->getUsers())
    if (auto stage = dyn_cast<StageOp>(user))
      found.insert(stage.getRing().getDefiningOp());
  if (found.size() < 2 || !op.getName().contains('_'))
    return "";
  SmallVector<Operation *> rings = found.takeVector();
  llvm::sort(rings, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  std::string first = " of " + e.text(rings[0]->getResult(0));
  if (rings.size() > 3)
    return first + " and " + std::to_string(rings.size() - 1) + " other rings";
  return first + (rings.size() > 2 ? ", " + e.text(rings[1]->getResult(0)) : "") + " and " +
         e.text(rings.back()->getResult(0));
}

/// Where a cursor stands in its ring; the last part of its name says so.
static std::string describeCursor(KernelEmitter &e, CursorOp op) {
  StringRef name = op.getName();
  bool isLoaded = llvm::any_of(op->getUsers(), [](Operation *user) {
    return bool(getTileCompletedBy(user, Completion::Bytes));
  });
  StringRef place = name.ends_with("fill")
                        ? (isLoaded || e.inProducer() ? "is loaded next" : "is written next")
                    : name.ends_with("use") ? "is read next"
                                            : "";
  if (!place.empty())
    return "at the stage" + describeRings(e, op) + " that " + place.str();
  return name.ends_with("release") ? "at the oldest stage that an MMA may still read"
         : name.ends_with("ahead")
             ? "at the stage that is waited for before the other consumer goes on"
         : name == "pingpong" ? "its stage is the consumer that computes the next tile"
                              : "";
}

void backend::emit(KernelEmitter &e, CursorOp op) {
  std::string name = e.names.take(op.getName());
  e.values.bind(op.getResult(), name);
  e.out.line("ring_cursor<" + e.facts.stagesOf(op.getResult()) + "> " + name + ";",
             describeCursor(e, op));
}

void backend::emit(KernelEmitter &e, AdvanceOp op) {
  e.out.line(method(e, op.getCursor(), "advance") + (op.getBy() ? e.text(op.getBy()) : "") + ");");
}

void backend::emit(KernelEmitter &e, CursorStageOp op) {
  e.values.bind(op.getResult(), e.text(op.getCursor()) + ".stage");
}

void backend::emit(KernelEmitter &e, WaitBarrierOp op) {
  std::string cursor = e.text(op.getCursor());
  e.out.line(method(e, op.getBarrier(), "wait") + cursor + ".stage, " + cursor +
                 (op.getPrevious() ? ".phase ^ 1);" : ".phase);"),
             op.getReason());
}

void backend::emit(KernelEmitter &e, ExpectBytesOp op) {
  e.out.line(method(e, op.getBarrier(), "arrive_expect") + e.text(op.getCursor()) + ".stage, " +
             e.facts.transactionOf(op.getBarrier(), op.getBytes()) + ");");
}

void backend::emit(KernelEmitter &e, ArriveOp op) {
  if (e.inProducer())
    return e.values.error(op, "needs whole warps, but a producer is one thread");
  e.out.line(method(e, op.getBarrier(), "arrive") + e.text(op.getCursor()) + ".stage);");
}

void backend::emit(KernelEmitter &e, SyncBlockOp op) {
  e.out.line("__syncthreads();", op.getReason());
}

void backend::emit(KernelEmitter &e, SyncWarpgroupOp op) {
  if (!e.role || e.inProducer())
    return e.values.error(op, "needs the whole warpgroup, which only a consumer is");
  if (e.inWarps()) // each warp's memory is its own
    return e.out.line("__syncwarp();", op.getReason());
  std::string id = e.facts.namedBarrier(op.getBarrierId());
  if (!e.consumer.empty())
    id += " + " + e.consumer;
  e.out.line("named_barrier_sync(" + id + ", 128);", op.getReason());
}

void backend::emit(KernelEmitter &e, SyncConsumersOp op) {
  if (!e.role || e.inProducer())
    return e.values.error(op, "needs whole warpgroups, which only consumers are");
  e.out.line("named_barrier_sync(" + e.facts.namedBarrier(op.getBarrierId()) + ", " +
                 Twine(128 * e.role.getWarpgroups()) + ");",
             op.getReason());
}

void backend::emit(KernelEmitter &e, SignalWarpgroupOp op) {
  e.out.line("named_barrier_arrive(" + e.facts.namedBarrier(op.getBarrierId()) + ", 256);",
             op.getReason());
}

void backend::emit(KernelEmitter &e, AwaitWarpgroupOp op) {
  e.out.line("named_barrier_sync(" + e.facts.namedBarrier(op.getBarrierId()) + ", 256);",
             op.getReason());
}

/// At a warpgroup's ping-pong barrier, to which it and the one before it come.
static void emitPingPong(KernelEmitter &e, Operation *op, StringRef condition, StringRef function,
                         const Twine &id, StringRef reason) {
  if (!e.role || e.consumer.empty())
    return e.values.error(op, "needs several consumer warpgroups");
  if (!condition.empty())
    e.out.line("if (" + e.consumer + " == " + condition + ")");
  e.out.line((condition.empty() ? "" : "  ") + function + "(" + id + ", 256);", reason);
}

void backend::emit(KernelEmitter &e, PingPongBeginOp op) {
  std::string last = std::to_string(e.role ? e.role.getWarpgroups() - 1 : 0);
  emitPingPong(e, op, last, "named_barrier_arrive", e.facts.namedBarrier(op.getBarrierId()),
               op.getReason());
}

void backend::emit(KernelEmitter &e, PingPongAcquireOp op) {
  emitPingPong(e, op, "", "named_barrier_sync",
               e.facts.namedBarrier(op.getBarrierId()) + " + " + e.consumer, op.getReason());
}

void backend::emit(KernelEmitter &e, PingPongReleaseOp op) {
  int64_t warpgroups = e.role ? e.role.getWarpgroups() : 1;
  std::string next = warpgroups == 2 ? "(" + e.consumer + " ^ 1)"
                                     : "(" + e.consumer + " + 1) % " + std::to_string(warpgroups);
  emitPingPong(e, op, "", "named_barrier_arrive",
               e.facts.namedBarrier(op.getBarrierId()) + " + " + next, op.getReason());
}

void backend::emit(KernelEmitter &e, PingPongEndOp op) {
  emitPingPong(e, op, "0", "named_barrier_sync", e.facts.namedBarrier(op.getBarrierId()),
               op.getReason());
}

void backend::emit(KernelEmitter &e, FenceBarrierInitOp op) {
  e.out.line("fence_mbarrier_init();", op.getReason());
}

void backend::emit(KernelEmitter &e, FenceAsyncProxyOp op) {
  e.out.line("fence_proxy_async();", op.getReason());
}

void backend::emit(KernelEmitter &e, WaitGridDependencyOp op) {
  e.out.line("griddepcontrol_wait();", op.getReason());
}

void backend::emit(KernelEmitter &e, AllowDependentsOp op) {
  e.out.line("griddepcontrol_launch_dependents();", op.getReason());
}
