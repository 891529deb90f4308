//===- PipelinePlan.cpp - What tk-insert-pipeline will build --------------===//
//
// Shared memory is spent in this order: staging buffers (fixed), one stage for
// loads before the loop (a second one if the loop's ring keeps three), and the
// rest for the loop's ring, whose depth decides how much of the memory latency
// is hidden: 100 to 130 KB in flight do (measured on an H200).
//
//===----------------------------------------------------------------------===//
#include "passes/PipelinePlan.h"

#include "analysis/TileNames.h"
#include "analysis/TripCount.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/SharedLayout.h"
#include "dialect/tk/SourceNames.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Small questions
//===----------------------------------------------------------------------===//

/// Everything of the tk dialect but tensors: tiles and vectors.
static bool isTile(Value value) {
  return isa<tk::TkDialect>(value.getType().getDialect()) && !isa<tk::GlobalType>(value.getType());
}

bool tkc::touchesTiles(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        bool touches = llvm::any_of(inner->getOperands(), isTile) ||
                       llvm::any_of(inner->getResults(), isTile) ||
                       isa<tk::LoadOp, tk::StoreOp, tk::GridOp>(inner);
        return touches ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

std::string tkc::getLoadName(tk::LoadOp load) {
  StringRef name = getSourceName(load.getLoc());
  if (!name.empty())
    return name.str();
  auto kernel = load->getParentOfType<tk::KernelOp>();
  auto argument = dyn_cast<BlockArgument>(load.getSource());
  if (!kernel || !argument)
    return "tile";
  return (kernel.getArgumentName(argument.getArgNumber()) + "_tile").str();
}

static int64_t getBytes(tk::LoadOp load) {
  return cast<tk::TileType>(load.getResult().getType()).getBytes();
}

int64_t LoadGroup::getStageBytes() {
  int64_t bytes = 0;
  for (tk::LoadOp load : loads)
    bytes += getBytes(load);
  return bytes;
}

std::string LoadGroup::getTileNames() {
  std::string names;
  for (auto [index, load] : llvm::enumerate(loads)) {
    if (index > 0)
      names += index + 1 == loads.size() ? " and " : ", ";
    names += getLoadName(load);
  }
  return names;
}

int64_t StagingPlan::getBufferBytes() const {
  return hopper::slabRows * cols * tk::getStorageBits(elementType) / 8;
}

LoadGroup *PipelinePlan::findGroup(tk::LoadOp load) {
  for (LoadGroup &group : groups)
    if (llvm::is_contained(group.loads, load))
      return &group;
  return nullptr;
}

StagingPlan &PipelinePlan::getStaging(tk::StoreOp store) {
  return *llvm::find_if(staging,
                        [&](StagingPlan &plan) { return llvm::is_contained(plan.stores, store); });
}

//===----------------------------------------------------------------------===//
// What can become a pipeline
//===----------------------------------------------------------------------===//

/// The kernel's one grid, directly in its body; tile code nowhere else.
static FailureOr<tk::GridOp> findGrid(tk::KernelOp kernel) {
  tk::GridOp grid;
  for (Operation &op : kernel.getBody().front()) {
    if (auto found = dyn_cast<tk::GridOp>(op)) {
      if (grid) {
        InFlightDiagnostic diagnostic = found.emitError()
                                        << "a kernel has one grid, this is its second";
        diagnostic.attachNote(grid.getLoc())
            << "the first one is here; put the other into a kernel of its own";
        return failure();
      }
      grid = found;
    } else if (!isa<tk::FillOp>(op) && touchesTiles(&op)) {
      return op.emitError() << "'" << op.getName()
                            << "' touches tiles outside the grid; move it into the grid's loop";
    } else if (!isMemoryEffectFree(&op)) {
      return op.emitError() << "'" << op.getName() << "' cannot stand outside the grid";
    }
  }
  if (!grid)
    return kernel.emitError() << "the kernel '" << kernel.getSymName()
                              << "' has no grid; its work goes into a loop "
                              << "over grid(...)";
  return grid;
}

/// A product that later steps can take as it is. tk-verify-layouts has said all this in the user's
/// words.
static LogicalResult verifyProduct(tk::MmaOp mma, int64_t consumers) {
  for (Value operand : {mma.getA(), mma.getB()})
    if (!operand.getDefiningOp<tk::LoadOp>())
      return mma.emitError()
             << "an operand of a product is not a loaded tile: run tk-verify-layouts first";
  if (mma.isATransposed())
    return mma.emitError()
           << "a product with A transposed is not supported: run tk-verify-layouts first";
  int64_t rows = cast<tk::TileType>(mma.getAcc().getType()).getRows();
  if (rows % (consumers * hopper::slabRows))
    return mma.emitError() << "an accumulator of " << rows << " rows does not divide among "
                           << consumers << " compute warpgroups in slabs of " << hopper::slabRows
                           << ": run tk-distribute first";
  return success();
}

static LogicalResult verifyStore(tk::StoreOp store, int64_t consumers) {
  auto tile = cast<tk::TileType>(store.getValue().getType());
  auto global = cast<tk::GlobalType>(store.getDest().getType());
  if (!global.getElementType().isIntOrFloat() ||
      global.getElementType().getIntOrFloatBitWidth() % 8 ||
      !hopper::getStripCols(tile.getCols(), global.getElementType()) ||
      tile.getRows() % (consumers * hopper::slabRows))
    return store.emitError()
           << "a tile of " << tile.getRows() << " x " << tile.getCols() << " "
           << global.getElementType() << " cannot be stored by " << consumers
           << " compute warpgroups: run tk-verify-layouts and tk-distribute first";
  return success();
}

namespace {
/// Walks the grid's body, refuses what has no place in a pipeline, and collects the rest.
class Collector {
public:
  Collector(PipelinePlan &plan) : plan(plan) {}

  LogicalResult collect() {
    for (Operation &op : plan.grid.getBody().front())
      if (failed(collect(&op, /*loop=*/{})))
        return failure();
    plan.groups.clear();
    if (!before.loads.empty())
      plan.groups.push_back(before);
    if (!inLoop.loads.empty())
      plan.groups.push_back(inLoop);
    if (plan.groups.size() == 2)
      plan.groups.front().prefix = getLoadName(before.loads.front()) + "_";
    return success();
  }

private:
  LogicalResult collect(Operation *op, scf::ForOp loop) {
    if (auto load = dyn_cast<tk::LoadOp>(op))
      return collect(load, loop);
    if (auto mma = dyn_cast<tk::MmaOp>(op))
      return verifyProduct(mma, plan.consumers);
    if (auto store = dyn_cast<tk::StoreOp>(op))
      return collect(store);
    if (isa<tk::FillOp>(op))
      return success();
    if (auto inner = dyn_cast<scf::ForOp>(op); inner && touchesTiles(op))
      return collect(inner, loop);
    if (isa<scf::YieldOp>(op) && op->getParentOp() == loop.getOperation())
      return success();
    if (touchesTiles(op))
      return op->emitError() << "'" << op->getName()
                             << "' on tiles is not supported in a pipeline yet";
    if (!isMemoryEffectFree(op))
      return op->emitError() << "'" << op->getName()
                             << "' has effects that the roles of a block cannot share";
    return success();
  }

  LogicalResult collect(tk::LoadOp load, scf::ForOp loop) {
    if (load.getResult().use_empty())
      return success();
    if (!isa<BlockArgument>(load.getSource()))
      return load.emitError() << "the loaded tensor is not an argument of the kernel";
    if (loop) {
      inLoop.loop = loop;
      inLoop.loads.push_back(load);
      return success();
    }
    if (plan.loop) {
      InFlightDiagnostic diagnostic = load.emitError()
                                      << "a load after the pipelined loop is not supported yet";
      diagnostic.attachNote(plan.loop.getLoc()) << "the loop is here; load the tile before it";
      return failure();
    }
    before.loads.push_back(load);
    return success();
  }

  LogicalResult collect(tk::StoreOp store) {
    if (failed(verifyStore(store, plan.consumers)))
      return failure();
    if (!isa<BlockArgument>(store.getDest()))
      return store.emitError() << "the stored tensor is not an argument of the kernel";
    auto tile = cast<tk::TileType>(store.getValue().getType());
    Type element = cast<tk::GlobalType>(store.getDest().getType()).getElementType();
    int64_t cols = hopper::getStripCols(tile.getCols(), element);
    auto *staging = llvm::find_if(plan.staging, [&](StagingPlan &other) {
      return other.cols == cols && other.elementType == element;
    });
    if (staging == plan.staging.end()) {
      StringRef name =
          plan.kernel.getArgumentName(cast<BlockArgument>(store.getDest()).getArgNumber());
      plan.staging.push_back({cols, element, {}, 0, (name + "_staging").str()});
      staging = &plan.staging.back();
    } else if (staging->stores.front().getDest() != store.getDest()) {
      staging->name = "staging";
    }
    staging->stores.push_back(store);
    int64_t slices = tile.getCols() / cols * (tile.getRows() / plan.consumers / hopper::slabRows);
    staging->buffers = std::min<int64_t>(2, staging->buffers + slices);
    return success();
  }

  LogicalResult collect(scf::ForOp loop, scf::ForOp outer) {
    if (!loop->hasAttrOfType<tk::PipelineAttr>(tk::pipelineAttrName))
      return loop.emitError()
             << "a loop with tile code must be a pipeline; write it as a loop over pipeline(...)";
    if (outer || plan.loop) {
      InFlightDiagnostic diagnostic = loop.emitError()
                                      << "a second pipelined loop in one grid is not supported yet";
      diagnostic.attachNote((outer ? outer : plan.loop).getLoc()) << "the first one is here";
      return failure();
    }
    if (!loop.getInductionVar().getType().isInteger(32))
      return loop.emitError() << "the loop counts in " << loop.getInductionVar().getType()
                              << " when it should count in i32";
    for (Value init : loop.getInitArgs())
      if (auto tile = dyn_cast<tk::TileType>(init.getType()))
        if (tile.isShared() || tile.getRows() % (plan.consumers * hopper::slabRows))
          return loop.emitError() << "the loop carries " << tile
                                  << ", which is not a register tile that " << plan.consumers
                                  << " compute warpgroups can share";
    plan.loop = loop;
    for (Operation &op : *loop.getBody())
      if (failed(collect(&op, loop)))
        return failure();
    return success();
  }

  PipelinePlan &plan;
  LoadGroup before, inLoop;
};
} // namespace

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

static int64_t getStagingBytes(PipelinePlan &plan) {
  int64_t bytes = 0;
  for (StagingPlan &staging : plan.staging)
    bytes += plan.consumers * staging.buffers * staging.getBufferBytes();
  return bytes;
}

/// One stage of a group: its tiles and its two mbarriers.
static int64_t getStageCost(LoadGroup &group) {
  return group.getStageBytes() + 2 * hopper::barrierBytes;
}

/// Refuses: `wanted` stages of `group` need more than is left.
static LogicalResult refuse(PipelinePlan &plan, LoadGroup &group, int64_t wanted, int64_t available,
                            bool isHint) {
  Operation *place = group.loop ? group.loop.getOperation() : group.loads.front().getOperation();
  InFlightDiagnostic diagnostic =
      place->emitError() << wanted << (wanted == 1 ? " stage" : " stages") << " of "
                         << getStageCost(group) << " bytes need " << wanted * getStageCost(group)
                         << " bytes of shared memory, but " << std::max<int64_t>(available, 0)
                         << " are left of " << hopper::sharedBudget;
  for (tk::LoadOp load : group.loads)
    diagnostic.attachNote(load.getLoc())
        << "'" << getLoadName(load) << "' takes " << getBytes(load) << " bytes of each stage";
  for (LoadGroup &other : plan.groups)
    if (&other != &group)
      for (tk::LoadOp load : other.loads)
        diagnostic.attachNote(load.getLoc()) << "'" << getLoadName(load) << "' takes "
                                             << other.stages << " x " << getBytes(load) << " bytes";
  for (StagingPlan &staging : plan.staging)
    diagnostic.attachNote(staging.stores.front().getLoc())
        << "the store's staging takes " << plan.consumers << " x " << staging.buffers << " x "
        << staging.getBufferBytes() << " bytes";
  int64_t fitting = std::max<int64_t>(available, 0) / getStageCost(group);
  Diagnostic &fix = diagnostic.attachNote(place->getLoc());
  if (isHint && fitting >= 2)
    fix << "ask for at most " << fitting << " stages, or leave the choice to the compiler";
  else
    fix << "make the tiles smaller";
  return failure();
}

/// Chooses the depth of every ring.
static LogicalResult chooseStages(PipelinePlan &plan, int64_t maxStages) {
  int64_t available = hopper::sharedBudget - getStagingBytes(plan);
  LoadGroup *before = nullptr, *inLoop = nullptr;
  for (LoadGroup &group : plan.groups)
    (group.loop ? inLoop : before) = &group;

  for (LoadGroup &group : plan.groups)
    if (group.getStageBytes() > hopper::maxTransactionBytes)
      return refuse(plan, group, 1, available, /*isHint=*/false);

  if (before) {
    before->stages = 1;
    int64_t withTwo = available - 2 * getStageCost(*before);
    if (withTwo >= (inLoop ? 3 * getStageCost(*inLoop) : 0))
      before->stages = 2;
    if (available < before->stages * getStageCost(*before))
      return refuse(plan, *before, 1, available, /*isHint=*/false);
    available -= before->stages * getStageCost(*before);
  }
  if (!inLoop)
    return success();

  int64_t hint = plan.loop->getAttrOfType<tk::PipelineAttr>(tk::pipelineAttrName).getStages();
  int64_t fitting = available / getStageCost(*inLoop);
  if (hint == 1 || hint < 0)
    return plan.loop.emitError() << "a pipeline has at least 2 stages, this one asks for " << hint;
  if (hint > fitting)
    return refuse(plan, *inLoop, hint, available, /*isHint=*/true);
  if (fitting < 2)
    return refuse(plan, *inLoop, 2, available, /*isHint=*/false);
  inLoop->stages = hint ? hint : std::min(fitting, std::max<int64_t>(maxStages, 2));
  return success();
}

FailureOr<PipelinePlan> tkc::planPipeline(tk::KernelOp kernel, int64_t maxStages) {
  PipelinePlan plan;
  plan.kernel = kernel;
  FailureOr<tk::GridOp> grid = findGrid(kernel);
  if (failed(grid))
    return failure();
  plan.grid = *grid;
  if (!kernel.getConsumers() || *kernel.getConsumers() < 1)
    return kernel.emitError()
           << "the number of compute warpgroups is not known: run tk-distribute first";
  plan.consumers = *kernel.getConsumers();
  if (failed(Collector(plan).collect()) || failed(chooseStages(plan, maxStages)))
    return failure();
  if (plan.loop)
    plan.loopSurelyRuns = TripCount(kernel).isAtLeastOne(plan.loop);
  return plan;
}
