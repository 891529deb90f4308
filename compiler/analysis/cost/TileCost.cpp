//===- TileCost.cpp - How many cycles one tile of the grid takes ----------===//
#include "analysis/cost/TileCost.h"

#include "analysis/cost/WorkCounts.h"
#include "dialect/hopper/HopperPartOps.h"
#include "dialect/hopper/HopperTileOps.h"
#include "dialect/tk/TkChoiceOp.h"
#include "mlir/IR/Matchers.h"
#include "target/HopperModel.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// Turns what one warpgroup of a role does in a stretch of code into cycles of the SM.
using Rates = llvm::function_ref<double(const WorkCounts &)>;

static double computeCycles(const WorkCounts &counts, int64_t warpgroups) {
  double mmas = double(counts.operations) / mmaOperationsPerCycle;
  double elements = double(counts.functions) / specialFunctionsPerCycle +
                    double(counts.arithmetic) / elementOperationsPerCycle;
  // Warpgroups ping-pong at the tensor cores and at the rest, but not perfectly.
  double together = warpgroups * std::hypot(mmas, elements);
  // One alone waits for each of its MMAs.
  double alone = mmas + elements + (counts.operations ? mmaLatency : 0);
  double cycles = std::max(together, alone) + (counts.operations ? stretchCycles : 0);
  return cycles + warpgroups * (counts.storedBytes / storedBytesPerCycle +
                                counts.sharedBytes * cyclesPerSharedByte);
}

/// Of two warpgroups that compute a tile each: what has MMAs fills the tensor cores, and the
/// rest runs beside the other one's.
static double computePingPongCycles(const WorkCounts &counts) {
  if (counts.operations)
    return double(counts.operations) / mmaOperationsPerCycle +
           counts.sharedBytes * cyclesPerSharedByte;
  return computeCycles(counts, 1) / 2;
}

static std::optional<int64_t> getConstantTrips(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return std::nullopt;
  int64_t distance = upper.getSExtValue() - lower.getSExtValue();
  return distance > 0 ? llvm::divideCeil(uint64_t(distance), step.getZExtValue()) : 0;
}

/// How often a loop runs where that only orders things.
static constexpr int64_t fewTrips = 8;

/// An order of branches: their cost if each loop runs a few times.
static double weigh(const CodeCycles &code) {
  double sum = code.once;
  for (const LoopCycles &loop : code.loops)
    sum += fewTrips * weigh(loop.iteration);
  return sum;
}

static void scale(CodeCycles &code, double times) {
  code.once *= times;
  for (LoopCycles &loop : code.loops)
    scale(loop.iteration, times);
}

static void append(CodeCycles &code, CodeCycles part) {
  code.once += part.once;
  llvm::move(part.loops, std::back_inserter(code.loops));
}

static CodeCycles price(Block &block, Rates rates);

static void price(Operation *op, CodeCycles &code, Rates rates) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    CodeCycles iteration = price(*loop.getBody(), rates);
    if (std::optional<int64_t> trips = getConstantTrips(loop)) {
      scale(iteration, *trips);
      append(code, std::move(iteration));
    } else if (weigh(iteration) > 0)
      code.loops.push_back({loop, std::move(iteration)});
    return;
  }
  CodeCycles worst;
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      CodeCycles side = price(block, rates);
      if (weigh(side) > weigh(worst))
        worst = std::move(side);
    }
  append(code, std::move(worst));
}

/// The ops of one stretch are priced together, for they overlap.
static CodeCycles price(Block &block, Rates rates) {
  CodeCycles code;
  WorkCounts counts;
  for (Operation &op : block)
    if (op.getNumRegions() == 0 || isa<MapOp>(op))
      countWork(&op, counts);
    else
      price(&op, code, rates);
  code.once += rates(counts);
  return code;
}

/// A role's code for one tile.
static Block &getTileBody(RoleOp role) {
  Block &body = role.getBody().front();
  for (Operation &op : body) {
    if (auto loop = dyn_cast<TileLoopOp>(op))
      return loop.getBody().front();
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && getTileShare(loop))
      return *loop.getBody();
  }
  return body;
}

TileCost tkc::getTileCost(KernelOp kernel) {
  TileCost cost;
  for (auto role : kernel.getBody().front().getOps<RoleOp>()) {
    Block &body = getTileBody(role);
    if (role.getKind() == RoleKind::Producer)
      append(cost.loads, price(body, [](const WorkCounts &counts) {
               return counts.loadedBytes / arrivingBytesPerCycle;
             }));
    else
      append(cost.computes, price(body, [&](const WorkCounts &counts) {
               return role.hasPingPongTiles() ? computePingPongCycles(counts)
                                              : computeCycles(counts, role.getWarpgroups());
             }));
  }
  if (auto efficiency = kernel->getAttrOfType<IntegerAttr>(tk::efficiencyAttrName)) {
    scale(cost.computes, 100.0 / efficiency.getInt());
    scale(cost.loads, 100.0 / efficiency.getInt());
  }
  return cost;
}

int64_t tkc::getLoadedBytes(TensorMapOp map) {
  SmallVector<Operation *> users(map->getUsers());
  int64_t bytes = 0;
  for (size_t i = 0; i < users.size(); ++i) {
    Operation *user = users[i];
    if (isa<PartMapOp>(user)) {
      llvm::append_range(users, user->getUsers());
      continue;
    }
    WorkCounts counts;
    countWork(user, counts);
    for (Operation *loop = user->getParentOp(); loop; loop = loop->getParentOp())
      if (isa<scf::ForOp>(loop))
        counts.loadedBytes *= getConstantTrips(cast<scf::ForOp>(loop)).value_or(fewTrips);
    bytes += counts.loadedBytes;
  }
  return bytes;
}
