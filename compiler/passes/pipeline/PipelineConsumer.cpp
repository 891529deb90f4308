//===- PipelineConsumer.cpp - The role that computes and stores -----------===//
//
// Each consumer warpgroup owns some rows of every register tile. It waits for a
// stage where its tile is first used and gives it back where PipelineReleases.cpp
// has said; MMAs that are waited for together are closed as one group.
//
// An accumulator that starts at zero need not be filled if its loop surely runs:
// the first MMA of the loop overwrites it. That saves the fill, and ptxas
// the moves of it.
//
//===----------------------------------------------------------------------===//
#include "passes/pipeline/PipelineConsumer.h"

#include "analysis/TileNames.h"
#include "analysis/registers/RegisterBudget.h"
#include "dialect/hopper/HopperElementOps.h"
#include "dialect/tk/MaskBranch.h"
#include "dialect/tk/Reducer.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TkElementOp.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void Consumer::wait(LoadGroup &group, LoadPoint &loadPoint) {
  builder.create<hopper::WaitBarrierOp>(group.getLoc(loadPoint), buffers.full.lookup(&group),
                                        use.lookup(&group), /*previous=*/false,
                                        group.getTilesHave() + " landed");
  for (Operation *element : loadPoint.elements)
    readOrDefer(element, loadPoint);
}

/// The next MMA after `op`, if only what makes nothing in registers stands between, and other
/// such reads.
static tk::MmaOp findNextMma(Operation *op) {
  while ((op = op->getNextNode())) {
    if (auto mma = dyn_cast<tk::MmaOp>(op))
      return isShared(mma.getB().getType()) ? mma : nullptr;
    auto read = dyn_cast<tk::ReadOp>(op);
    bool readsVector = read && isa<tk::TileVectorType>(read.getResult().getType());
    if (touchesTiles(op) && !readsVector && !isa<tk::LoadOp, tk::FillOp>(op))
      return nullptr;
  }
  return nullptr;
}

/// True if a read can wait until the next MMAs have started: these read its stage too, which is
/// given back after them, and whatever uses it follows them.
static bool canDefer(Operation *read, LoadPoint &loadPoint) {
  if (read->getBlock() != loadPoint.getBlock())
    return false;
  tk::MmaOp mma = findNextMma(read);
  return mma && llvm::is_contained(loadPoint.uses, mma) &&
         llvm::all_of(read->getUsers(), [&](Operation *user) {
           Operation *here = loadPoint.getBlock()->findAncestorOpInBlock(*user);
           return here && mma->isBeforeInBlock(here);
         });
}

void Consumer::readOrDefer(Operation *read, LoadPoint &loadPoint) {
  if (!isScanner && canDefer(read, loadPoint))
    deferred.push_back(read);
  else if (auto vector = dyn_cast<tk::ReadOp>(read))
    visit(vector);
  else
    readElement(read);
}

/// A scalar that has landed with tiles.
void Consumer::readElement(Operation *element) {
  Value result = element->getResult(0);
  Value stage = takeElementStage(element, use.lookup(loadPoints.byElement.lookup(element).group));
  auto read = builder.create<hopper::LoadElementOp>(element->getLoc(), result.getType(), stage);
  values.map(result, read.getResult());
}

void Consumer::arrive(Location loc, LoadGroup &group, Value cursor, int64_t distance) {
  builder.create<hopper::ArriveOp>(loc, buffers.empty.lookup(&group), cursor, distance);
  advance(loc, cursor);
}

/// Where the source says that a load point's tiles are used last.
static Location getLastUseLoc(LoadPoint &loadPoint) {
  Operation *last = loadPoint.firstUse;
  for (Operation *use : loadPoint.uses)
    if (last->isBeforeInBlock(use))
      last = use;
  return getUnnamedLoc(last->getLoc());
}

void Consumer::giveBack(LoadGroup &group, LoadPoint &loadPoint) {
  closeGroup();
  Location loc = getLastUseLoc(loadPoint);
  if (group.isFilledOnce) {
    if (group.stages > 1)
      builder.create<hopper::AdvanceOp>(loc, use.lookup(&group));
    return;
  }
  Value later = isLater.lookup(loadPoint.getBlock());
  if (!isDelayed(loadPoint)) {
    Value oldest = release.lookup(&group);
    arrive(loc, group, oldest ? oldest : use.lookup(&group), /*distance=*/0);
    if (oldest)
      builder.create<hopper::AdvanceOp>(loc, use.lookup(&group));
    return;
  }
  auto branch = builder.create<scf::IfOp>(loc, later, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenYield());
  arrive(loc, group, release.lookup(&group), /*distance=*/1);
}

/// After the loop: the stage of the last iteration, if there was one.
void Consumer::giveLastBack(scf::ForOp loop, LoadGroup &group) {
  Location loc = getUnnamedLoc(loop.getLoc());
  if (plan.sureLoops.contains(loop))
    return arrive(loc, group, release.lookup(&group), /*distance=*/0);
  Value hasRun = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt,
                                               values.lookup(loop.getUpperBound()),
                                               values.lookup(loop.getLowerBound()));
  auto branch = builder.create<scf::IfOp>(loc, hasRun, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenYield());
  arrive(loc, group, release.lookup(&group), /*distance=*/0);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

/// True if a tile is filled with zeros.
bool tkc::isZeroFill(Value tile) {
  auto fill = tile.getDefiningOp<tk::FillOp>();
  return fill && (matchPattern(fill.getValue(), m_PosZeroFloat()) ||
                  matchPattern(fill.getValue(), m_Zero()));
}

/// True if the first MMA of the loop may overwrite the initial value of the iteration argument.
static bool isOverwrittenAtOnce(scf::ForOp loop, unsigned argument) {
  Value carried = loop.getRegionIterArg(argument);
  if (!isZeroFill(loop.getInitArgs()[argument]) || !carried.hasOneUse())
    return false;
  auto mma = dyn_cast<tk::MmaOp>(*carried.user_begin());
  return mma && isShared(mma.getB().getType()) && mma.getAcc() == carried &&
         mma->getBlock() == loop.getBody();
}

void Consumer::visit(scf::ForOp loop) {
  closeGroup();
  if (loads)
    loadFirst(loop);
  SmallVector<Value> inits, overwrittenHere;
  for (auto [index, init] : llvm::enumerate(loop.getInitArgs())) {
    Value carried = loop.getRegionIterArg(index);
    if (!this->isCarried(init))
      continue;
    if (!isTile(init.getType())) {
      inits.push_back(values.lookup(init));
      continue;
    }
    bool isOverwritten = plan.sureLoops.contains(loop) && isOverwrittenAtOnce(loop, index);
    if (isOverwritten)
      overwrittenHere.push_back(carried);
    StringRef name = findTileName(carried);
    if (name.empty())
      name = findTileName(loop.getYieldedValues()[index]);
    inits.push_back(getHeld(init, name, carried.getLoc(), isOverwritten));
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    scf::ForOp copy = createLoop(loop, inits);
    if (isReducer && plan.alternates(loop))
      takeAlternate(copy);
    if (auto pipeline = loop->getAttrOfType<tk::PipelineAttr>(tk::pipelineAttrName)) {
      copy->setAttr(tk::pipelineAttrName, pipeline); // tk-warn-performance speaks of hints
      if (pipeline.getPingpongWarpgroups())
        copy->setAttr(hopper::pingpongWarpgroupsAttrName, pipeline.getPingpongWarpgroups());
    }
    unsigned next = 0;
    for (auto [from, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
      if (!isCarried(from))
        continue;
      copy.getRegionIterArg(next).setLoc(from.getLoc());
      values.map(from, copy.getRegionIterArg(next));
      values.map(result, copy.getResult(next++));
    }
    bool hasDelayed =
        llvm::any_of(loadPoints.byBlock[loop.getBody()], [&](const LoadPointIndex::Entry &entry) {
          return isDelayed(*entry.loadPoint);
        });
    if (hasDelayed || !overwrittenHere.empty()) {
      Value later = builder.create<arith::CmpIOp>(getUnnamedLoc(loop.getLoc()),
                                                  arith::CmpIPredicate::sgt, copy.getInductionVar(),
                                                  values.lookup(loop.getLowerBound()));
      isLater[loop.getBody()] = later;
      for (Value carried : overwrittenHere)
        overwritten[carried] = later;
    }
    visitBlock(*loop.getBody());
    createYield(loop.getBody()->getTerminator(), getUnnamedLoc(loop.getLoc()));
  }
  releasePingPong(loop);
  for (const LoadPointIndex::Entry &entry : loadPoints.byBlock[loop.getBody()])
    if (isDelayed(*entry.loadPoint))
      giveLastBack(loop, *entry.group);
}

void Consumer::visit(scf::IfOp branch) {
  closeGroup();
  auto getCarriedType = [&](Value result) {
    if (!isCarried(result))
      return Type();
    return isTile(result.getType()) ? getHeldType(result) : result.getType();
  };
  scf::IfOp copy = createBranch(branch, getCarriedType, [&](Block &block) {
    visitBlock(block);
    createYield(block.getTerminator(), getUnnamedLoc(branch.getLoc()));
  });
  for (StringRef name : {StringRef(hopper::becauseAttrName), StringRef(masksTileAttrName)})
    if (Attribute attr = branch->getAttr(name))
      copy->setAttr(name, attr);
}

void Consumer::createYield(Operation *terminator, Location loc) {
  SmallVector<Value> yielded;
  for (Value value : terminator->getOperands())
    if (isCarried(value))
      yielded.push_back(isTile(value.getType()) ? getHeld(value) : values.lookup(value));
  // A builder has made the terminator of what gives nothing.
  if (!yielded.empty())
    builder.create<scf::YieldOp>(loc, yielded);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// True if `mma` adds to what `before` makes, by instructions of another shape, which do not queue
/// behind those in flight.
static bool goesOnInOtherShape(tk::MmaOp before, tk::MmaOp mma) {
  return mma.getAcc() == before.getResult() && isShared(mma.getB().getType()) &&
         isShared(before.getB().getType()) &&
         getInstructionWidth(mma) != getInstructionWidth(before);
}

/// True if the MMAs before `op` are a group of their own: it touches tiles, and is no MMA
/// that is waited for with them. An element's load ends one, too: it has a branch, and ptxas wants
/// another fence after a branch between an MMA and its commit (C7519).
bool Consumer::endsGroup(Operation *op) {
  if (isa<tk::ElementOp>(op) && !loadPoints.byElement.contains(op))
    return openGroup != nullptr;
  if (auto mma = dyn_cast<tk::MmaOp>(op))
    return openGroup &&
           (findMmaWait(openGroup) != findMmaWait(mma) || goesOnInOtherShape(openGroup, mma));
  return touchesTiles(op) && !isa<tk::FillOp, tk::LoadOp, tk::AllocOp>(op);
}

void Consumer::visitBlock(Block &block) {
  if (hasParts(block))
    return visitParts(block);
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      break;
    for (auto [group, loadPoint] : loadPoints.byRelease.lookup(&op))
      giveBack(*group, *loadPoint);
    giveBackBefore(&op);
    if (endsGroup(&op) && !isOthers(&op))
      closeGroup();
    for (auto [group, loadPoint] : loadPoints.byFirstUse.lookup(&op))
      if (waitsAfterFirstLoads(*loadPoint, &op))
        awaitedInLoop.push_back({group, loadPoint});
      else
        wait(*group, *loadPoint);
    visit(&op);
    llvm::erase_if(awaitedInLoop,
                   [&](auto &awaited) { return awaited.second->getFirstUse(kind) == &op; });
    if (!isa<scf::ForOp>(op))
      releasePingPong(&op);
  }
  closeGroup();
  for (auto [group, loadPoint] : loadPoints.byBlockEnd.lookup(&block))
    giveBack(*group, *loadPoint);
  for (auto [group, loadPoint] : loadPoints.byBlock.lookup(&block))
    if (isDelayed(*loadPoint))
      builder.create<hopper::AdvanceOp>(getLastUseLoc(*loadPoint), use.lookup(group));
}

void Consumer::visit(Operation *op) {
  bool isLoad = loads && isa<tk::LoadOp>(op);
  if (touchesTiles(op) && isOthers(op) && !isLoad)
    return;
  if (loadPoints.byElement.contains(op))
    return; // read after the wait for the tiles
  if (auto load = dyn_cast<tk::LoadOp>(op); load && loads)
    return loadHere(load);
  if (auto read = dyn_cast<tk::ReadOp>(op); read && isa<tk::TileVectorType>(read.getType()))
    if (auto load = dyn_cast_or_null<tk::LoadOp>(findBuffer(read.getSource())))
      if (auto found = loadPoints.byLoad.find(load);
          found != loadPoints.byLoad.end() && !found->second.group->isResident)
        return readOrDefer(read, *found->second.loadPoint);
  if (!touchesTiles(op)) {
    builder.clone(*op, values);
    return;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case<scf::ForOp, scf::IfOp, tk::MapOp, tk::ReduceOp, tk::SliceOp, tk::ConcatOp,
            tk::SwapLayoutOp, tk::TransposeOp, tk::GatherOp, tk::ScatterOp, tk::ReadOp,
            tk::ReadColumnOp, tk::WriteOp, tk::MmaOp, tk::StoreOp>(
          [&](auto known) { visit(known); })
      .Case([&](tk::EachOp each) {
        values.map(each.getIndex(), worker);
        visitBlock(each.getBody().front());
      })
      .Default([&](Operation *other) {
        if (other->hasTrait<tk::SameOnFragments>())
          visitSameOnFragments(other);
      });
  // Other ops make nothing here: fills are made where they are used, loads are another role's,
  // and buffers are allocated.
}

void tkc::buildConsumer(OpBuilder &builder, PipelinePlan &plan, const PipelineBuffers &buffers,
                        const IRMapping &kernelValues, hopper::RoleOp role) {
  Consumer consumer({builder, plan, buffers, kernelValues}, role.getBody().getArgument(0),
                    role.getKind());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&role.getBody().front());
  // The reducer alone holds whole tiles, and so does a scanner warp its vectors.
  llvm::SaveAndRestore<Distribution> distribution(plan.distribution);
  if (consumer.isReducer || consumer.isScanner) {
    plan.distribution.consumers = 1;
    plan.distribution.isInLanes = consumer.isScanner;
    bool isOne = consumer.isReducer ? plan.reducers == 1 : plan.scannerWarps == 1;
    if (!plan.each && isOne)
      consumer.worker = consumer.getConstant(role.getLoc(), 0);
  }
  for (LoadGroup &group : plan.groups) {
    if (!group.isReadBy(role.getKind()))
      continue;
    consumer.use[&group] = consumer.createCursor(group, "use");
    if (group.isDelayed() && !consumer.isScanner)
      consumer.release[&group] = consumer.createCursor(group, "release");
  }
  for (HandOver &ring : plan.handOvers)
    if (ring.writer == role.getKind() || plan.getLastRead(ring, role.getKind()))
      consumer.handOver[&ring] = builder.create<hopper::CursorOp>(
          plan.grid.getLoc(), hopper::CursorType::get(builder.getContext(), ring.stages),
          builder.getStringAttr(ring.name + (ring.writer != role.getKind() ? "_use" : "_fill")));
  if (consumer.isReducer && plan.reducers > 1)
    consumer.beginAlternate();
  if (consumer.isReducer && plan.reducerLoads) {
    consumer.loads.emplace(RoleBuilder(consumer));
    consumer.loads->begin();
  }
  for (LoadGroup &group : plan.groups)
    if (group.isResident && group.isReadBy(role.getKind()))
      consumer.wait(group, group.loadPoints.front());
  if (plan.distribution.hasPingPongTiles)
    return buildPingPong(consumer);
  buildTileLoop(consumer);
  consumer.visitBlock(plan.grid.getBody().front());
}
