//===- VerifyStages.cpp - Ops that may no longer occur between stages -----===//
//
// Runs after the last pass that decides anything. A pass that breaks its promise
// should fail here, by name, and not as a kernel that hangs on a GPU.
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "analysis/hazards/Hazards.h"
#include "analysis/protocol/BarrierRoles.h"
#include "analysis/registers/FragmentVariables.h"
#include "analysis/registers/RegisterBudget.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/TkChoiceOp.h"
#include "dialect/tk/TkElementOp.h"
#include "dialect/tk/TkPartOp.h"
#include "mlir/IR/Verifier.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"

namespace tkc {
#define GEN_PASS_DEF_VERIFYSTAGES
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// After tk-insert-pipeline: of the tk dialect only extents, elements and choices are left, and the
/// scalar ops in bodies of maps.
static LogicalResult verifyNoTiles(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    bool hasTile =
        llvm::any_of(op->getResultTypes(), [](Type type) { return isa<tk::TileType>(type); });
    if (!hasTile && (!isa_and_nonnull<tk::TkDialect>(op->getDialect()) ||
                     isa<tk::ChoiceOp, tk::ElementOp, tk::ExtentOp, tk::PartOp, tk::YieldOp,
                         tk::RandomOp, tk::ConvertOp>(op)))
      return WalkResult::advance();
    op->emitError() << "'" << op->getName() << "' is left after tk-insert-pipeline";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// After tk-assign-variables: no variable in registers has to hold two values.
static LogicalResult verifyVariables(KernelOp kernel) {
  for (auto role : kernel.getBody().front().getOps<RoleOp>()) {
    SmallVector<Value> overwriting = FragmentVariables(role).getOverwriting();
    if (overwriting.empty())
      continue;
    Value first = overwriting.front();
    Operation *op = first.getDefiningOp();
    return (op ? op : first.getParentBlock()->getParentOp())->emitError()
           << quoteTileName(first)
           << " overwrites a value that is still read after tk-assign-variables";
  }
  return success();
}

/// After tk-insert-waits: nothing is uncovered.
static LogicalResult verifyNoHazards(KernelOp kernel) {
  SmallVector<Hazard> hazards = findHazards(kernel);
  if (hazards.empty())
    return success();
  InFlightDiagnostic diagnostic = hazards.front().op->emitError()
                                  << "a hazard is left after tk-insert-waits";
  diagnostic.attachNote(hazards.front().cause->getLoc()) << "this is still in flight";
  return failure();
}

namespace {
struct ByteRange {
  int64_t begin, end;
  Operation *op;
};
} // namespace

/// A ring that lies over another one is within its bytes.
static LogicalResult verifyOver(AllocRingOp ring) {
  auto over = ring.getOver().getDefiningOp<AllocRingOp>();
  auto getEnd = [](AllocRingOp ring) {
    RingType type = ring.getResult().getType();
    return int64_t(ring.getOffset().value_or(0)) + type.getStages() * type.getStageBytes();
  };
  if (!ring.getOffset())
    return ring.emitError() << "the buffer has no offset after tk-allocate-shared";
  if (*ring.getOffset() < over.getOffset().value_or(0) || getEnd(ring) > getEnd(over))
    return ring.emitError() << "the buffer begins at " << *ring.getOffset() << " and ends at "
                            << getEnd(ring) << ", outside of the one that it lies over";
  return success();
}

/// After tk-allocate-shared: every buffer has a place of its own, or lies over another one.
static LogicalResult verifyShared(KernelOp kernel) {
  SmallVector<ByteRange> ranges;
  auto add = [&](Operation *op, std::optional<uint64_t> offset, int64_t bytes) -> LogicalResult {
    if (!offset)
      return op->emitError() << "the buffer has no offset after tk-allocate-shared";
    ranges.push_back({int64_t(*offset), int64_t(*offset) + bytes, op});
    return success();
  };
  for (Operation &op : kernel.getBody().front()) {
    if (auto ring = dyn_cast<AllocRingOp>(op)) {
      RingType type = ring.getResult().getType();
      if (!ring.getOver() &&
          failed(add(ring, ring.getOffset(), type.getStages() * type.getStageBytes())))
        return failure();
      if (ring.getOver() && failed(verifyOver(ring)))
        return failure();
      if (!ring.getSwizzle())
        return ring.emitError() << "the ring has no swizzle after tk-allocate-shared";
    } else if (auto barrier = dyn_cast<AllocBarrierOp>(op)) {
      if (failed(add(barrier, barrier.getOffset(),
                     barrier.getResult().getType().getStages() * barrierBytes)))
        return failure();
    }
  }
  llvm::stable_sort(ranges,
                    [](const ByteRange &a, const ByteRange &b) { return a.begin < b.begin; });
  for (auto [index, range] : llvm::enumerate(ranges)) {
    if (range.begin < 0 || range.end > int64_t(kernel.getSharedBytes()) ||
        range.end > getSharedBudget(kernel))
      return range.op->emitError() << "the buffer ends at " << range.end << ", but the kernel has "
                                   << kernel.getSharedBytes() << " bytes of shared memory";
    if (index == 0 || ranges[index - 1].end <= range.begin)
      continue;
    InFlightDiagnostic diagnostic = range.op->emitError() << "the buffer begins at " << range.begin
                                                          << ", where another one has not ended";
    diagnostic.attachNote(ranges[index - 1].op->getLoc()) << "it ends at " << ranges[index - 1].end;
    return failure();
  }
  return success();
}

/// After tk-insert-pipeline and tk-insert-waits: where an MMA reads ones, there are some,
/// written before the roles begin.
static LogicalResult verifyOnes(KernelOp kernel) {
  auto areWritten = [](Value ring) {
    return llvm::any_of(ring.getUsers(), [](Operation *fill) {
      for (Operation *op = isa<FillOnesOp>(fill) ? fill->getNextNode() : nullptr; op;
           op = op->getNextNode())
        if (isa<SyncBlockOp>(op))
          return true;
      return false;
    });
  };
  WalkResult result = kernel.walk([&](WgmmaOp mma) {
    Value ring = mma.getSums() ? BarrierRoles::getRing(mma.getB()) : Value();
    bool hasOnes = ring && cast<RingType>(ring.getType()).getWithOnes() && areWritten(ring);
    if (!mma.getSums() || hasOnes)
      return WalkResult::advance();
    mma.emitError() << "an MMA sums rows, but nobody has written ones beside its B";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// After tk-allocate-registers: the roles together ask for no more registers than the block has,
/// which would hang.
static LogicalResult verifyRegisters(KernelOp kernel) {
  int64_t warpgroups = 0, consumers = 0, registers = 0;
  bool isMissing = false;
  for (auto role : kernel.getBody().front().getOps<RoleOp>()) {
    if (getOwnWarpgroups(role) == 0)
      continue;
    warpgroups += role.getWarpgroups();
    consumers += role.getKind() == RoleKind::Consumer ? role.getWarpgroups() : 0;
    registers += role.getWarpgroups() * role.getRegisters();
    isMissing |= role.getRegisters() == 0;
  }
  if (int64_t(kernel.getThreads()) != warpgroups * warpgroupThreads)
    return kernel.emitError() << "the kernel has " << kernel.getThreads()
                              << " threads, but its roles need " << warpgroups * warpgroupThreads;
  if (isMissing)
    return registers == 0 && warpgroups == consumers
               ? success()
               : LogicalResult(kernel.emitError()
                               << "a role has no registers after tk-allocate-registers");
  // A reducer is one warpgroup more, as a consumer would be.
  SmallVector<RegisterSplit> splits = getRegisterSplits(warpgroups - 1, getResidentBlocks(kernel));
  int64_t pool = splits.empty() ? 0 : splits.front().entry * warpgroups;
  if (registers > pool)
    return kernel.emitError() << "the roles ask for " << registers
                              << " registers per thread in all, but start with " << pool
                              << ": setmaxnreg would wait forever";
  return success();
}

static LogicalResult verifyKernel(KernelOp kernel) {
  return success(succeeded(verifyVariables(kernel)) && succeeded(verifyNoHazards(kernel)) &&
                 succeeded(verifyOnes(kernel)) && succeeded(verifyShared(kernel)) &&
                 succeeded(verifyRegisters(kernel)));
}

namespace {
struct VerifyStages : tkc::impl::VerifyStagesBase<VerifyStages> {
  void runOnOperation() override {
    if (failed(verify(getOperation())) || failed(verifyNoTiles(getOperation())))
      return signalPassFailure();
    if (failed(forEachKernel<KernelOp>(getOperation(), verifyKernel)))
      signalPassFailure();
  }
};
} // namespace
