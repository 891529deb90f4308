//===- PingPongWarpgroups.cpp - One warpgroup multiplies while another computes ===//
//
// Consumer warpgroups that run freely drift into step: all start their MMAs,
// then all compute exponentials, while the tensor cores stand still. If each one
// waits at its ping-pong barrier before it starts MMAs, and releases the next one once they
// are started, another's MMAs fill the time of its elementwise work.
// FlashAttention-3 calls this ping-pong scheduling.
//
// It costs two named barriers an iteration, so it pays where both kinds of work
// take about equally long. In attention on an H200: heads of 64 elements gain 6 to
// 14 %, heads of 128 nothing.
//
//===----------------------------------------------------------------------===//
#include "analysis/cost/CostModel.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Passes.h"
#include "remarks/Remarks.h"
#include "target/HopperModel.h"
#include "llvm/ADT/SetVector.h"

namespace tkc {
#define GEN_PASS_DEF_PINGPONGWARPGROUPS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

template <typename OpType> static bool holds(Operation *root) {
  return root->walk([](OpType) { return WalkResult::interrupt(); }).wasInterrupted();
}

namespace {
/// The ops of a loop's body that start its MMAs.
struct MmaStart {
  Operation *first = nullptr, *last = nullptr;
};
} // namespace

/// All MMAs of the body, if nothing is waited for and no fragment worked on between them, and
/// they are in no loop that waits for loads: the others would give no stage back meanwhile, and the
/// ring may be shorter than the loop.
static std::optional<MmaStart> findMmaStart(Block &body) {
  MmaStart start;
  bool isOver = false;
  for (Operation &op : body) {
    bool multiplies = holds<WgmmaOp>(&op);
    if (multiplies && (isOver || (isa<scf::ForOp>(op) && holds<WaitBarrierOp>(&op))))
      return std::nullopt;
    if (multiplies && !start.first)
      start.first = &op;
    if (start.first && holds<CommitWgmmaOp>(&op) && !isOver)
      start.last = &op;
    isOver |= start.first &&
              (isa<WaitWgmmaOp>(op) || (!multiplies && isa<MapOp, ReduceRowsOp, scf::IfOp>(op)));
  }
  if (!start.first || !start.last)
    return std::nullopt;
  return start;
}

/// True if every warpgroup of the role comes to the loop, and to its iterations, equally often.
static bool isUniform(scf::ForOp loop, RoleOp role) {
  llvm::SetVector<Operation *> slice;
  SmallVector<Value> decisions;
  for (Operation *op = loop; op != role; op = op->getParentOp()) {
    if (auto outer = dyn_cast<scf::ForOp>(op))
      decisions.append({outer.getLowerBound(), outer.getUpperBound(), outer.getStep()});
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      decisions.push_back(branch.getCondition());
  }
  BackwardSliceOptions options;
  options.inclusive = true;
  Value consumer = role.getBody().getArgument(0);
  for (Value decision : decisions) {
    if (decision == consumer)
      return false;
    getBackwardSlice(decision, &slice, options);
  }
  return llvm::none_of(
      slice, [&](Operation *op) { return llvm::is_contained(op->getOperands(), consumer); });
}

static bool isWanted(scf::ForOp loop, MissedReason &missed) {
  if (auto hint = loop->getAttrOfType<BoolAttr>(pingpongWarpgroupsAttrName))
    return hint.getValue();
  const PartCycles cycles = getPartCycles(countWork(*loop.getBody()));
  if (cycles.specialFunctions >= leastPingPongShare * cycles.tensorCores)
    return true;
  if (cycles.specialFunctions == 0)
    return false;
  return missed.because(loop.getLoc(), Remark::PingPongShare,
                        int64_t(100 * cycles.specialFunctions / cycles.tensorCores),
                        int64_t(100 * leastPingPongShare));
}

/// The fence that hands the first MMA its registers belongs to the ping-pong step.
static Operation *getAcquirePlace(Operation *first) {
  Operation *before = first->getPrevNode();
  return isa_and_nonnull<FenceRegistersOp>(before) ? before : first;
}

/// True if a loop starts MMAs in a branch at its end, to whose barriers not every warpgroup would
/// come equally often.
static bool holdsRotated(scf::ForOp loop) {
  return loop
      .walk([](scf::IfOp branch) {
        return branch->hasAttr(leavesLoopAttrName) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if the loop's warpgroups ping-pong.
static bool addPingPong(scf::ForOp loop, RoleOp role) {
  if (holdsRotated(loop))
    return false;
  if (!holds<WgmmaOp>(loop))
    return false;
  MissedReason missed;
  std::optional<MmaStart> start = findMmaStart(*loop.getBody());
  bool isPossible = isWanted(loop, missed);
  if (isPossible && !start)
    missed.because(loop.getLoc(), Remark::PingPongWork);
  if (isPossible && start && !isUniform(loop, role))
    missed.because(loop.getLoc(), Remark::PingPongUneven);
  if (missed || !isPossible) {
    missed.reportAt(loop);
    return false;
  }
  reportRemark(loop, loop.getLoc(), Remark::PingPongDone);
  OpBuilder builder(getAcquirePlace(start->first));
  Location loc = getUnnamedLoc(start->first->getLoc());
  builder.create<PingPongAcquireOp>(loc, firstPingPongBarrier,
                                    "the warpgroup before this one has started its MMAs");
  builder.setInsertionPointAfter(start->last);
  builder.create<PingPongReleaseOp>(loc, firstPingPongBarrier,
                                    "the next one starts its MMAs while this one computes");
  return true;
}

namespace {
struct PingPongWarpgroups : tkc::impl::PingPongWarpgroupsBase<PingPongWarpgroups> {
  void runOnOperation() override {
    getOperation().walk([](RoleOp role) {
      if (role.getKind() != RoleKind::Consumer || role.getEach() || role.getWarpgroups() < 2)
        return;
      bool isChanged = false;
      role.walk([&](scf::ForOp loop) { isChanged |= addPingPong(loop, role); });
      if (!isChanged)
        return;
      Block &body = role.getBody().front();
      Location loc = getUnnamedLoc(role.getLoc());
      auto builder = OpBuilder::atBlockBegin(&body);
      builder.create<PingPongBeginOp>(loc, firstPingPongBarrier, "the first warpgroup begins");
      builder.setInsertionPointToEnd(&body);
      builder.create<PingPongEndOp>(loc, firstPingPongBarrier,
                                    "the last release has to be acquired, too");
    });
  }
};
} // namespace
