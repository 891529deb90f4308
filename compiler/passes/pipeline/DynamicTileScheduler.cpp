//===- DynamicTileScheduler.cpp - Whether tiles are scheduled dynamically -===//
//
// A persistent block has its share of the grid, which is right where all tiles are
// the same work and costs nothing. Where loops run longer for some tiles than for
// others, as under a causal mask, blocks take tiles from a dynamic tile scheduler instead, in LPT
// order (longest processing time first) (runtime/hopper/tile/scheduler.h). Which ones are longest
// is not always known, as where documents begin is data: then it is guessed
// (analysis/cost/TileWork.h).
//
// Where a hint asks for the scheduler though loops do not differ by the first index, tiles stay in
// the grid's order, the first dimension fastest: neighbours read the same tiles at about the same
// time, all but the first of them from L2. LPT order would take all tiles of one first index before
// those of the next one, and read what they share from memory again (measured: latent attention
// with two tiles of rows for each batch took as long as twice the bytes of its cache do).
//
// Blocks of one tile each need no scheduler: the GPU starts them in the order of their
// numbers, so LPT order is which tile has which number.
//
//===----------------------------------------------------------------------===//
#include "analysis/cost/TileWork.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/HopperOrderOps.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TkPartOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/pipeline/PipelineBuilder.h"
#include "target/HopperModel.h"

using namespace mlir;
using namespace tkc;

/// How many heads of the grid are worked on at the same time: as many as keep what their tiles
/// share in half of the L2 cache. Null if that cannot be told.
static Value countHeadGroup(OpBuilder &builder, Location loc, ArrayRef<Value> shared,
                            IRMapping &values) {
  int64_t rowBytes = 0;
  for (Value tensor : shared) {
    auto type = cast<tk::GlobalType>(tensor.getType());
    int64_t cols = type.getShape().back();
    if (ShapedType::isDynamic(cols) || type.getRank() < 2)
      return {};
    rowBytes += cols * tk::getStorageBits(type.getElementType()) / 8;
  }
  if (rowBytes == 0)
    return {};
  Value tensor = tk::getWholeTensor(shared.front());
  int64_t rank = cast<tk::GlobalType>(tensor.getType()).getRank();
  Value rows = builder.createOrFold<tk::ExtentOp>(loc, builder.getI32Type(), values.lookup(tensor),
                                                  rank - 2);
  auto constant = [&](int64_t value) -> Value {
    return builder.create<arith::ConstantOp>(loc, builder.getI32IntegerAttr(value));
  };
  Value fitting =
      builder.create<arith::DivSIOp>(loc, constant(hopper::headGroupBytes / rowBytes), rows);
  return builder.create<arith::MaxSIOp>(getNamedLoc("head_group", loc), fitting, constant(1));
}

static bool isPersistent(const PipelinePlan &plan) {
  return tk::KernelOp(plan.kernel).getPersistent().value_or(true);
}

/// True if nobody says in which order tiles are worked on, and it matters.
static bool hasLongestTiles(const PipelinePlan &plan) {
  return !tk::KernelOp(plan.kernel).getOrder() && !tk::GridOp(plan.grid).getSwizzle() &&
         getTileWork(plan.grid).trend != Trend::Constant;
}

/// True if blocks of one tile each take the longest tiles first.
static bool isInLptOrder(const PipelinePlan &plan) {
  return !isPersistent(plan) && hasLongestTiles(plan);
}

/// The head group of a dynamic scheduler; one, the grid's own order, where no tile is longer for
/// its first index.
static Value chooseHeadGroup(OpBuilder &builder, Location loc, const PipelinePlan &plan,
                             const TileWork &work, IRMapping &values) {
  if (work.trend == Trend::Constant && tk::GridOp(plan.grid).getIndices().size() > 1)
    return builder.create<arith::ConstantOp>(loc, builder.getI32IntegerAttr(1));
  return countHeadGroup(builder, loc, work.shared, values);
}

void tkc::createTileScheduler(OpBuilder &builder, PipelinePlan &plan, IRMapping &values) {
  TileWork work = getTileWork(plan.grid);
  Location loc = getUnnamedLoc(plan.grid.getLoc());
  if (!plan.isDynamic) {
    if (!isInLptOrder(plan))
      return;
    builder.create<hopper::TileOrderOp>(loc, countHeadGroup(builder, loc, work.shared, values),
                                        work.lastAreLongest);
    return;
  }
  builder.create<hopper::TileSchedulerOp>(
      loc,
      (plan.distribution.consumers + plan.hasReducer()) * hopper::warpgroupWarps +
          plan.scannerWarps,
      chooseHeadGroup(builder, loc, plan, work, values), work.lastAreLongest, IntegerAttr());
}

bool tkc::isDynamic(const PipelinePlan &plan) {
  // A producer takes tiles from the counter, long before the consumers need them.
  if (plan.groups.empty() || !isPersistent(plan) || plan.reducerLoads)
    return false;
  std::optional<StringRef> order = tk::KernelOp(plan.kernel).getOrder();
  return order ? *order == "dynamic" : hasLongestTiles(plan);
}
