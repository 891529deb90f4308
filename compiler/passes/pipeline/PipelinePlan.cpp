//===- PipelinePlan.cpp - The plan of tk-insert-pipeline ------------------===//
//
// VerifyRoles.cpp has refused what roles cannot do; one walk over the grid's body
// collects what needs a plan: loads, stores, scratch tiles, and exchanges between
// warps.
//
//===----------------------------------------------------------------------===//
#include "passes/pipeline/PipelinePlan.h"

#include "analysis/cost/TileWork.h"

#include "analysis/TileNames.h"
#include "analysis/TripCount.h"
#include "analysis/registers/RoleSplit.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/SharedLayout.h"
#include "dialect/tk/Reducer.h"
#include "dialect/tk/Scanner.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TkPartOp.h"
#include "passes/pipeline/VerifyRoles.h"

using namespace mlir;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Small questions
//===----------------------------------------------------------------------===//

std::string tkc::getLoadName(tk::LoadOp load) {
  StringRef name = getSourceName(load.getLoc());
  if (!name.empty())
    return name.str();
  auto kernel = load->getParentOfType<tk::KernelOp>();
  auto argument = dyn_cast<BlockArgument>(tk::getWholeTensor(load.getSource()));
  if (!kernel || !argument)
    return "tile";
  return (kernel.getArgumentName(argument.getArgNumber()) + "_tile").str();
}

Operation *tkc::findBuffer(Value shared) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(shared)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop)
        return nullptr;
      shared = loop.getInitArgs()[argument.getArgNumber() - 1];
      continue;
    }
    Operation *op = shared.getDefiningOp();
    unsigned number = cast<OpResult>(shared).getResultNumber();
    if (auto write = dyn_cast<tk::WriteOp>(op)) {
      shared = write.getDest();
    } else if (auto slice = dyn_cast<tk::SliceOp>(op)) {
      shared = slice.getSource();
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      shared = loop.getInitArgs()[number];
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      Value yielded = branch.thenYield().getOperand(number);
      if (findBuffer(yielded) != findBuffer(branch.elseYield().getOperand(number)))
        return nullptr;
      shared = yielded;
    } else {
      return op;
    }
  }
}

int64_t RingShape::getBytes() const {
  return hopper::getTileBytes(rows, cols, elementType, withOnes);
}

/// A vector is a row whose bytes are a multiple of 128, where TMA can begin to write.
static int64_t getPaddedLength(tk::TileVectorType vector) {
  return llvm::alignTo(vector.getLength(), 128 * 8 / tk::getStorageBits(vector.getElementType()));
}

static RingShape getShape(Type type, int64_t copies) {
  if (auto vector = dyn_cast<tk::TileVectorType>(type))
    return {1, copies * getPaddedLength(vector), vector.getElementType()};
  auto tile = cast<tk::TileType>(type);
  return {copies * tile.getRows(), tile.getCols(), tile.getElementType()};
}

int64_t PipelinePlan::getCopies(tk::LoadOp load) const {
  bool isForWorkers =
      llvm::any_of(load.getIndices(), [&](Value index) { return workerDependent.contains(index); });
  return isForWorkers ? distribution.workers : 1;
}

RingShape PipelinePlan::getRingShape(tk::LoadOp load) const {
  RingShape shape = getShape(load.getResult().getType(), getCopies(load));
  shape.withOnes = llvm::any_of(load->getUsers(), [](Operation *user) {
    auto mma = dyn_cast<tk::MmaOp>(user);
    return mma && mma.getSums();
  });
  return shape;
}

int64_t tkc::getRingBytes(tk::LoadOp load) {
  return getShape(load.getResult().getType(), /*copies=*/1).getBytes();
}

RingShape PipelinePlan::getRingShape(tk::AllocOp alloc, int64_t copies) const {
  return getShape(alloc.getResult().getType(), copies);
}

int64_t PipelinePlan::getStageBytes(LoadGroup &group) const {
  int64_t bytes = 0;
  for (tk::LoadOp load : group.getLoads()) {
    auto tile = dyn_cast<tk::TileType>(load.getResult().getType());
    bytes +=
        getCopies(load) *
        (tile ? tile.getBytes() : cast<tk::TileVectorType>(load.getResult().getType()).getBytes());
  }
  return bytes;
}

int64_t PipelinePlan::getStageBytes(const HandOver &ring) const {
  int64_t bytes = 2 * hopper::barrierBytes;
  for (tk::AllocOp alloc : ring.allocs)
    bytes += getRingShape(alloc, ring.copies).getBytes();
  return bytes;
}

int64_t PipelinePlan::getReaderWarps(LoadGroup &group) const {
  int64_t warpgroups = (group.isReadBy(hopper::RoleKind::Consumer) ? getReaders() : 0) +
                       (group.isReadBy(hopper::RoleKind::Reducer) ? 1 : 0);
  return warpgroups * hopper::warpgroupWarps +
         (group.isReadBy(hopper::RoleKind::Scanner) ? scannerWarps : 0);
}

int64_t PipelinePlan::getStagingRows() const {
  return distribution.isEachWarp() ? hopper::mBlockRows / hopper::warpgroupWarps
                                   : hopper::mBlockRows;
}

int64_t PipelinePlan::getBufferBytes(const StagingPlan &staging) const {
  return RingShape{getStagingRows(), staging.cols, staging.elementType}.getBytes();
}

static hopper::RoleKind getReader(Operation *read) {
  return tk::isReducers(read) ? hopper::RoleKind::Reducer : hopper::RoleKind::Consumer;
}

Operation *PipelinePlan::getFirstRead(const HandOver &ring, hopper::RoleKind reader) const {
  auto found =
      llvm::find_if(ring.reads, [&](Operation *read) { return getReader(read) == reader; });
  return found == ring.reads.end() ? nullptr : *found;
}

Operation *PipelinePlan::getLastRead(const HandOver &ring, hopper::RoleKind reader) const {
  Operation *last = nullptr;
  for (Operation *read : ring.reads)
    last = getReader(read) == reader ? read : last;
  return last;
}

bool PipelinePlan::isInOrder(Operation *alloc) {
  HandOver *ring = isa_and_nonnull<tk::AllocOp>(alloc) ? findHandOver(alloc) : nullptr;
  if (!ring || ring->writer != hopper::RoleKind::Scanner || reducers == 1 ||
      cast<tk::TileVectorType>(alloc->getResult(0).getType()).getLength() % 64)
    return false;
  return llvm::all_of(ring->reads, [&](Operation *op) {
    auto read = dyn_cast<tk::ReadOp>(op);
    if (!read || findBuffer(read.getSource()) != alloc)
      return true; // of another vector
    auto vector = cast<tk::TileVectorType>(read.getResult().getType());
    return vector.getOrientation() == tk::Orientation::Row &&
           !isa<tk::SliceOp>(read.getSource().getDefiningOp());
  });
}

bool PipelinePlan::alternates(scf::ForOp loop) const {
  return reducers > 1 && tk::holdsReducers(loop);
}

HandOver *PipelinePlan::findHandOver(Operation *alloc) {
  auto found = llvm::find_if(
      handOvers, [&](HandOver &ring) { return llvm::is_contained(ring.allocs, alloc); });
  return found == handOvers.end() ? nullptr : &*found;
}

StagingPlan &PipelinePlan::getStaging(tk::StoreOp store) {
  return *llvm::find_if(staging,
                        [&](StagingPlan &plan) { return llvm::is_contained(plan.stores, store); });
}

//===----------------------------------------------------------------------===//
// Ops that need a plan
//===----------------------------------------------------------------------===//

namespace {
class Collector {
public:
  Collector(PipelinePlan &plan) : plan(plan) {}

  void collect() {
    plan.grid.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto load = dyn_cast<tk::LoadOp>(op))
        collect(load);
      else if (auto store = dyn_cast<tk::StoreOp>(op))
        collect(store);
      else if (auto alloc = dyn_cast<tk::AllocOp>(op))
        collect(alloc);
      else if (auto each = dyn_cast<tk::EachOp>(op))
        plan.each = each;
      else if (auto exchange = dyn_cast<tk::CrossWarp>(op))
        plan.crossWarpScratchBytes = std::max<int64_t>(
            plan.crossWarpScratchBytes, llvm::alignTo(getCrossWarpScratchBytes(exchange), 128));
    });
  }

  SmallVector<tk::LoadOp> loads;

private:
  void collect(tk::AllocOp alloc) {
    if (!addHandOver(alloc))
      plan.scratch.push_back(alloc);
  }

  /// Plans the ring of a tile that the reducer's MMAs read.
  bool addHandOver(tk::AllocOp alloc) {
    HandOver ring;
    ring.allocs.push_back(alloc);
    for (Operation *user : alloc->getUsers())
      if (auto write = dyn_cast<tk::WriteOp>(user)) {
        if (tk::isScanners(write))
          return addScanned(alloc, write);
        for (Operation *reader : write->getUsers())
          if (auto mma = dyn_cast<tk::MmaOp>(reader); mma && tk::isReducers(mma)) {
            ring.writes = {write};
            ring.reads.push_back(mma);
          }
      }
    if (ring.reads.empty())
      return false;
    if (HandOver *known = findState(); known && plan.reducers > 1) {
      known->allocs.push_back(alloc);
      known->writes.push_back(ring.writes.front());
      llvm::append_range(known->reads, ring.reads);
      llvm::sort(known->writes, isBefore);
      llvm::sort(known->reads, isBefore);
      return true;
    }
    llvm::sort(ring.reads, isBefore);
    StringRef name = findTileName(ring.writes.front().getValue());
    if (name.empty())
      name = getSourceName(alloc.getLoc());
    ring.name = name.empty() ? "handed_over" : name.str();
    plan.handOvers.push_back(ring);
    return true;
  }

  static bool isBefore(Operation *a, Operation *b) { return a->isBeforeInBlock(b); }

  /// The ring of what a consumer carries: all tiles of an iteration are one stage.
  HandOver *findState() {
    auto known = llvm::find_if(
        plan.handOvers, [](HandOver &ring) { return ring.writer == hopper::RoleKind::Consumer; });
    return known == plan.handOvers.end() ? nullptr : &*known;
  }

  /// All vectors that the scanner hands over in an iteration are one stage.
  bool addScanned(tk::AllocOp alloc, tk::WriteOp write) {
    plan.scannerWarps = plan.each ? plan.distribution.workers
                                  : std::max(plan.scannerWarps, tk::getScannerWarp(write) + 1);
    auto known = llvm::find_if(
        plan.handOvers, [](HandOver &ring) { return ring.writer == hopper::RoleKind::Scanner; });
    if (known == plan.handOvers.end()) {
      HandOver &ring = plan.handOvers.emplace_back();
      known = std::prev(plan.handOvers.end());
      ring.name = "vectors";
      ring.writer = hopper::RoleKind::Scanner;
      ring.reader = hopper::RoleKind::Consumer;
      ring.copies = plan.each ? plan.scannerWarps : 1;
      ring.stages = plan.reducers; // as many as fit: ChooseStages.cpp
    }
    HandOver &ring = *known;
    ring.allocs.push_back(alloc);
    ring.writes.push_back(write);
    llvm::append_range(ring.reads, write->getUsers());
    llvm::sort(ring.writes, isBefore);
    llvm::sort(ring.reads, isBefore);
    return true;
  }

  void collect(tk::LoadOp load) {
    if (!load.getResult().use_empty())
      loads.push_back(load);
  }

  void collect(tk::StoreOp store) {
    auto tile = dyn_cast<tk::TileType>(store.getValue().getType());
    if (!tile || cast<tk::GlobalType>(store.getDest().getType()).getInFragments())
      return; // threads store these
    Type element = cast<tk::GlobalType>(store.getDest().getType()).getElementType();
    int64_t cols = hopper::getAtomCols(tile.getCols(), element), rows = plan.getStagingRows();
    bool isReducers = tk::isReducers(store);
    int64_t sharers = isReducers ? 1 : plan.distribution.getSharers();
    StagingPlan &staging = getStaging(store, cols, element);
    staging.stores.push_back(store);
    int64_t slices = tile.getCols() / cols * (tile.getRows() / sharers / rows);
    // The reducer does nothing but store, so it has buffers to run ahead.
    staging.buffers = std::min<int64_t>(isReducers ? 4 : 2, staging.buffers + slices);
  }

  /// Stores of swizzle-atom columns of one shape share buffers.
  StagingPlan &getStaging(tk::StoreOp store, int64_t cols, Type element) {
    for (StagingPlan &staging : plan.staging)
      if (staging.cols == cols && staging.elementType == element &&
          staging.isReducers == tk::isReducers(store)) {
        if (staging.stores.front().getDest() != store.getDest())
          staging.name = "staging";
        return staging;
      }
    unsigned argument = cast<BlockArgument>(tk::getWholeTensor(store.getDest())).getArgNumber();
    std::string name = (plan.kernel.getArgumentName(argument) + "_staging").str();
    return plan.staging.emplace_back(
        StagingPlan{cols, element, {}, 0, name, tk::isReducers(store)});
  }

  /// Shared memory that warps exchange values through.
  int64_t getCrossWarpScratchBytes(tk::CrossWarp op) const {
    if (plan.distribution.isEachWarp() || tk::isScanners(op))
      return 0;
    if (auto transpose = dyn_cast<tk::TransposeOp>(op.getOperation()))
      if (auto read = transpose.getSource().getDefiningOp<tk::ReadOp>();
          read && plan.findTranspose(read) == transpose)
        return 0;
    return op.getScratchBytes(hopper::warpgroupWarps * plan.distribution.getSharers());
  }

  PipelinePlan &plan;
};
} // namespace

Operation *PipelinePlan::findTranspose(tk::ReadOp read) const {
  auto tile = dyn_cast<tk::TileType>(read.getResult().getType());
  // A `col` tile is held as its transpose.
  if (!tile || !read->hasOneUse() || tile.getLayout() != tk::Layout::Row ||
      tile.getElementType().getIntOrFloatBitWidth() != 16)
    return nullptr;
  Operation *user = *read->user_begin();
  if (isa<tk::SwapLayoutOp>(user))
    return distribution.isEachWarp() ? user : nullptr;
  auto transpose = dyn_cast<tk::TransposeOp>(user);
  return transpose && cast<tk::TileType>(transpose.getType()).getLayout() == tk::Layout::Row
             ? user
             : nullptr;
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
  plan.distribution = getDistribution(kernel, *kernel.getConsumers());
  plan.reducers = tk::getReducers(kernel);
  if (failed(verifyRoles(plan)))
    return failure();
  Collector collector(plan);
  collector.collect();
  if (failed(planWorkers(plan, collector.loads)) || failed(formGroups(plan, collector.loads)))
    return failure();
  plan.reducerLoads = plan.hasReducer() && doesReducerLoad(kernel, *kernel.getConsumers());
  if (plan.reducerLoads)
    for (LoadGroup &group : plan.groups)
      if (group.loop) // it loads one iteration ahead at least
        group.leastStages = std::max<int64_t>(group.leastStages, group.loadPoints.size() + 1);
  for (LoadGroup &group : plan.groups)
    if (plan.reducers > 1 && group.isReadBy(hopper::RoleKind::Reducer))
      group.leastStages = std::max(group.leastStages, plan.reducers);
  plan.isDynamic = isDynamic(plan);
  plan.readsAgain = llvm::any_of(collector.loads, [&](tk::LoadOp load) {
    return load->getParentOfType<scf::ForOp>() && isReadAgain(load, plan.grid);
  });
  if (failed(planPingPong(plan)))
    return failure();
  if (failed(chooseBlocks(plan)) || failed(chooseStages(plan, maxStages)))
    return failure();
  TripCount ranges(kernel);
  kernel.walk([&](scf::ForOp loop) {
    if (ranges.isAtLeastOne(loop))
      plan.sureLoops.insert(loop);
  });
  return plan;
}
