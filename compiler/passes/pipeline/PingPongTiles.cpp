//===- PingPongTiles.cpp - Two consumers, a tile for each -----------------===//
//
// Where two warpgroups share a tile, the tensor cores stand still while both store
// it. With the hint `pingpong_tiles` each computes a whole tile: the first one the first,
// third, ... of the block's tiles, the second one the others, and one multiplies
// while the other stores (CUTLASS calls this a ping-pong kernel).
//
//     consumer 0   | MMAs of tile 0 | stores 0 |      | MMAs of tile 2 | ...
//     consumer 1                        | MMAs of tile 1 | stores 1 |
//
// The producer loads for one tile after another as ever. A consumer passes over the
// stages of the other's tiles. It may do so once the other has waited for all of
// them, for an mbarrier tells a phase only from the one before it. So a consumer
// releases the next one when it has started its last MMA and has waited for the loads that it
// needs after that, for instance a bias, which therefore has room in its ring for
// all of a tile; the other one takes the ping-pong step, and advances its cursors. It need not
// wait ahead where the ring has so many stages that the other consumer does not use
// the stage for the tile after this one.
//
//===----------------------------------------------------------------------===//
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/pipeline/PipelineConsumer.h"

using namespace mlir;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

/// The loop in the grid that a load point stands in; null if it stands in the grid itself.
static scf::ForOp getLoop(LoadPoint &loadPoint) {
  return dyn_cast<scf::ForOp>(loadPoint.getBlock()->getParentOp());
}

/// The operation of the grid in which a consumer waits for a load point.
static Operation *getWait(LoadPoint &loadPoint) {
  scf::ForOp loop = getLoop(loadPoint);
  return loop ? loop.getOperation() : loadPoint.firstUse;
}

/// True if a consumer waits for the load point when its part of the ping-pong is over.
static bool isLate(PipelinePlan &plan, LoadPoint &loadPoint) {
  return plan.pingpongEnd->isBeforeInBlock(getWait(loadPoint));
}

/// The groups that each tile has anew.
static auto getTileGroups(PipelinePlan &plan) {
  return llvm::make_filter_range(plan.groups, [](LoadGroup &group) { return !group.isResident; });
}

/// True if the next phase of the stage that the load point `number` of its group fills is for a
/// tile of the other consumer: every second tile is.
static bool isNextForOther(LoadGroup &group, size_t number) {
  return (number + group.stages) / group.loadPoints.size() % 2 == 1;
}

/// The load points of a group that a consumer must have waited for when it releases the next one,
/// although it uses them later.
static bool isWaitedAhead(PipelinePlan &plan, LoadGroup &group, size_t number) {
  return isLate(plan, group.loadPoints[number]) && isNextForOther(group, number);
}

/// Another warpgroup must be able to tell how many stages a tile takes.
static LogicalResult verifyLoadPoint(PipelinePlan &plan, LoadPoint &loadPoint) {
  tk::LoadOp load = loadPoint.loads.front();
  Operation *around = getWait(loadPoint)->getParentOp();
  if (around != plan.grid) {
    InFlightDiagnostic diagnostic =
        load.emitError()
        << "with 'pingpong_tiles', a tile is loaded in the grid's loop or in a loop that "
        << "stands directly in it";
    diagnostic.attachNote(around->getLoc()) << "this stands between them";
    return failure();
  }
  if (getLoop(loadPoint) && isLate(plan, loadPoint)) {
    InFlightDiagnostic diagnostic = load.emitError()
                                    << "with 'pingpong_tiles', no loop after the last MMA loads";
    diagnostic.attachNote(plan.pingpongEnd->getLoc()) << "the last MMA is in this";
    return failure();
  }
  return success();
}

LogicalResult tkc::planPingPong(PipelinePlan &plan) {
  if (!plan.distribution.hasPingPongTiles)
    return success();
  if (!plan.kernel.getPersistent().value_or(true))
    return plan.kernel.emitError()
           << "with 'pingpong_tiles', a block computes tile after tile, but "
           << "'persistent(false)' gives it one";
  if (!plan.scratch.empty() || plan.crossWarpScratchBytes)
    return plan.kernel.emitError()
           << "with 'pingpong_tiles', warps exchange nothing through shared memory; "
           << "leave the hint out, or keep the tile in registers";
  for (Operation &op : plan.grid.getBody().front())
    if (op.walk([](tk::MmaOp) { return WalkResult::interrupt(); }).wasInterrupted())
      plan.pingpongEnd = &op;
  if (!plan.pingpongEnd)
    return plan.kernel.emitError() << "'pingpong_tiles' is for kernels that multiply";
  for (LoadGroup &group : getTileGroups(plan))
    for (LoadPoint &loadPoint : group.loadPoints)
      if (failed(verifyLoadPoint(plan, loadPoint)))
        return failure();
      else if (isLate(plan, loadPoint))
        group.leastStages = group.loadPoints.size();
  return success();
}

//===----------------------------------------------------------------------===//
// The tile of the other consumer
//===----------------------------------------------------------------------===//

namespace {
/// Walks a tile's stages with cursors, without using them.
struct Walk {
  Consumer &consumer;
  IRMapping values; ///< scalars, as they are here

  OpBuilder &builder() { return consumer.builder; }

  /// A scalar of the grid, computed anew.
  Value compute(Value value) {
    Operation *op = value.getDefiningOp();
    if (values.contains(value) || !op)
      return values.lookup(value);
    SetVector<Value> read(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), read);
    for (Value other : read)
      compute(other);
    builder().clone(*op, values);
    return values.lookup(value);
  }

  /// How many stages the loop takes.
  Value countStages(scf::ForOp loop) {
    Location loc = getUnnamedLoc(loop.getLoc());
    Value count = compute(loop.getUpperBound());
    if (!matchPattern(loop.getLowerBound(), m_Zero()))
      count = builder().create<arith::SubIOp>(loc, count, compute(loop.getLowerBound()));
    if (!matchPattern(loop.getStep(), m_One()))
      count = builder().create<arith::CeilDivSIOp>(loc, count, compute(loop.getStep()));
    if (consumer.plan.sureLoops.contains(loop))
      return count;
    return builder().create<arith::MaxSIOp>(loc, count, consumer.getConstant(loc, 0));
  }

  void pass(LoadPoint &loadPoint, ArrayRef<Value> cursors) {
    Location loc = getUnnamedLoc(loadPoint.loads.front().getLoc());
    scf::ForOp loop = getLoop(loadPoint);
    Value count = loop ? countStages(loop) : Value();
    for (Value cursor : cursors)
      if (cursor)
        builder().create<hopper::AdvanceOp>(loc, cursor, count);
  }
};
} // namespace

/// Waits for everything that is used after the last MMA.
static void waitAhead(Consumer &consumer) {
  Walk walk{consumer, consumer.values};
  for (auto [group, cursor] : consumer.ahead)
    for (auto [number, loadPoint] : llvm::enumerate(group->loadPoints)) {
      if (isWaitedAhead(consumer.plan, *group, number))
        consumer.builder.create<hopper::WaitBarrierOp>(
            getUnnamedLoc(loadPoint.loads.front().getLoc()), consumer.buffers.full.lookup(group),
            cursor,
            /*previous=*/false, "the other consumer passes over this phase");
      walk.pass(loadPoint, cursor);
    }
}

//===----------------------------------------------------------------------===//
// The tile loop
//===----------------------------------------------------------------------===//

void Consumer::releasePingPong(Operation *last) {
  if (!last || last != plan.pingpongEnd)
    return;
  closeGroup();
  waitAhead(*this);
  builder.create<hopper::PingPongReleaseOp>(getUnnamedLoc(last->getLoc()),
                                            hopper::firstPingPongBarrier,
                                            "the other consumer may start its MMAs");
}

void tkc::buildPingPong(Consumer &consumer) {
  OpBuilder &builder = consumer.builder;
  PipelinePlan &plan = consumer.plan;
  Location loc = getUnnamedLoc(plan.grid.getLoc());
  auto type = hopper::CursorType::get(builder.getContext(), plan.distribution.consumers);
  Value pingpong = builder.create<hopper::CursorOp>(loc, type, builder.getStringAttr("pingpong"));
  for (LoadGroup &group : getTileGroups(plan))
    if (llvm::any_of(llvm::seq(group.loadPoints.size()),
                     [&](size_t number) { return isWaitedAhead(plan, group, number); }))
      consumer.ahead[&group] = consumer.createCursor(group, "ahead");
  buildTileLoop(consumer);
  Value number = builder.create<hopper::CursorStageOp>(loc, builder.getI32Type(), pingpong);
  Value isOwn =
      builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, number, consumer.worker);
  auto branch = builder.create<scf::IfOp>(loc, isOwn, /*withElseRegion=*/true);
  builder.create<hopper::AdvanceOp>(loc, pingpong);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(branch.elseYield());
    builder.create<hopper::PingPongAcquireOp>(
        loc, hopper::firstPingPongBarrier, "the other consumer has started all MMAs of this tile");
    Walk walk{consumer, consumer.values};
    for (LoadGroup &group : getTileGroups(plan))
      for (LoadPoint &loadPoint : group.loadPoints)
        walk.pass(loadPoint, {consumer.use.lookup(&group), consumer.release.lookup(&group),
                              consumer.ahead.lookup(&group)});
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenYield());
  consumer.visitBlock(plan.grid.getBody().front());
}
