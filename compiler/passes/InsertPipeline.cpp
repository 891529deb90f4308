//===- InsertPipeline.cpp - Sequential tiles become roles -----------------===//
//
// The user's kernel loads a tile, multiplies, loads the next one. Done in this
// order the tensor cores would idle for a memory latency in every iteration. So
// the block is split: a producer warpgroup, of which one thread issues all loads,
// and consumer warpgroups that compute and store. Between them lies a ring of
// shared tiles with two mbarriers per stage: full (the loads have landed) and
// empty (the consumers have read).
//
// Both roles walk the user's program, each doing its part (PipelineProducer.cpp,
// PipelineConsumer.cpp, PipelineStore.cpp); PipelinePlan.cpp decides beforehand
// and refuses what has no such form. Roles that share a warpgroup, with loads
// issued by a consumer thread, were measured 10-25 % slower (NVIDIA's and our own
// kernels), so there is no such mode.
//
//===----------------------------------------------------------------------===//
#include "analysis/ExtentEquality.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "passes/Passes.h"
#include "passes/PipelineBuilder.h"

namespace tkc {
#define GEN_PASS_DEF_INSERTPIPELINE
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;

//===----------------------------------------------------------------------===//
// What both roles use
//===----------------------------------------------------------------------===//

Value RoleBuilder::multiply(Location loc, Value left, int64_t right) {
  loc = getUnnamedLoc(loc);
  return builder.createOrFold<arith::MulIOp>(loc, left, getConstant(loc, right));
}

Value RoleBuilder::add(Location loc, Value left, Value right) {
  if (matchPattern(left, m_Constant()))
    std::swap(left, right);
  return builder.createOrFold<arith::AddIOp>(getUnnamedLoc(loc), left, right);
}

SmallVector<Value> RoleBuilder::getOrigin(Location loc, ValueRange indices, tk::TileType tile) {
  SmallVector<Value> origin;
  for (Value index : indices)
    origin.push_back(values.lookup(index));
  size_t rank = origin.size();
  origin[rank - 2] = multiply(loc, origin[rank - 2], tile.getRows());
  origin[rank - 1] = multiply(loc, origin[rank - 1], tile.getCols());
  return origin;
}

Value RoleBuilder::createCursor(LoadGroup &group, StringRef name) {
  Location loc = plan.grid.getLoc();
  auto type = hopper::CursorType::get(builder.getContext(), group.stages);
  return builder.create<hopper::CursorOp>(loc, type, builder.getStringAttr(group.prefix + name));
}

hopper::TileLoopOp tkc::buildTileLoop(RoleBuilder &role) {
  tk::GridOp grid = role.plan.grid;
  SmallVector<Value> extents;
  for (Value extent : grid.getExtents())
    extents.push_back(role.values.lookup(extent));
  auto loop = role.builder.create<hopper::TileLoopOp>(grid.getLoc(), extents, grid.getSwizzle());
  Block &body = loop.getBody().emplaceBlock();
  for (BlockArgument index : grid.getIndices())
    role.values.map(index, body.addArgument(index.getType(), index.getLoc()));
  role.builder.setInsertionPointToStart(&body);
  return loop;
}

//===----------------------------------------------------------------------===//
// The kernel around the roles
//===----------------------------------------------------------------------===//

/// Scalars that are the same for all tiles leave the grid: both roles then share them.
static void hoistInvariants(PipelinePlan &plan) {
  auto hoist = [&](Region &region, Operation *before) {
    moveLoopInvariantCode(
        {&region},
        [](Value value, Region *from) { return !from->isAncestor(value.getParentRegion()); },
        [](Operation *op, Region *) { return isPure(op) && !touchesTiles(op); },
        [&](Operation *op, Region *) { op->moveBefore(before); });
  };
  if (plan.loop)
    hoist(plan.loop->getRegion(0), plan.loop);
  hoist(plan.grid.getBody(), plan.grid);
}

/// "the consumers" or "the consumer" and what they do.
static std::string getConsumers(PipelinePlan &plan) {
  return plan.consumers == 1 ? "consumer" : "consumers";
}

static void allocate(OpBuilder &builder, PipelinePlan &plan, PipelineBuffers &buffers) {
  for (LoadGroup &group : plan.groups)
    for (tk::LoadOp load : group.loads) {
      auto tile = cast<tk::TileType>(load.getResult().getType());
      auto type = hopper::RingType::get(builder.getContext(), group.stages, tile.getRows(),
                                        tile.getCols(), tile.getElementType());
      buffers.rings[load] = builder.create<hopper::AllocRingOp>(
          load.getLoc(), type, getLoadName(load), StringAttr(), IntegerAttr(), IntegerAttr());
    }
  for (StagingPlan &staging : plan.staging) {
    auto type = hopper::RingType::get(builder.getContext(), plan.consumers * staging.buffers,
                                      hopper::slabRows, staging.cols, staging.elementType);
    std::string what = std::to_string(plan.consumers) + " " + getConsumers(plan) + " x " +
                       std::to_string(staging.buffers) +
                       (staging.buffers == 1 ? " buffer" : " buffers");
    buffers.staging[&staging] = builder.create<hopper::AllocRingOp>(
        getUnnamedLoc(staging.stores.front().getLoc()), type, staging.name,
        builder.getStringAttr(what), IntegerAttr(), IntegerAttr());
  }
  for (LoadGroup &group : plan.groups) {
    Location loc = getUnnamedLoc(group.loop ? group.loop.getLoc() : group.loads.front().getLoc());
    auto type = hopper::BarrierType::get(builder.getContext(), group.stages);
    std::string names = group.getTileNames(), verb = group.loads.size() == 1 ? " has" : " have";
    auto create = [&](StringRef name, int64_t arrivals, const Twine &arrives, StringRef waits,
                      StringRef event) {
      return builder.create<hopper::AllocBarrierOp>(
          loc, type, group.prefix + name.str(), arrivals, builder.getStringAttr(arrives),
          builder.getStringAttr(waits),
          builder.getStringAttr(names + " of this stage" + verb + event), IntegerAttr());
    };
    buffers.full[&group] =
        create("full", 1, "producer, and " + Twine(group.getStageBytes()) + " TMA bytes",
               getConsumers(plan), " landed");
    buffers.empty[&group] = create("empty", plan.consumers * hopper::warpgroupWarps,
                                   "one lane of each consumer warp", "producer", " been read");
  }
  for (LoadGroup &group : plan.groups)
    for (Value barrier : {buffers.full.lookup(&group), buffers.empty.lookup(&group)})
      builder.create<hopper::InitBarrierOp>(barrier.getLoc(), barrier);
}

/// Both roles have cloned every scalar; those that one of them does not need go.
static void eraseDeadScalars(Operation *root) {
  root->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

static void build(PipelinePlan &plan, ArrayAttr equalExtents) {
  tk::KernelOp source = plan.kernel;
  OpBuilder builder(source);
  auto kernel = builder.create<hopper::KernelOp>(
      source.getLoc(), source.getSymName(), source.getFunctionType(), source.getParametersAttr(),
      equalExtents, source.getArgAttrsAttr());
  Block &body = kernel.getBody().emplaceBlock();
  IRMapping values;
  for (BlockArgument argument : source.getBody().getArguments())
    values.map(argument, body.addArgument(argument.getType(), argument.getLoc()));
  builder.setInsertionPointToStart(&body);
  for (Operation &op : source.getBody().front())
    if (!touchesTiles(&op))
      builder.clone(op, values);

  PipelineBuffers buffers;
  allocate(builder, plan, buffers);
  Location loc = getUnnamedLoc(plan.grid.getLoc());
  builder.create<hopper::AllowDependentsOp>(loc, "the next kernel may set up while this one runs");
  loc = getUnnamedLoc(source.getLoc()); // a role is the whole kernel, seen from some warpgroups
  if (!plan.groups.empty()) {
    auto role = builder.create<hopper::RoleOp>(loc, hopper::RoleKind::Producer, /*warpgroups=*/1,
                                               /*registers=*/0);
    role.getBody().emplaceBlock();
    buildProducer(builder, plan, buffers, values, role);
  }
  auto role = builder.create<hopper::RoleOp>(loc, hopper::RoleKind::Consumer, plan.consumers,
                                             /*registers=*/0);
  role.getBody().emplaceBlock().addArgument(builder.getI32Type(), getNamedLoc("consumer", loc));
  buildConsumer(builder, plan, buffers, values, role);
  eraseDeadScalars(kernel);
  source.erase();
}

namespace {
struct InsertPipeline : tkc::impl::InsertPipelineBase<InsertPipeline> {
  using InsertPipelineBase::InsertPipelineBase;

  void runOnOperation() override {
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<tk::KernelOp>())) {
      FailureOr<PipelinePlan> plan = planPipeline(kernel, maxStages);
      if (failed(plan))
        return signalPassFailure();
      FailureOr<ArrayAttr> equalExtents = getEqualExtents(kernel);
      if (failed(equalExtents))
        return signalPassFailure();
      hoistInvariants(*plan);
      build(*plan, *equalExtents);
    }
  }
};
} // namespace
