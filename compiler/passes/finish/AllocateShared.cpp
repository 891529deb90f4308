//===- AllocateShared.cpp - Places in shared memory -----------------------===//
//
// Rings first, those with the widest swizzle pattern at the front, so that each
// begins at a boundary of its pattern without padding, then vectors; the mbarriers, which need
// no more than 8 bytes, follow. Rings that lie over another one, as the staging of stores does
// where nothing else fits, follow each other from its first byte on. All other buffers
// live as long as the kernel, since a persistent kernel's roles work on several
// tiles of the grid at once.
//
//===----------------------------------------------------------------------===//
#include "dialect/hopper/Hopper.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/SharedLayout.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace tkc {
#define GEN_PASS_DEF_ALLOCATESHARED
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// Where TMA may begin to write what has no swizzle. PTX ISA, "cp.async.bulk.tensor".
static constexpr int64_t vectorAlignment = 128;

static int64_t getBytes(AllocRingOp ring) {
  RingType type = ring.getResult().getType();
  return type.getStages() * type.getStageBytes();
}

static int64_t getBytes(AllocBarrierOp barrier) {
  return barrier.getResult().getType().getStages() * barrierBytes;
}

/// Refuses a kernel whose buffers do not fit: every one of them, and how much is too much.
static LogicalResult refuse(KernelOp kernel, int64_t bytes, int64_t budget) {
  InFlightDiagnostic diagnostic = kernel.emitError()
                                  << "the kernel's buffers need " << bytes
                                  << " bytes of shared memory, but a block has " << budget;
  for (auto ring : kernel.getBody().front().getOps<AllocRingOp>())
    if (!ring.getOver())
      diagnostic.attachNote(ring.getLoc())
          << "'" << ring.getName() << "' takes " << ring.getResult().getType().getStages() << " x "
          << ring.getResult().getType().getStageBytes() << " bytes";
  diagnostic.attachNote(kernel.getLoc())
      << "make them " << bytes - budget << " bytes smaller in all: fewer stages or smaller tiles";
  return failure();
}

static bool isFilledByLoads(AllocRingOp ring) {
  return llvm::any_of(ring->getUsers(), [](Operation *part) {
    return isa<SlotOp, StageOp>(part) && llvm::any_of(part->getUsers(), [&](Operation *user) {
             Value loaded = getTileCompletedBy(user, Completion::Bytes);
             return loaded && loaded == part->getResult(0);
           });
  });
}

static LogicalResult allocateBuffers(KernelOp kernel) {
  Builder builder(kernel);
  int64_t end = 0;
  SmallVector<AllocRingOp> rings(kernel.getBody().front().getOps<AllocRingOp>());
  for (AllocRingOp ring : rings) {
    RingType type = ring.getResult().getType();
    int64_t rowBytes = type.getCols() * tkc::tk::getStorageBits(type.getElementType()) / 8;
    // A vector is a row without a pattern.
    bool isVector = type.getRows() == 1;
    int64_t swizzle = isVector ? 0 : getSwizzle(rowBytes);
    if (isVector && rowBytes % vectorAlignment)
      return ring.emitError() << "a vector takes " << rowBytes
                              << " bytes when it should take a multiple of " << vectorAlignment;
    if (!isVector && (!swizzle || type.getRows() % 8))
      return ring.emitError() << "no swizzle fits tiles of " << type.getRows() << " rows of "
                              << rowBytes
                              << " bytes; rows should be a multiple of 8 and their bytes of 32";
    ring.setSwizzleAttr(builder.getI64IntegerAttr(swizzle));
  }
  llvm::stable_sort(rings,
                    [](AllocRingOp a, AllocRingOp b) { return *a.getSwizzle() > *b.getSwizzle(); });
  auto align = [](int64_t offset, AllocRingOp ring) {
    return llvm::alignTo(offset, std::max(getAlignment(*ring.getSwizzle()), vectorAlignment));
  };
  for (AllocRingOp ring : rings) {
    if (ring.getOver())
      continue;
    SmallVector<AllocRingOp> over;
    for (Operation *user : ring->getUsers())
      if (auto other = dyn_cast<AllocRingOp>(user))
        over.push_back(other);
    end = align(end, ring);
    for (AllocRingOp other : over)
      end = align(end, other);
    ring.setOffsetAttr(builder.getI64IntegerAttr(end));
    // Loads and stores are not there at once: the tiles of the ring itself come between them.
    int64_t ofStores = end, ofLoads = end;
    end += getBytes(ring);
    for (AllocRingOp other : llvm::reverse(over)) { // users stand in reverse order
      int64_t &place = isFilledByLoads(other) ? ofLoads : ofStores;
      place = align(place, other);
      other.setOffsetAttr(builder.getI64IntegerAttr(place));
      place += getBytes(other);
      if (place > end)
        return other.emitError() << "the rings that lie over '" << ring.getName() << "' take "
                                 << place - int64_t(*ring.getOffset()) << " bytes, but it has "
                                 << getBytes(ring);
    }
  }
  end = llvm::alignTo(end, barrierBytes);
  for (auto barrier : kernel.getBody().front().getOps<AllocBarrierOp>()) {
    barrier.setOffsetAttr(builder.getI64IntegerAttr(end));
    end += getBytes(barrier);
  }
  for (auto scheduler : kernel.getBody().front().getOps<TileSchedulerOp>()) {
    scheduler.setOffsetAttr(builder.getI64IntegerAttr(end));
    end += tileSchedulerBytes;
  }
  if (int64_t budget = getSharedBudget(kernel); end > budget)
    return refuse(kernel, end, budget);
  kernel.setSharedBytes(end);
  return success();
}

namespace {
struct AllocateShared : tkc::impl::AllocateSharedBase<AllocateShared> {
  void runOnOperation() override {
    if (failed(forEachKernel<KernelOp>(getOperation(), allocateBuffers)))
      signalPassFailure();
  }
};
} // namespace
