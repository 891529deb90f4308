//===- PipelineRings.cpp - Loads that land together -----------------------===//
//
// A ring is what one load fills, or one load at several places of a loop that has
// been pipelined (attribute `ring`). A full and an empty mbarrier and two cursors
// cost instructions in every iteration, so loads share them where nothing is
// lost: those that stand together at every place and are first used by the same
// products, such as a and b of a product a b. K and V of attention are not: the
// first product can start before V has landed, and K is free while V is in use. A vector
// that is used only while a tile is in use lands with that.
//
// Tiles of one tensor that are read into registers one after the other, such as
// the parts of a residual behind a product, share one ring too: each is
// given back before the next one is waited for, so that a ring of less than all of
// them leaves shared memory to the loops.
//
// The steps of an unrolled loop around a pipelined one load the same tiles one step after the
// other. Each goes on with the ring of the step before: the cursors run on, so that the producer
// fills stages for the next step while this one's last tiles are in use.
//
//===----------------------------------------------------------------------===//
#include "dialect/tk/SourceNames.h"
#include "passes/PipelinePlan.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tkc;

int64_t LoadGroup::getStageBytes() {
  int64_t bytes = 0;
  for (tk::LoadOp load : getLoads())
    bytes += copies * (isa<tk::TileType>(load.getResult().getType())
                           ? cast<tk::TileType>(load.getResult().getType()).getBytes()
                           : cast<tk::TileVectorType>(load.getResult().getType()).getBytes());
  return bytes;
}

Location LoadGroup::getLoc(LoadSite &site) {
  auto parent = dyn_cast<scf::ForOp>(site.getBlock()->getParentOp());
  if (parent && isAloneInLoop)
    return getUnnamedLoc(parent.getLoc());
  return getUnnamedLoc(site.loads.front().getLoc());
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
// Sites
//===----------------------------------------------------------------------===//

/// Adds what uses a shared value or a part of it.
static void collectUses(Value shared, SmallVectorImpl<Operation *> &uses) {
  for (Operation *user : shared.getUsers())
    if (isa<tk::SliceOp>(user))
      collectUses(user->getResult(0), uses);
    else
      uses.push_back(user);
}

/// Finds where a site's loads are used first and last.
static LogicalResult findUses(LoadSite &site) {
  for (tk::LoadOp load : site.loads) {
    SmallVector<Operation *> uses;
    collectUses(load.getResult(), uses);
    for (Operation *use : uses) {
      if (isa<scf::YieldOp, tk::WriteOp>(use))
        return use->emitError() << "a loaded tile cannot be given on as a shared tile; read it "
                                << "into registers first";
      Operation *here = site.getBlock()->findAncestorOpInBlock(*use);
      site.uses.push_back(here);
      if (!site.firstUse || here->isBeforeInBlock(site.firstUse))
        site.firstUse = here;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// True if nothing but scalar code and loads stands between two operations of a block.
static bool isScalarBetween(Operation *from, Operation *to) {
  for (Operation *op = from->getNextNode(); op; op = op->getNextNode()) {
    if (op == to)
      return true;
    if (!isa<tk::LoadOp>(op) && touchesTiles(op))
      return false;
  }
  return false;
}

/// True if two operations are the same product, or products that are waited for together.
static bool startTogether(Operation *a, Operation *b) {
  if (a == b)
    return true;
  auto first = dyn_cast_or_null<tk::MmaOp>(a), second = dyn_cast_or_null<tk::MmaOp>(b);
  if (!first || !second || findProductWait(first) != findProductWait(second))
    return false;
  if (second->isBeforeInBlock(first))
    std::swap(first, second);
  for (Operation *op = first->getNextNode(); op != second; op = op->getNextNode())
    if (!isa<tk::MmaOp>(op) && touchesTiles(op))
      return false;
  return true;
}

/// True if one of two operations reads a vector, and the other one follows with nothing between
/// them that waits or computes with tiles: the vector may as well land with what the other one
/// uses.
static bool isReadBeside(Operation *a, Operation *b) {
  if (!a || !b || a->getBlock() != b->getBlock())
    return false;
  if (b->isBeforeInBlock(a))
    std::swap(a, b);
  auto readsVector = [](Operation *op) {
    auto read = dyn_cast<tk::ReadOp>(op);
    return read && isa<tk::TileVectorType>(read.getResult().getType());
  };
  if (!readsVector(a) || !isa<tk::MmaOp, tk::ReadOp>(b))
    return false;
  for (Operation *op = a->getNextNode(); op != b; op = op->getNextNode())
    if (touchesTiles(op) && !readsVector(op) && !isa<tk::LoadOp, tk::FillOp>(op))
      return false;
  return true;
}

/// The last of a site's uses.
static Operation *getLastUse(const LoadSite &site) {
  return *llvm::max_element(site.uses,
                            [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
}

/// True for vectors that are used only while the tiles of `site` are: next to those they are no
/// bytes to wait for.
static bool isUsedWithin(const LoadSite &site, const LoadSite &added) {
  return site.firstUse && added.firstUse &&
         llvm::all_of(
             added.loads,
             [](tk::LoadOp load) { return isa<tk::TileVectorType>(load.getResult().getType()); }) &&
         llvm::any_of(
             site.loads,
             [](tk::LoadOp load) { return isa<tk::TileType>(load.getResult().getType()); }) &&
         site.firstUse->isBeforeInBlock(added.firstUse) &&
         getLastUse(added)->isBeforeInBlock(getLastUse(site));
}

/// True if the ring of `other` can share the barriers of `group`: at every place its load stands
/// with the group's.
static bool landTogether(LoadGroup &group, LoadGroup &other) {
  if (group.isResident || group.sites.size() != other.sites.size() || group.copies != other.copies)
    return false;
  for (auto [site, added] : llvm::zip(group.sites, other.sites))
    if (site.getBlock() != added.getBlock() ||
        !isScalarBetween(site.loads.back(), added.loads.front()) ||
        !(startTogether(site.firstUse, added.firstUse) ||
          isReadBeside(site.firstUse, added.firstUse) || isUsedWithin(site, added)))
      return false;
  return true;
}

static void addRing(LoadGroup &group, LoadGroup &other) {
  for (auto [site, added] : llvm::zip(group.sites, other.sites)) {
    llvm::append_range(site.loads, added.loads);
    llvm::append_range(site.uses, added.uses);
    if (added.firstUse->isBeforeInBlock(site.firstUse))
      site.firstUse = added.firstUse;
  }
}

/// The stages of a ring are given back in the order in which they were filled, so a stage is given
/// back before the next one is waited for; only an iteration's last may be kept into the next one.
static LogicalResult verifyOrder(LoadGroup &group) {
  for (unsigned index = 1; index < group.sites.size(); ++index) {
    LoadSite &before = group.sites[index - 1], &site = group.sites[index];
    if (before.getBlock() == site.getBlock() &&
        (!before.release || site.firstUse->isBeforeInBlock(before.release))) {
      InFlightDiagnostic diagnostic =
          site.loads.front().emitError()
          << "this tile is used before the one that its ring held before is given back";
      diagnostic.attachNote(before.loads.front().getLoc()) << "that one is loaded here";
      return failure();
    }
  }
  return success();
}

/// True if `load`, outside of loops, can follow the last load of `group` in its ring: both are read
/// into registers, that one before this one.
static bool sharesRing(LoadGroup &group, tk::LoadOp load, LoadSite &site) {
  LoadSite &last = group.sites.back();
  auto isRead = [](Operation *use) { return isa<tk::ReadOp>(use); };
  tk::LoadOp before = last.loads.front();
  return before.getSource() == load.getSource() && last.getBlock() == load->getBlock() &&
         before.getResult().getType() == load.getResult().getType() && !before.getRing() &&
         !load->getParentOfType<scf::ForOp>() && !load->getParentOfType<tk::EachOp>() &&
         llvm::all_of(last.uses, isRead) && llvm::all_of(site.uses, isRead) &&
         llvm::all_of(last.uses,
                      [&](Operation *use) { return use->isBeforeInBlock(site.firstUse); });
}

static scf::ForOp getInnermostLoop(LoadGroup &group) {
  for (LoadSite &site : llvm::reverse(group.sites))
    if (auto loop = site.loads.front()->getParentOfType<scf::ForOp>())
      return loop;
  return {};
}

/// True if the stages that the site fills are given back before `op`, in the same block or around.
static bool isGivenBackBefore(LoadSite site, Operation *op) {
  Operation *here = op->getBlock()->findAncestorOpInBlock(*site.loads.front());
  if (!here || !here->isBeforeInBlock(op))
    return false;
  if (site.getBlock() != op->getBlock())
    return true; // in a loop, or behind it
  planRelease(site);
  return site.release && (site.release == op || site.release->isBeforeInBlock(op));
}

/// True if the load of `next`, in a loop, is the one of `group` in a later step of an unrolled loop
/// around, and all stages of that have been given back before.
static bool goesOnWith(LoadGroup &group, LoadGroup &next, const PipelinePlan &plan) {
  tk::LoadOp load = group.getLoads().front(), later = next.getLoads().front();
  scf::ForOp loop = getInnermostLoop(group), laterLoop = getInnermostLoop(next);
  if (!loop || !laterLoop || loop == laterLoop || load.getLoc() != later.getLoc() ||
      group.copies != next.copies ||
      plan.getRingShape(load, group.copies) != plan.getRingShape(later, next.copies))
    return false;
  // The block around the steps.
  Block *block = load->getBlock();
  while (block && llvm::any_of(next.sites, [&](LoadSite &site) {
           return !block->findAncestorOpInBlock(*site.loads.front());
         }))
    block = isa<tk::GridOp>(block->getParentOp()) ? nullptr : block->getParentOp()->getBlock();
  if (!block)
    return false;
  Operation *first = nullptr;
  for (LoadSite &site : next.sites) {
    Operation *here = block->findAncestorOpInBlock(
        *(site.getBlock() == block ? site.firstUse : site.loads.front().getOperation()));
    if (!first || here->isBeforeInBlock(first))
      first = here;
  }
  return llvm::all_of(group.sites, [&](LoadSite &site) { return isGivenBackBefore(site, first); });
}

/// A hint about stages is for loads.
static LogicalResult verifyHints(PipelinePlan &plan) {
  WalkResult result = plan.grid.walk([&](scf::ForOp loop) {
    auto pipeline = loop->getAttrOfType<tk::PipelineAttr>(tk::pipelineAttrName);
    bool isIdle = llvm::none_of(plan.groups, [&](LoadGroup &group) {
      return llvm::any_of(group.sites, [&](LoadSite &site) {
        return site.loads.front()->getParentOfType<scf::ForOp>() == loop;
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
  LoadSite site;
  llvm::copy_if(loads, std::back_inserter(site.loads),
                [](tk::LoadOp load) { return load->hasAttr(residentAttrName); });
  if (site.loads.empty())
    return success();
  if (failed(findUses(site)))
    return failure();
  LoadGroup &group = plan.groups.emplace_back();
  group.sites.push_back(site);
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
    LoadSite site;
    site.loads.push_back(load);
    if (failed(findUses(site)))
      return failure();
    auto *earlier = llvm::find_if(
        rings, [&](auto &entry) { return !ring && sharesRing(entry.second, load, site); });
    LoadGroup &group = earlier != rings.end()
                           ? earlier->second
                           : rings[{ring.has_value(), ring ? int64_t(*ring) : int64_t(index)}];
    if (!group.sites.empty() &&
        group.getLoads().front().getResult().getType() != load.getResult().getType())
      return load.emitError() << "the loads of ring " << *ring << " differ in type";
    if (llvm::any_of(load.getIndices(),
                     [&](Value index) { return plan.unitDependent.contains(index); }))
      group.copies = plan.distribution.units;
    group.sites.push_back(site);
  }
  SmallVector<LoadGroup> continued;
  for (auto &[key, ring] : rings) {
    auto *before = llvm::find_if(
        continued, [&, &ring = ring](LoadGroup &group) { return goesOnWith(group, ring, plan); });
    if (before == continued.end())
      continued.push_back(ring);
    else
      llvm::append_range(before->sites, ring.sites);
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
    for (LoadSite &site : group.sites)
      planRelease(site);
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
