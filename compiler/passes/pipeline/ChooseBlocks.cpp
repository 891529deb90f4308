//===- ChooseBlocks.cpp - How many blocks an SM runs at once --------------===//
//
// A persistent block has an SM to itself, with all of its registers and shared memory, which is
// what MMAs need. But a kernel whose tiles have 64 rows has one consumer warpgroup, so each of the
// SM's schedulers has one warp: while that waits for special functions, a gather, the barriers
// around a store, nobody works. Others do if several blocks share the SM:
//
// - Blocks of one tile each, as many as have room, where no loop loads. They need no producer: one
//   loads while others compute.
// - Two persistent blocks with half the registers and shared memory each, where a tile of the grid
//   needs several of one tensor, as of a stencil: most of them come from L2, so that loads are long
//   beside the time that memory needs, and a producer starts those of the next tile early.
// - Two persistent blocks, too, where a loop loads and threads compute long enough beside it. One
//   that only adds up tiles waits for memory, however many warps there are, and one whose MMAs read
//   shared memory waits for nobody.
//
// Rows that are read twice stay in one block: twice as many at once find fewer of them in L2.
// Measured on an H200 (docs/design/experiments/first-texts.md).
//
//===----------------------------------------------------------------------===//
#include "analysis/cost/CostModel.h"
#include "analysis/registers/RegisterBudget.h"
#include "analysis/registers/RoleSplit.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/TkChoiceOp.h"
#include "passes/pipeline/PipelinePlan.h"
#include "remarks/Remarks.h"
#include "target/HopperModel.h"

using namespace mlir;
using namespace tkc;

/// Refuses a hint that the kernel cannot follow.
static LogicalResult verifyHint(PipelinePlan &plan) {
  if (!plan.kernel.getPersistent().value_or(true))
    return plan.kernel.emitError()
           << "'blocks_per_sm' is for persistent kernels; of blocks that compute one tile, as many "
           << "share an SM as have room, so leave it out";
  if (plan.groups.empty() || plan.hasReducer() || plan.scannerWarps)
    return plan.kernel.emitError()
           << "'blocks_per_sm' is for blocks of a producer and consumers, but this kernel "
           << (plan.groups.empty() ? "loads nothing by TMA" : "has other roles, too")
           << "; leave it out";
  return success();
}

/// True if nobody has said how the kernel's blocks should be, and it is one of producer and one
/// consumer warpgroup.
static bool isOpen(PipelinePlan &plan) {
  tk::KernelOp kernel = plan.kernel;
  bool hasHints =
      kernel.getPersistent() || kernel.getOrder() || kernel.getRegisters() || kernel.getCluster() ||
      kernel->hasAttr(tk::prefetchAttrName) || plan.distribution.hasPingPongTiles ||
      llvm::any_of(plan.groups, [](LoadGroup &group) {
        auto pipeline = group.loop
                            ? group.loop->getAttrOfType<tk::PipelineAttr>(tk::pipelineAttrName)
                            : nullptr;
        return pipeline && pipeline.getStages();
      });
  return !hasHints && plan.distribution.consumers == 1 && plan.handOvers.empty() &&
         plan.scannerWarps == 0;
}

/// True if a persistent block keeps more in shared memory than it loads for each tile, all of which
/// a block of one tile would load.
static bool keepsMore(PipelinePlan &plan) {
  int64_t kept = 0, loaded = 0;
  for (LoadGroup &group : plan.groups)
    (group.isResident ? kept : loaded) += plan.getStageBytes(group);
  return kept > loaded;
}

/// True if a tile of the grid needs several tiles of one tensor, as a stencil does.
static bool loadsNeighbours(PipelinePlan &plan) {
  constexpr int64_t several = 3;
  llvm::SmallDenseMap<Value, int64_t> counts;
  int64_t most = 0;
  plan.grid.walk([&](tk::LoadOp load) {
    if (isa<tk::TileType>(load.getResult().getType()))
      most = std::max(most, ++counts[tk::getWholeTensor(load.getSource())]);
  });
  return most >= several;
}

/// True if two loops, or a loop and the code beside it, load from one tensor.
static bool readsTwice(PipelinePlan &plan) {
  llvm::SmallDenseMap<Value, Operation *> loops; // of a tensor
  for (LoadGroup &group : plan.groups)
    for (tk::LoadOp load : group.getLoads()) {
      auto [place, isNew] =
          loops.try_emplace(tk::getWholeTensor(load.getSource()), group.loop.getOperation());
      if (!isNew && place->second != group.loop.getOperation())
        return true;
    }
  return false;
}

/// Cycles for which threads compute in an iteration, MMAs whose operands are in registers included.
/// A tile of a warp has a quarter of the lanes.
static double getThreadCycles(PipelinePlan &plan, Block &iteration) {
  const WorkCounts counts = countWork(iteration);
  WorkCounts ofRegisters;
  iteration.walk([&](tk::MmaOp mma) {
    if (cast<tk::TileType>(mma.getA().getType()).isRegister())
      countWork(mma, ofRegisters);
  });
  return (getElementwiseCycles(counts) + getPartCycles(ofRegisters).tensorCores) *
         (plan.distribution.isEachWarp() ? hopper::warpgroupWarps : 1);
}

/// True if in each loop that loads, threads compute for so long that somebody else should, too.
static bool computesBesideLoads(PipelinePlan &plan) {
  bool computes = false;
  for (LoadGroup &group : plan.groups) {
    if (!group.loop)
      continue;
    WorkCounts loads;
    for (LoadGroup &other : plan.groups)
      if (other.loop == group.loop)
        loads.loadedBytes += plan.getStageBytes(other);
    if (getThreadCycles(plan, *group.loop.getBody()) <
        hopper::leastThreadShare * getPartCycles(loads).memory)
      return false;
    computes = true;
  }
  return computes;
}

/// True if the tiles in registers, and the widest MMA, are those of a block that shares the SM.
static bool fitsRegisters(PipelinePlan &plan, int64_t blocks) {
  const int64_t consumers = plan.distribution.consumers;
  SmallVector<RegisterSplit> splits = getRegisterSplits(consumers, blocks);
  if (splits.empty() ||
      getTilesAtPeak(TileRegisters(plan.kernel, consumers), /*hasReducer=*/false) +
              hopper::getRegistersBesideTiles(consumers) >
          splits.front().consumer)
    return false;
  const int64_t widest = getMaxInstructionWidth(consumers, blocks);
  return !plan.kernel
              .walk([&](tk::MmaOp mma) {
                return getInstructionWidth(mma) > widest ? WalkResult::interrupt()
                                                         : WalkResult::advance();
              })
              .wasInterrupted();
}

static void shareSm(PipelinePlan &plan, int64_t blocks) {
  plan.blocksPerSm = blocks;
  reportRemark(plan.kernel, plan.grid.getLoc(), Remark::BlocksShareSm);
}

LogicalResult tkc::chooseBlocks(PipelinePlan &plan) {
  tk::KernelOp kernel = plan.kernel;
  if (auto hint = kernel->getAttrOfType<IntegerAttr>(tk::blocksPerSmAttrName)) {
    plan.blocksPerSm = hint.getInt();
    return plan.blocksPerSm == 1 ? success() : verifyHint(plan);
  }
  if (!isOpen(plan))
    return success();
  constexpr int64_t blocks = 2, stages = 3;
  if (llvm::none_of(plan.groups, [](LoadGroup &group) { return bool(group.loop); })) {
    if (loadsNeighbours(plan) && fitsShared(plan, blocks, /*stages=*/2) &&
        fitsRegisters(plan, blocks)) {
      shareSm(plan, blocks);
      return success();
    }
    if (keepsMore(plan) || !fitsShared(plan, blocks, /*stages=*/1))
      return success();
    kernel.setPersistent(false);
    reportRemark(kernel, plan.grid.getLoc(), Remark::BlocksOfOneTile);
    return success();
  }
  if (readsTwice(plan) || !computesBesideLoads(plan) || !fitsShared(plan, blocks, stages) ||
      !fitsRegisters(plan, blocks))
    return success();
  shareSm(plan, blocks);
  return success();
}
