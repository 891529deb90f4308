//===- LaunchPlan.cpp - The launch of a kernel as data --------------------===//
#include "backend/LaunchPlan.h"

#include "analysis/cost/TileCost.h"
#include "dialect/hopper/HopperPartOps.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

/// A tensor map is for parts of the tensor alone, or for all of it.
static bool isForParts(TensorMapOp map) {
  return llvm::any_of(map->getUsers(), [](Operation *user) { return isa<PartMapOp>(user); });
}

LaunchPlan backend::getLaunchPlan(const KernelFacts &facts) {
  using Kind = LaunchParameter::Kind;
  KernelOp kernel = facts.op;
  LaunchPlan plan;
  for (const TensorMapFacts &map : facts.maps) {
    TensorMapOp op = map.op;
    LaunchParameter &parameter =
        plan.parameters.emplace_back(LaunchParameter{Kind::TensorMap, map.name, map.argument});
    llvm::append_range(parameter.box, op.getBox());
    parameter.swizzle = std::max<int64_t>(16, op.getSwizzle());
    parameter.loadedBytes = getLoadedBytes(op);
    parameter.isOutput = op.getOutput();
    parameter.isForParts = isForParts(op);
  }
  for (const GlobalFacts &global : facts.globals) {
    const std::string &name = facts.interface.arguments[global.argument].name;
    plan.parameters.emplace_back(LaunchParameter{Kind::GlobalView, name, global.argument}).type =
        global.type;
  }
  if (facts.scheduler)
    plan.parameters.push_back({Kind::TileCounter, facts.counterName});
  for (const ExtentFacts &extent : facts.extents) {
    plan.parameters.emplace_back(LaunchParameter{Kind::Extent, extent.name, extent.argument}).dim =
        extent.dim;
    for (Value value : extent.values)
      plan.values.bind(value, extent.name);
  }
  for (auto [index, argument] : llvm::enumerate(facts.interface.arguments)) {
    if (argument.tensor)
      continue;
    Value value = kernel.getBody().getArgument(index);
    plan.values.bind(value, argument.name);
    if (value.use_empty())
      plan.unused.push_back(index);
    else
      plan.parameters.push_back({Kind::Scalar, argument.name, unsigned(index)});
  }
  if (TileLoopOp loop = facts.tileLoop)
    llvm::append_range(plan.tiles, loop.getExtents());
  plan.threads = kernel.getThreads();
  plan.sharedBytes = kernel.getSharedBytes();
  plan.isPersistent = isPersistent(kernel);
  plan.blocksPerSm = plan.isPersistent ? getResidentBlocks(kernel) : 1;
  plan.overlaps = !kernel.getPdl() || *kernel.getPdl();
  return plan;
}
