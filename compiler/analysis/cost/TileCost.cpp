//===- TileCost.cpp - How many cycles one tile of the grid takes ----------===//
#include "analysis/cost/TileCost.h"

#include "analysis/cost/CostModel.h"
#include "analysis/cost/RoleWork.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperPartOps.h"
#include "dialect/hopper/HopperTileOps.h"
#include "dialect/hopper/SkippedBlocks.h"
#include "dialect/tk/TkChoiceOp.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// Turns what one warpgroup of a role does in a stretch of code into cycles of the SM.
using Rates = llvm::function_ref<double(const WorkCounts &, bool isRepeated)>;

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

static CodeCycles price(Block &block, bool isRepeated, Rates rates);

/// Skipped iterations are counted as computed ones: most tiles have a warpgroup that skips none.
static void price(scf::ForOp loop, CodeCycles &code, Rates rates) {
  if (loop->hasAttr(skipsBlocksAttrName))
    return;
  CodeCycles iteration = price(*loop.getBody(), /*isRepeated=*/true, rates);
  if (std::optional<int64_t> trips = getConstantTrips(loop)) {
    scale(iteration, *trips);
    append(code, std::move(iteration));
  } else if (weigh(iteration) > 0)
    code.loops.push_back({loop, std::move(iteration)});
}

/// The side that is taken more often, or else the more expensive one; null if neither does
/// anything.
static Block *getLikelySide(scf::IfOp branch, Rates rates) {
  Block *likely = nullptr;
  double most = 0;
  for (Region &region : branch->getRegions()) {
    if (region.empty() || (&region == &branch.getThenRegion() && isRarelyTaken(branch)))
      continue;
    double cycles = weigh(price(region.front(), /*isRepeated=*/false, rates));
    if (cycles > most) {
      most = cycles;
      likely = &region.front();
    }
  }
  return likely;
}

/// The ops outside of loops are priced together, for they overlap: `counts` gathers them.
static void price(Block &block, CodeCycles &code, WorkCounts &counts, Rates rates) {
  for (Operation &op : block) {
    if (op.getNumRegions() == 0 || isa<MapOp>(op)) {
      countWork(&op, counts);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      price(loop, code, rates);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (Block *side = getLikelySide(branch, rates))
        price(*side, code, counts, rates);
    } else {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          price(inner, code, counts, rates);
    }
  }
}

static CodeCycles price(Block &block, bool isRepeated, Rates rates) {
  CodeCycles code;
  WorkCounts counts;
  price(block, code, counts, rates);
  code.once += rates(counts, isRepeated);
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
    if (loadsTiles(role))
      append(cost.loads, price(body, /*isRepeated=*/false, [](const WorkCounts &counts, bool) {
               return getArrivalCycles(counts);
             }));
    if (computesOnTiles(role))
      append(cost.computes,
             price(body, /*isRepeated=*/false, [&](const WorkCounts &counts, bool isRepeated) {
               return role.hasPingPongTiles()
                          ? getPingPongTileCycles(counts)
                          : getStretchCycles(counts, role.getWarpgroups(), isRepeated);
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
