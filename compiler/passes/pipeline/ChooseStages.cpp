//===- ChooseStages.cpp - How deep the rings are --------------------------===//
//
// Shared memory is spent in this order: staging buffers, scratch tiles and what
// warps exchange values through (all fixed); what rings need at least: two stages
// in an innermost loop with loads, be it that over the tiles, one elsewhere; a second stage for
// each load of the others, such as the queries of attention, if that leaves three stages to the
// loops; and the rest for the loops. All rings grow by one stage one after the other, as long
// as one more fits for all of them. The bytes that are left stay free: a ring that is
// deeper than the one beside it only waits for it, and costs 1 % of attention's time
// (measured on an H200: three stages of keys beside two of values).
// The depth decides how much of the memory latency is hidden: 100 to 130 KB in
// flight do (measured on an H200).
//
// Where two stages for each of several rings do not fit, those whose tiles are read within
// their iteration have one, and a second as far as it fits: the others still run ahead, and
// tiles that are read early in an iteration are loaded during the rest of it. Where one for each
// does not fit beside the staging buffers, stores have one of those instead of two: they wait for
// the copy before, but no load does. Where it does not fit even so, these buffers lie over tiles
// that are dead by then (StagingOverTiles.cpp), as they do where rings that reducers read would
// have fewer stages.
//
// A ring of two stages gives them back in the iteration that fills them, where threads wait for
// MMAs in the loop anyway: if the last MMA ran on into the next iteration, no load would be under
// way while the consumers wait for the next tile.
//
// A reducer that loads has rings of four stages where they fit, before stores have two buffers.
//
// A hint is a promise: the rings of a loop that asks for n stages have n.
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/RegisterBudget.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperLimits.h"
#include "passes/pipeline/PipelinePlan.h"

using namespace mlir;
using namespace tkc;

/// One stage of a group: its tiles, elements and two mbarriers.
static int64_t getStageCost(PipelinePlan &plan, LoadGroup &group) {
  int64_t bytes = 2 * hopper::barrierBytes;
  for (Operation *element : group.getElements())
    bytes += getElementShape(element).getBytes();
  for (tk::LoadOp load : group.getLoads())
    bytes += plan.getRingShape(load).getBytes();
  return bytes;
}

static int64_t getStagingBytes(PipelinePlan &plan) {
  int64_t bytes = 0;
  for (StagingPlan &staging : plan.staging)
    if (!staging.over)
      bytes += plan.getOwners(staging) * staging.buffers * plan.getBufferBytes(staging);
  return bytes;
}

static int64_t getScratchBytes(PipelinePlan &plan) {
  int64_t bytes = 0;
  for (tk::AllocOp alloc : plan.scratch)
    bytes += plan.getScratchCopies(alloc) * plan.getRingShape(alloc).getBytes();
  for (HandOver &ring : plan.handOvers)
    bytes += ring.stages * plan.getStageBytes(ring);
  return bytes + plan.crossWarpScratchBytes * plan.getCrossWarpScratchCopies();
}

namespace {
/// Deals out the bytes that are left.
class Budget {
public:
  Budget(PipelinePlan &plan, int64_t maxStages)
      : plan(plan), maxStages(std::max<int64_t>(maxStages, 2)),
        available(hopper::getSharedBudget(plan.blocksPerSm) - getStagingBytes(plan) -
                  getScratchBytes(plan) - (plan.isDynamic ? hopper::tileSchedulerBytes : 0)) {}

  LogicalResult run() {
    for (LoadGroup &group : plan.groups) {
      if (plan.getStageBytes(group) > hopper::maxTransactionBytes)
        return refuse(group, 1, available, /*isHint=*/false);
      if (group.isResident) {
        if (failed(give(group, 1, /*isHint=*/false)))
          return failure();
        continue;
      }
      if (!plan.kernel.getPersistent().value_or(true) && !group.loop) {
        group.isFilledOnce = true;
        layOverHandOver(plan, group);
        if (group.over)
          group.stages = 1;
        else if (failed(give(group, group.loadPoints.size(), /*isHint=*/false)))
          return failure();
        continue;
      }
      if (isDeep(group))
        deep.push_back(&group);
      else
        shallow.push_back(&group);
    }
    if (failed(giveLeast()))
      return failure();
    deepenVectors(2);
    giveSecond();
    giveRest();
    deepenVectors(std::min<int64_t>(maxStages, 4));
    if (plan.reducerLoads)
      deepenForReducer();
    if (plan.reducers > 1)
      roundForReducers();
    for (LoadGroup *group : deep)
      if (group->stages == 2 && waitsInBody(*group))
        releaseInIteration(*group);
    return success();
  }

  bool fits(int64_t blocks, int64_t stages) {
    int64_t needed = 0;
    for (LoadGroup &group : plan.groups) {
      const int64_t least = isDeep(group) && (group.loop || stages > 1)
                                ? std::max(stages, getLeast(group))
                                : int64_t(group.loadPoints.size());
      needed += (group.isResident ? 1 : least) * getCost(group);
    }
    const int64_t taken = hopper::getSharedBudget(plan.blocksPerSm) - available;
    return needed + taken <= hopper::getSharedBudget(blocks);
  }

private:
  int64_t getCost(LoadGroup &group) { return getStageCost(plan, group); }

  /// True for the rings of an innermost loop, which is that over the tiles if no other one loads.
  bool isDeep(LoadGroup &group) {
    if (llvm::none_of(plan.groups, [](LoadGroup &other) { return bool(other.loop); }))
      return true;
    return group.loop && llvm::none_of(plan.groups, [&](LoadGroup &other) {
             return other.loop && group.loop->isProperAncestor(other.loop);
           });
  }

  static int64_t getHint(LoadGroup &group) {
    auto pipeline =
        group.loop ? group.loop->getAttrOfType<tk::PipelineAttr>(tk::pipelineAttrName) : nullptr;
    return pipeline ? pipeline.getStages() : 0;
  }

  int64_t getLeast(LoadGroup &group) {
    return std::max<int64_t>(group.leastStages, isDeep(group) || group.isDelayed() ? 2 : 1);
  }

  /// True if the rings can do with one stage each, and have to.
  bool isTight() {
    int64_t needed = 0;
    for (LoadGroup *group : llvm::concat<LoadGroup *>(shallow, deep)) {
      if (getHint(*group))
        return false;
      needed += getLeast(*group) * getCost(*group);
    }
    bool isLoop = llvm::any_of(deep, [](LoadGroup *group) { return bool(group->loop); });
    return (deep.size() > 1 || !isLoop) && needed > available;
  }

  static bool needsTwo(LoadGroup &group) { return group.leastStages > 1 || group.isDelayed(); }

  /// Takes the second buffers of stores, one after the other, as long as `needed` bytes do not fit.
  void shrinkStaging(int64_t needed) {
    for (StagingPlan &staging : llvm::reverse(plan.staging)) {
      if (needed <= available)
        return;
      available += plan.getOwners(staging) * (staging.buffers - 1) * plan.getBufferBytes(staging);
      staging.buffers = 1;
    }
  }

  /// A ring that was asked to have one stage gives it back in the iteration that fills it.
  LogicalResult verifyHint(LoadGroup &group) {
    int64_t hint = getHint(group);
    if (hint < 0)
      return group.loop.emitError()
             << "a pipeline has at least 1 stage, this one asks for " << hint;
    if (hint != 1)
      return success();
    if (group.leastStages > 1)
      return group.loop.emitError()
             << "this pipeline has at least " << group.leastStages << " stages, because "
             << (plan.reducerLoads ? "the reducer loads an iteration ahead"
                                   : "warpgroups compute tiles in ping-pong")
             << "; it asks for 1";
    releaseInIteration(group);
    return success();
  }

  /// Stages are given back in the iteration that fills them, when its MMAs are over.
  static void releaseInIteration(LoadGroup &group) {
    for (LoadPoint &loadPoint : group.loadPoints)
      if (std::exchange(loadPoint.isDelayed, false))
        loadPoint.release = nullptr;
  }

  /// True if code of threads waits for MMAs in each iteration anyway.
  static bool waitsInBody(LoadGroup &group) {
    return group.isDelayed() && llvm::all_of(group.loadPoints, [](LoadPoint &loadPoint) {
             return !loadPoint.isDelayed || loadPoint.release;
           });
  }

  LogicalResult giveLeast() {
    bool tight = isTight();
    auto getTightest = [&](LoadGroup &group) {
      int64_t hint = getHint(group);
      return hint ? hint : tight && !needsTwo(group) ? 1 : getLeast(group);
    };
    int64_t needed = 0;
    for (LoadGroup *group : llvm::concat<LoadGroup *>(shallow, deep)) {
      if (failed(verifyHint(*group)))
        return failure();
      needed += getTightest(*group) * getCost(*group);
    }
    if (tight)
      shrinkStaging(needed);
    if (needed > available)
      available += layStagingOverTiles(plan, needed - available);
    for (LoadGroup *group : llvm::concat<LoadGroup *>(shallow, deep))
      if (failed(give(*group, getTightest(*group), getHint(*group) > 0)))
        return failure();
    for (LoadGroup *group : deep)
      if (canGrow(group) && group->stages == 1 && getCost(*group) <= available)
        give(*group);
    return success();
  }

  LogicalResult give(LoadGroup &group, int64_t stages, bool isHint) {
    if (stages * getCost(group) > available)
      return refuse(group, stages, available, isHint);
    group.stages = stages;
    available -= stages * getCost(group);
    return success();
  }

  /// A second stage lets the next tile's loads begin while this one's are in use.
  void giveSecond() {
    for (LoadGroup *group : shallow) {
      int64_t third = 0;
      for (LoadGroup *other : deep)
        third += getHint(*other) ? 0 : getCost(*other);
      while (canGrow(group) && group->stages < 2 * int64_t(group->loadPoints.size()) &&
             available - getCost(*group) >= third)
        give(*group);
    }
  }

  void give(LoadGroup &group) {
    ++group.stages;
    available -= getCost(group);
  }

  bool canGrow(LoadGroup *group) const {
    return !getHint(*group) && group->stages < maxStages && !hasStagingOver(*group);
  }

  /// True if stores stage their tiles in the bytes of the group's one stage.
  bool hasStagingOver(LoadGroup &group) const {
    return llvm::any_of(plan.staging, [&](StagingPlan &staging) {
      return llvm::is_contained(group.getLoads(), dyn_cast_or_null<tk::LoadOp>(staging.over));
    });
  }

  void giveRest() {
    while (true) {
      int64_t round = 0;
      for (LoadGroup *group : deep)
        round += canGrow(group) ? getCost(*group) : 0;
      if (round == 0 || round > available)
        return;
      for (LoadGroup *group : deep)
        if (canGrow(group))
          give(*group);
    }
  }

  /// A reducer that loads comes to it once in an iteration, so its rings are deeper than one that a
  /// producer fills has to be. Stores after the loop have one buffer then.
  void deepenForReducer() {
    constexpr int64_t enough = 4;
    shrinkConsumersStaging();
    maxStages = std::min(maxStages, enough);
    giveRest();
    for (HandOver &ring : plan.handOvers) {
      int64_t bytes = plan.getStageBytes(ring);
      for (; ring.stages < enough && bytes <= available; ++ring.stages)
        available -= bytes;
    }
  }

  /// Stores after the loop have one buffer where rings of the loop are short of bytes.
  void shrinkConsumersStaging() {
    for (StagingPlan &staging : plan.staging) {
      if (staging.isReducers)
        continue;
      available += plan.getOwners(staging) * (staging.buffers - 1) * plan.getBufferBytes(staging);
      staging.buffers = 1;
    }
  }

  /// True if reducers give back a stage of `group` after one of `other`.
  static bool isReadLonger(LoadGroup *group, LoadGroup *other) {
    Operation *release = group->loadPoints.front().reducersRelease;
    Operation *otherRelease = other->loadPoints.front().reducersRelease;
    return otherRelease && (!release || otherRelease->isBeforeInBlock(release));
  }

  /// Each warpgroup of a reducer reads the stages of its own iterations. It sees every phase of
  /// those if their number is a multiple of the reducer's warpgroups.
  void roundForReducers() {
    shrinkConsumersStaging();
    SmallVector<LoadGroup *> rounded;
    for (LoadGroup *group : deep)
      if (group->isReadBy(hopper::RoleKind::Reducer)) {
        available += group->stages % plan.reducers * getCost(*group);
        group->stages -= group->stages % plan.reducers;
        rounded.push_back(group);
      }
    // With as many stages as reducers, one is loaded only when it has been given back. So rings
    // that are given back last come first, and all of them before second buffers of stores.
    llvm::stable_sort(rounded, isReadLonger);
    deepenByReducers(rounded);
    llvm::erase_if(rounded, [&](LoadGroup *group) { return group->stages > plan.reducers; });
    if (!rounded.empty()) {
      shrinkStaging(hopper::sharedBudget);
      deepenByReducers(rounded);
    }
    deepenOverHandOvers(rounded);
  }

  /// The same where the staging of stores that come after the loop is all that is in the way.
  void deepenOverHandOvers(ArrayRef<LoadGroup *> groups) {
    for (LoadGroup *group : groups) {
      int64_t wanted = plan.reducers * getCost(*group) - available;
      if (group->stages > plan.reducers || wanted <= 0)
        continue;
      available += layStagingOverHandOvers(plan, wanted);
      deepenByReducers(group);
    }
  }

  /// As many stages more as there are reducers, for each ring for which they fit.
  void deepenByReducers(ArrayRef<LoadGroup *> groups) {
    for (LoadGroup *group : groups)
      if (canGrow(group) && group->stages + plan.reducers <= maxStages &&
          plan.reducers * getCost(*group) <= available)
        for (int64_t more = 0; more < plan.reducers; ++more)
          give(*group);
  }

  /// Rings of vectors are small: the second stage comes before those of loads that could be fewer,
  /// and others where bytes are left.
  void deepenVectors(int64_t most) {
    for (HandOver &ring : plan.handOvers)
      for (int64_t bytes = plan.getStageBytes(ring);
           ring.writer == hopper::RoleKind::Scanner && ring.stages + plan.reducers <= most &&
           plan.reducers * bytes <= available;
           ring.stages += plan.reducers)
        available -= plan.reducers * bytes;
  }

  /// Refuses: `wanted` stages of `group` need more than is left.
  LogicalResult refuse(LoadGroup &group, int64_t wanted, int64_t left, bool isHint) {
    Operation *place =
        group.loop ? group.loop.getOperation() : group.getLoads().front().getOperation();
    InFlightDiagnostic diagnostic = place->emitError()
                                    << wanted << (wanted == 1 ? " stage" : " stages") << " of "
                                    << getCost(group) << " bytes need " << wanted * getCost(group)
                                    << " bytes of shared memory, but " << std::max<int64_t>(left, 0)
                                    << " are left of " << hopper::getSharedBudget(plan.blocksPerSm);
    for (tk::LoadOp load : group.getLoads())
      diagnostic.attachNote(load.getLoc())
          << "'" << getLoadName(load) << "' takes " << getBytes(load) << " bytes of each stage";
    for (LoadGroup &other : plan.groups)
      if (&other != &group && other.stages)
        for (tk::LoadOp load : other.getLoads())
          diagnostic.attachNote(load.getLoc())
              << "'" << getLoadName(load) << "' takes " << other.stages << " x " << getBytes(load)
              << " bytes";
    noteFixed(diagnostic);
    noteBlocksPerSm(diagnostic, plan.kernel, plan.blocksPerSm);
    int64_t fitting = std::max<int64_t>(left, 0) / getCost(group);
    Diagnostic &fix = diagnostic.attachNote(place->getLoc());
    if (isHint && fitting >= 1)
      fix << "ask for at most " << fitting << (fitting == 1 ? " stage" : " stages")
          << ", or leave the choice to the compiler";
    else
      fix << "make the tiles smaller";
    return failure();
  }

  int64_t getBytes(tk::LoadOp load) { return plan.getRingShape(load).getBytes(); }

  void noteFixed(InFlightDiagnostic &diagnostic) {
    for (StagingPlan &staging : plan.staging)
      if (!staging.over)
        diagnostic.attachNote(staging.stores.front().getLoc())
            << "the store's staging takes " << plan.getOwners(staging) << " x " << staging.buffers
            << " x " << plan.getBufferBytes(staging) << " bytes";
    for (tk::AllocOp alloc : plan.scratch)
      diagnostic.attachNote(alloc.getLoc())
          << "this tile takes " << plan.getScratchCopies(alloc) << " x "
          << plan.getRingShape(alloc).getBytes() << " bytes";
    for (HandOver &ring : plan.handOvers)
      for (tk::AllocOp alloc : ring.allocs)
        diagnostic.attachNote(alloc.getLoc())
            << (ring.reader == hopper::RoleKind::Reducer
                    ? "this tile, which the reducer reads, takes "
                    : "this vector, which scanner warps write, takes ")
            << ring.stages << " x " << plan.getRingShape(alloc, ring.copies).getBytes() << " bytes";
  }

  PipelinePlan &plan;
  int64_t maxStages, available;
  SmallVector<LoadGroup *> shallow, deep;
};
} // namespace

bool tkc::fitsShared(PipelinePlan &plan, int64_t blocks, int64_t stages) {
  return Budget(plan, /*maxStages=*/2).fits(blocks, stages);
}

LogicalResult tkc::chooseStages(PipelinePlan &plan, int64_t maxStages) {
  return Budget(plan, maxStages).run();
}
