//===- AllocateRegisters.cpp - Registers of the roles ---------------------===//
//
// setmaxnreg gives a role more or fewer registers than its threads start with.
// If the roles together ask for more than the block owns, the last one waits
// forever; if a role has fewer than its tiles need, ptxas spills. So the split
// comes from a table of those that are known to run (analysis/registers/RegisterBudget.h):
// the first that has as many as ptxas is expected to use, or, where none has, the
// one with the most, if that is enough not to spill (analysis/registers/RegisterPrediction.h).
// With a reducer, the split is computed (analysis/registers/RoleSplit.h).
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "analysis/registers/RegisterBudget.h"
#include "analysis/registers/RegisterPrediction.h"
#include "analysis/registers/RoleSplit.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperLimits.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include "target/HopperModel.h"

namespace tkc {
#define GEN_PASS_DEF_ALLOCATEREGISTERS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// `advised` registers are those for tiles that surely fit.
static LogicalResult refuseTiles(const TilePressure &peak, int64_t consumers, int64_t available,
                                 int64_t advised) {
  InFlightDiagnostic diagnostic = peak.op->emitError()
                                  << "register tiles alive here need " << peak.registers
                                  << " registers per thread, but with " << consumers
                                  << " compute warpgroup" << (consumers == 1 ? "" : "s")
                                  << " a thread has " << available << " for tiles";
  noteLiveTiles(diagnostic, peak, /*warpgroups=*/1);
  noteFix(diagnostic, peak, /*warpgroups=*/1, advised);
  return failure();
}

/// wgmma's accumulator must be among the registers with which the kernel starts, whatever
/// setmaxnreg adds.
static LogicalResult verifyWidths(RoleOp consumer, int64_t consumers, int64_t blocksPerSm = 1) {
  int64_t widest = getMaxInstructionWidth(consumers, blocksPerSm);
  WalkResult result = consumer.walk([&](WgmmaOp wgmma) {
    int64_t width = getInstructionWidth(wgmma);
    if (width > 0 && width <= widest)
      return WalkResult::advance();
    InFlightDiagnostic diagnostic =
        wgmma.emitError() << "an MMA of " << width << " columns does not fit " << consumers
                          << (consumers == 1 ? " compute warpgroup, which allows at most "
                                             : " compute warpgroups, which allow at most ")
                          << widest << " columns";
    diagnostic.attachNote(getDeclaration(wgmma.getAcc()))
        << quoteTileName(wgmma.getAcc()) << " is declared here";
    noteBlocksPerSm(diagnostic, consumer->getParentOp(), blocksPerSm);
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The split that the user asked for, or the best one of the table whose producer has at least
/// `producers` registers.
static FailureOr<RegisterSplit> chooseSplit(RoleOp producer, RoleOp consumer,
                                            const RegisterPrediction &prediction, int64_t producers,
                                            ArrayRef<RegisterSplit> splits) {
  splits = splits.take_while(
      [&](const RegisterSplit &candidate) { return candidate.producer >= producers; });
  if (!consumer.getRegisters()) {
    const RegisterSplit *split = llvm::find_if(splits, [&](const RegisterSplit &candidate) {
      return std::max(prediction.expected, prediction.most) <= candidate.consumer;
    });
    return split == splits.end() ? splits.back() : *split;
  }
  RegisterSplit wish = splits.front();
  wish.producer = producer.getRegisters();
  wish.consumer = consumer.getRegisters();
  InFlightDiagnostic diagnostic = consumer.emitError();
  diagnostic << "'registers(" << wish.producer << ", " << wish.consumer << ")' ";
  int64_t pool = wish.entry * (wish.consumers + 1);
  if (int64_t sum = wish.producer + wish.consumers * wish.consumer; sum > pool)
    return diagnostic << "asks for " << sum << " registers for a thread of each of "
                      << wish.consumers + 1 << " warpgroups, which start with " << pool;
  if (wish.producer > wish.entry || wish.consumer < wish.entry)
    return diagnostic << "must give a producer at most, and a consumer at least, the " << wish.entry
                      << " registers with which every thread starts";
  if (prediction.least > wish.consumer) {
    diagnostic << "leaves " << wish.consumer - leastBesideTiles
               << " registers for tiles, but those alive here need " << prediction.peak.registers;
    noteLiveTiles(diagnostic, prediction.peak, /*warpgroups=*/1);
    return diagnostic;
  }
  diagnostic.abandon();
  return wish;
}

/// True if a map makes a tile of 8-bit elements, which threads exchange after it (tile/order.h).
static bool makesEightBitTile(RoleOp role) {
  return role
      .walk([](MapOp map) {
        auto tile = dyn_cast<FragmentType>(map.getResult(0).getType());
        return tile && tk::getStorageBits(tile.getElementType()) == 8 ? WalkResult::interrupt()
                                                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

/// As many blocks as shared memory has room for and as have the registers that their tiles need.
static void setResidentBlocks(KernelOp kernel, RoleOp consumer,
                              const RegisterPrediction &prediction) {
  int64_t perThread = llvm::alignTo(
      prediction.advised + (makesEightBitTile(consumer) ? eightBitResultExtra : 0), registerUnit);
  const int64_t threads = kernel.getThreads(), bytes = kernel.getSharedBytes();
  int64_t blocks = std::min(smRegisters / (threads * perThread), smThreads / threads);
  while (blocks > 1 && getSharedBudget(blocks) < bytes)
    --blocks;
  if (blocks > 1)
    kernel->setAttr(residentBlocksAttrName, Builder(kernel.getContext()).getI64IntegerAttr(blocks));
}

/// A consumer that carries tiles, and reducers. tk-distribute has compared the reducers' tiles with
/// the free registers, so reducers that need more by now get all of these.
static RoleSplit allocateOutputs(RoleOp consumer, RoleOp reducer, bool hasScanner) {
  const int64_t reducers = reducer.getWarpgroups();
  const int64_t carried = getTilesOfPart(TileRegisters(consumer), /*withCarried=*/true);
  const int64_t outputs = getTilesOfPart(TileRegisters(reducer), /*withCarried=*/false);
  RoleSplit split = splitWithOutputs(carried, outputs, reducers, hasScanner);
  return split.entry ? split : splitWithOutputs(carried, /*outputs=*/0, reducers, hasScanner);
}

/// Consumers, reducer, and a producer unless the reducer loads.
static LogicalResult allocateThree(KernelOp kernel, RoleOp producer, RoleOp consumer,
                                   RoleOp reducer) {
  int64_t consumers = consumer.getWarpgroups();
  if (producer && isJoined(producer))
    return reducer.emitError() << "a block with a reducer has a warpgroup that loads";
  const int64_t reducers = reducer.getWarpgroups();
  TileRegisters tiles(consumer);
  bool hasScanner = llvm::any_of(kernel.getBody().front().getOps<RoleOp>(), isScanner);
  RoleSplit split = reducers > 1 ? allocateOutputs(consumer, reducer, hasScanner)
                                 : splitWithReducer(consumers, getReducerTiles(reducer), !producer);
  int64_t available = split.consumer - registersBesideReducersTiles;
  const int64_t needed = reducers > 1 ? getTilesOfPart(tiles, /*withCarried=*/true)
                                      : getTilesAtPeak(tiles, /*hasReducer=*/true);
  if (needed > available)
    return refuseTiles(tiles.getPeak(), consumers, available, available);
  int64_t warpgroups = consumers + reducers + (producer ? 1 : 0);
  if (failed(verifyWidths(consumer, warpgroups - 1)) ||
      failed(verifyWidths(reducer, warpgroups - 1)))
    return failure();
  if (consumer.getRegisters())
    return consumer.emitError() << "'registers' says what producer and consumers have, but this "
                                << "kernel has a reducer, too; leave it out";
  kernel.setThreads(warpgroups * warpgroupThreads);
  if (producer)
    producer.setRegisters(split.producer);
  consumer.setRegisters(split.consumer);
  reducer.setRegisters(split.reducer);
  return success();
}

static LogicalResult allocateRegisters(KernelOp kernel) {
  RoleOp producer, consumer, reducer, scanner;
  for (auto role : kernel.getBody().front().getOps<RoleOp>()) {
    RoleOp &slot = role.getKind() == RoleKind::Producer   ? producer
                   : role.getKind() == RoleKind::Consumer ? consumer
                   : role.getKind() == RoleKind::Reducer  ? reducer
                                                          : scanner;
    if (slot)
      return role.emitError() << "a kernel has one " << stringifyRoleKind(role.getKind())
                              << " role, this is its second";
    slot = role;
  }
  if (!consumer)
    return kernel.emitError() << "the kernel has no consumer role";
  if (producer && producer.getWarpgroups() != 1)
    return producer.emitError() << "a producer is 1 warpgroup, not " << producer.getWarpgroups();
  int64_t consumers = consumer.getWarpgroups();
  const int64_t blocksPerSm = getResidentBlocks(kernel);
  SmallVector<RegisterSplit> splits = getRegisterSplits(consumers, blocksPerSm);
  if (splits.empty() && blocksPerSm > 1)
    return kernel.emitError() << "'blocks_per_sm' asks for " << blocksPerSm << " blocks of "
                              << consumers + 1 << " warpgroups on an SM, which leave a thread too "
                              << "few registers; ask for fewer";
  if (splits.empty())
    return consumer.emitError() << "a block has 1 to " << maxConsumers
                                << " compute warpgroups, not " << consumers;

  if (reducer)
    return allocateThree(kernel, producer, consumer, reducer);
  RegisterPrediction prediction = predictRegisters(consumer);
  if (blocksPerSm > 1 && prediction.least > splits.back().consumer) {
    InFlightDiagnostic diagnostic = prediction.peak.op->emitError()
                                    << "register tiles alive here need "
                                    << prediction.peak.registers << " registers per thread, but of "
                                    << blocksPerSm << " blocks on an SM a thread has "
                                    << splits.back().consumer - leastBesideTiles << " for tiles";
    noteLiveTiles(diagnostic, prediction.peak, /*warpgroups=*/1);
    noteBlocksPerSm(diagnostic, kernel, blocksPerSm);
    return diagnostic;
  }
  if (prediction.least > getMaxRegisters(consumers))
    return refuseTiles(prediction.peak, consumers, getMaxRegisters(consumers) - leastBesideTiles,
                       getMaxTileRegisters(consumers));
  if (failed(verifyWidths(consumer, consumers, blocksPerSm)))
    return failure();
  bool hasProducer = producer && !isJoined(producer);
  kernel.setThreads((consumers + (hasProducer ? 1 : 0)) * warpgroupThreads);
  // Without a producer there is nobody to take registers from, and all threads start with enough.
  if (!hasProducer && consumer.getRegisters())
    return consumer.emitError() << "'registers' has no effect here, for "
                                << (producer ? "a block of one tile has no warpgroup that loads"
                                             : "nothing is loaded by TMA")
                                << " and all warpgroups are alike; leave it out";
  if (!hasProducer && !kernel.getPersistent().value_or(true))
    setResidentBlocks(kernel, consumer, prediction);
  if (!hasProducer)
    return success();
  if (scanner && consumer.getRegisters() && producer.getRegisters() < scannerRegisters)
    return consumer.emitError() << "'registers' gives " << producer.getRegisters()
                                << " to the producer's warpgroup, of which warps compute vectors "
                                << "with " << scannerRegisters << "; leave it out";
  FailureOr<RegisterSplit> split =
      chooseSplit(producer, consumer, prediction, scanner ? scannerRegisters : 0, splits);
  if (failed(split))
    return failure();
  producer.setRegisters(split->producer);
  consumer.setRegisters(split->consumer);
  return success();
}

namespace {
struct AllocateRegisters : tkc::impl::AllocateRegistersBase<AllocateRegisters> {
  void runOnOperation() override {
    if (failed(forEachKernel<KernelOp>(getOperation(), allocateRegisters)))
      signalPassFailure();
  }
};
} // namespace
