//===- PipelineRings.cpp - Loads that land together -----------------------===//
//
// A ring is what one load fills, or one load at several places of a loop that has
// been pipelined (attribute `ring`). A full and an empty mbarrier and two cursors
// cost instructions in every iteration, so loads share them where no time is
// lost (LandTogether.cpp).
//
// Tiles of one tensor that are read into registers one after the other, such as
// the parts of a residual after an MMA, share one ring too: each is
// given back before the next one is waited for, so that a ring of less than all of
// them leaves shared memory to the loops.
//
// The steps of an unrolled loop around a pipelined one load the same tiles one step after the
// other. Each goes on with the ring of the step before: the cursors run on, so that the producer
// fills stages for the next step while this one's last tiles are in use.
//
//===----------------------------------------------------------------------===//
#include "dialect/tk/Reducer.h"
#include "dialect/tk/Scanner.h"
#include "dialect/tk/SourceNames.h"
#include "passes/pipeline/PipelinePlan.h"
#include "passes/tile/LoadParts.h"
#include "llvm/ADT/MapVector.h"
#include <vector>

using namespace mlir;
using namespace tkc;

Location LoadGroup::getLoc(LoadPoint &loadPoint) {
  auto parent = dyn_cast<scf::ForOp>(loadPoint.getBlock()->getParentOp());
  if (parent && isAloneInLoop)
    return getUnnamedLoc(parent.getLoc());
  return getUnnamedLoc(loadPoint.loads.front().getLoc());
}

std::string LoadGroup::getTilesHave(bool withElements) {
  bool isOne = getLoads().size() + (withElements ? getElements().size() : 0) == 1;
  return getTileNames(withElements) + (isResident || isFilledOnce ? "" : " of this stage") +
         (isOne ? " has" : " have");
}

std::string LoadGroup::getTileNames(bool withElements) {
  SmallVector<std::string> names;
  for (tk::LoadOp load : getLoads())
    if (!llvm::is_contained(names, getLoadName(load)))
      names.push_back(getLoadName(load));
  for (Operation *element : withElements ? getElements() : SmallVector<Operation *, 1>())
    names.push_back(getElementName(element));
  std::string list;
  for (const std::string &name : names) {
    if (!list.empty())
      list += name == names.back() ? " and " : ", ";
    list += name;
  }
  return list;
}

//===----------------------------------------------------------------------===//
// Load points
//===----------------------------------------------------------------------===//

void tkc::collectUses(Value shared, SmallVectorImpl<Operation *> &uses) {
  for (Operation *user : shared.getUsers())
    if (isa<tk::SliceOp>(user))
      collectUses(user->getResult(0), uses);
    else
      uses.push_back(user);
}

static hopper::RoleKind getRole(Operation *use) {
  return tk::isReducers(use)   ? hopper::RoleKind::Reducer
         : tk::isScanners(use) ? hopper::RoleKind::Scanner
                               : hopper::RoleKind::Consumer;
}

bool LoadGroup::isReadBy(hopper::RoleKind kind) {
  for (LoadPoint &loadPoint : loadPoints) {
    SmallVector<Operation *> uses;
    for (tk::LoadOp load : loadPoint.loads)
      collectUses(load.getResult(), uses);
    llvm::append_range(uses, loadPoint.elements);
    if (llvm::any_of(uses, [&](Operation *use) { return getRole(use) == kind; }))
      return true;
  }
  return false;
}

/// The first work of the reducer's threads in a block besides MMAs.
static Operation *findFirstWork(Block &block) {
  for (Operation &op : block)
    if (tk::isReducers(&op) && !isa<tk::MmaOp, tk::FillOp>(op) && touchesTiles(&op))
      return &op;
  return nullptr;
}

/// Reducers that compute the outputs do not wait where the consumer does, which may read in another
/// order. They start the MMAs that they can, and wait at once for all that their threads read: a
/// wait further down would divide elementwise code (measured: 1.5 %).
Operation *LoadPoint::getFirstUse(std::optional<hopper::RoleKind> reader) const {
  auto kernel = firstUse->getParentOfType<tk::KernelOp>();
  if (reader != hopper::RoleKind::Reducer || tk::getReducers(kernel) < 2 || !elements.empty())
    return firstUse;
  Operation *first = nullptr;
  for (Operation *use : uses)
    if (tk::holdsReducers(use) && (!first || use->isBeforeInBlock(first)))
      first = use;
  if (!first)
    return firstUse;
  Operation *work = findFirstWork(*first->getBlock());
  return isa<tk::MmaOp>(first) || !work || !work->isBeforeInBlock(first) ? first : work;
}

/// Finds where a load point's loads are used first and last.
static LogicalResult findUses(LoadPoint &loadPoint) {
  for (tk::LoadOp load : loadPoint.loads) {
    SmallVector<Operation *> uses;
    collectUses(load.getResult(), uses);
    for (Operation *use : uses) {
      if (isa<scf::YieldOp, tk::WriteOp>(use))
        return use->emitError() << "a loaded tile cannot be given on as a shared tile; read it "
                                << "into registers first";
      Operation *here = loadPoint.getBlock()->findAncestorOpInBlock(*use);
      loadPoint.uses.push_back(here);
      if (!loadPoint.firstUse || here->isBeforeInBlock(loadPoint.firstUse))
        loadPoint.firstUse = here;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static void addRing(LoadGroup &group, LoadGroup &other) {
  for (auto [loadPoint, added] : llvm::zip(group.loadPoints, other.loadPoints)) {
    llvm::append_range(loadPoint.loads, added.loads);
    llvm::append_range(loadPoint.uses, added.uses);
    if (added.firstUse->isBeforeInBlock(loadPoint.firstUse))
      loadPoint.firstUse = added.firstUse;
  }
}

/// The stages of a ring are given back in the order in which they were filled, so a stage is given
/// back before the next one is waited for; only an iteration's last may be kept into the next one.
static LogicalResult verifyOrder(LoadGroup &group) {
  for (unsigned index = 1; index < group.loadPoints.size(); ++index) {
    LoadPoint &before = group.loadPoints[index - 1], &loadPoint = group.loadPoints[index];
    if (before.getBlock() == loadPoint.getBlock() &&
        (!before.release || loadPoint.firstUse->isBeforeInBlock(before.release))) {
      InFlightDiagnostic diagnostic =
          loadPoint.loads.front().emitError()
          << "this tile is used before the one that its ring held before is given back";
      diagnostic.attachNote(before.loads.front().getLoc()) << "that one is loaded here";
      return failure();
    }
  }
  return success();
}

/// True if `load`, outside of loops, can follow the last load of `group` in its ring: both are read
/// into registers, that one before this one.
static bool sharesRing(LoadGroup &group, tk::LoadOp load, LoadPoint &loadPoint) {
  LoadPoint &last = group.loadPoints.back();
  auto isRead = [](Operation *use) { return isa<tk::ReadOp>(use); };
  tk::LoadOp before = last.loads.front();
  return before.getSource() == load.getSource() && last.getBlock() == load->getBlock() &&
         before.getResult().getType() == load.getResult().getType() && !before.getRing() &&
         !load->getParentOfType<scf::ForOp>() && !load->getParentOfType<tk::EachOp>() &&
         tk::getReducers(load->getParentOfType<tk::KernelOp>()) < 2 && // a block loads them once
         llvm::all_of(last.uses, isRead) && llvm::all_of(loadPoint.uses, isRead) &&
         llvm::all_of(
             last.uses, [&](Operation *use) { return use->isBeforeInBlock(loadPoint.firstUse); });
}

static scf::ForOp getInnermostLoop(LoadGroup &group) {
  for (LoadPoint &loadPoint : llvm::reverse(group.loadPoints))
    if (auto loop = loadPoint.loads.front()->getParentOfType<scf::ForOp>())
      return loop;
  return {};
}

/// True if the stages that the load point fills are given back before `op`, in the same block or
/// around.
static bool isGivenBackBefore(LoadPoint loadPoint, Operation *op) {
  Operation *here = op->getBlock()->findAncestorOpInBlock(*loadPoint.loads.front());
  if (!here || !here->isBeforeInBlock(op))
    return false;
  if (loadPoint.getBlock() != op->getBlock())
    return true; // in a loop, or after it
  planRelease(loadPoint);
  return loadPoint.release && (loadPoint.release == op || loadPoint.release->isBeforeInBlock(op));
}

/// True if the load of `next`, in a loop, is the one of `group` in a later step of an unrolled loop
/// around, and all stages of that have been given back before.
static bool goesOnWith(LoadGroup &group, LoadGroup &next, const PipelinePlan &plan) {
  tk::LoadOp load = group.getLoads().front(), later = next.getLoads().front();
  scf::ForOp loop = getInnermostLoop(group), laterLoop = getInnermostLoop(next);
  if (!loop || !laterLoop || loop == laterLoop || load.getLoc() != later.getLoc() ||
      plan.getRingShape(load) != plan.getRingShape(later))
    return false;
  // The block around the steps.
  Block *block = load->getBlock();
  while (block && llvm::any_of(next.loadPoints, [&](LoadPoint &loadPoint) {
           return !block->findAncestorOpInBlock(*loadPoint.loads.front());
         }))
    block = isa<tk::GridOp>(block->getParentOp()) ? nullptr : block->getParentOp()->getBlock();
  if (!block)
    return false;
  Operation *first = nullptr;
  for (LoadPoint &loadPoint : next.loadPoints) {
    Operation *here = block->findAncestorOpInBlock(*(loadPoint.getBlock() == block
                                                         ? loadPoint.firstUse
                                                         : loadPoint.loads.front().getOperation()));
    if (!first || here->isBeforeInBlock(first))
      first = here;
  }
  return llvm::all_of(group.loadPoints,
                      [&](LoadPoint &loadPoint) { return isGivenBackBefore(loadPoint, first); });
}

/// A hint about stages is for loads.
static LogicalResult verifyHints(PipelinePlan &plan) {
  WalkResult result = plan.grid.walk([&](scf::ForOp loop) {
    auto pipeline = loop->getAttrOfType<tk::PipelineAttr>(tk::pipelineAttrName);
    bool isIdle = llvm::none_of(plan.groups, [&](LoadGroup &group) {
      return llvm::any_of(group.loadPoints, [&](LoadPoint &loadPoint) {
        return loadPoint.loads.front()->getParentOfType<scf::ForOp>() == loop;
      });
    });
    if (!pipeline || pipeline.getStages() == 0 || !isIdle)
      return WalkResult::advance();
    loop.emitError() << "this loop asks for " << pipeline.getStages()
                     << " stages, but it loads nothing; leave the hint out";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The loads that are done once, if there are any.
static LogicalResult formResidentGroup(PipelinePlan &plan, ArrayRef<tk::LoadOp> loads) {
  LoadPoint loadPoint;
  llvm::copy_if(loads, std::back_inserter(loadPoint.loads),
                [](tk::LoadOp load) { return load->hasAttr(residentAttrName); });
  if (loadPoint.loads.empty())
    return success();
  if (failed(findUses(loadPoint)))
    return failure();
  LoadGroup &group = plan.groups.emplace_back();
  group.loadPoints.push_back(loadPoint);
  group.isResident = true;
  group.prefix = "resident_";
  return success();
}

LogicalResult tkc::formGroups(PipelinePlan &plan, ArrayRef<tk::LoadOp> loads) {
  if (failed(formResidentGroup(plan, loads)))
    return failure();
  llvm::MapVector<std::pair<int, int64_t>, LoadGroup> rings;
  for (unsigned index = 0; index < loads.size(); ++index) {
    tk::LoadOp load = loads[index];
    if (load->hasAttr(residentAttrName))
      continue;
    std::optional<uint64_t> ring = load.getRing();
    LoadPoint loadPoint;
    loadPoint.loads.push_back(load);
    if (failed(findUses(loadPoint)))
      return failure();
    auto *earlier = llvm::find_if(
        rings, [&](auto &entry) { return !ring && sharesRing(entry.second, load, loadPoint); });
    LoadGroup &group = earlier != rings.end()
                           ? earlier->second
                           : rings[{ring.has_value(), ring ? int64_t(*ring) : int64_t(index)}];
    if (!group.loadPoints.empty() &&
        group.getLoads().front().getResult().getType() != load.getResult().getType())
      return load.emitError() << "the loads of ring " << *ring << " differ in type";
    group.loadPoints.push_back(loadPoint);
  }
  std::vector<LoadGroup> continued;
  for (auto &[key, ring] : rings) {
    auto before = llvm::find_if(
        continued, [&, &ring = ring](LoadGroup &group) { return goesOnWith(group, ring, plan); });
    if (before == continued.end())
      continued.push_back(ring);
    else
      llvm::append_range(before->loadPoints, ring.loadPoints);
  }
  for (LoadGroup &ring : continued) {
    auto partner =
        llvm::find_if(plan.groups, [&](LoadGroup &group) { return landTogether(group, ring); });
    if (partner == plan.groups.end())
      plan.groups.push_back(ring);
    else
      addRing(*partner, ring);
  }
  for (LoadGroup &group : plan.groups) {
    if (group.isResident)
      continue;
    group.loop = getInnermostLoop(group);
    for (LoadPoint &loadPoint : group.loadPoints)
      planRelease(loadPoint);
    if (failed(verifyOrder(group)))
      return failure();
    if (plan.groups.size() > 1)
      group.prefix = getLoadName(group.getLoads().front()) + "_";
    for (LoadGroup &other : plan.groups)
      group.isAloneInLoop &= &other == &group || !other.loop || other.loop != group.loop;
  }
  landElements(plan);
  return verifyHints(plan);
}
