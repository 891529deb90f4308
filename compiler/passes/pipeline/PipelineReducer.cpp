//===- PipelineReducer.cpp - Rings that one role writes for another -------===//
//
// Scanner warps write vectors into a ring, the consumers read it, and both walk the same program:
// the scanner does only the work that is marked for it, and is as many iterations ahead as the ring
// has stages.
//
// The tiles that the consumers hand over lie in a ring of shared tiles with two mbarriers per
// stage, as loads do, but threads fill it: each consumer waits until the reducer has
// read the stage's old tile, writes its rows, fences, and one lane of each of its warps arrives.
// The reducer waits for all of them, multiplies, and gives the stage back when its last
// MMA of the iteration has read it, before it stores the result. So the consumers
// never meet each other, and the reducer may be an iteration behind.
//
// The reducer walks the same program as the consumers and does only the marked work.
//
// Where registers leave no room for a producer (RoleSplit.h), the reducer's leader loads. Outside
// of the reducer's loop it loads where the program does. In the loop it is some iterations ahead,
// as many as the rings have stages less one: when the consumers have handed iteration j over, they
// have given back the stages of j - 1, so that a load into one of them waits for nobody. It starts
// while the MMA of j runs. For tiles that were loaded before the loop it waits after it has started
// the first loads of the loop, so that these take no time of their own.
//
//===----------------------------------------------------------------------===//
#include "dialect/hopper/BlockShape.h"
#include "dialect/tk/Reducer.h"
#include "dialect/tk/Scanner.h"
#include "dialect/tk/SourceNames.h"
#include "passes/pipeline/PipelineConsumer.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tkc;

bool Consumer::isOthers(Operation *op) const {
  // The scalars of a loop or branch may be needed for the reducer's work.
  auto isScalar = [](Value result) { return !isTile(result.getType()); };
  if (isReducer || isScanner)
    return !(isReducer ? tk::holdsReducers(op) : tk::holdsScanners(op)) &&
           !(isa<scf::ForOp, scf::IfOp>(op) && llvm::any_of(op->getResults(), isScalar));
  return tk::isReducers(op) || tk::isScanners(op);
}

bool Consumer::isCarried(Value value) const {
  if (isShared(value.getType()))
    return false;
  if (!isTile(value.getType()))
    return true;
  // Branches of the scanner give vectors; its loops carry none.
  return isScanner ? tk::isScanners(value.getDefiningOp()) : !isReducer;
}

void Consumer::takeForWriting(HandOver &ring) {
  builder.create<hopper::WaitBarrierOp>(
      getUnnamedLoc(ring.writes.front().getLoc()), buffers.taken.lookup(&ring),
      handOver.lookup(&ring), /*previous=*/true,
      isScanner ? "the consumers have read the stage's old vectors"
                : "the reducer has read the stage's old tile");
}

void Consumer::handOn(HandOver &ring) {
  Location loc = getUnnamedLoc(ring.writes.back().getLoc());
  Value cursor = handOver.lookup(&ring);
  builder.create<hopper::ArriveOp>(loc, buffers.handedOver.lookup(&ring), cursor, /*distance=*/0);
  builder.create<hopper::AdvanceOp>(loc, cursor);
}

void Consumer::takeBack(tk::StoreOp store) {
  for (HandOver &ring : plan.handOvers) {
    auto isOver = [&](StagingPlan &staging) {
      return llvm::is_contained(ring.allocs, dyn_cast_or_null<tk::AllocOp>(staging.over));
    };
    StagingPlan *first = nullptr; // whose stores come first
    for (StagingPlan &staging : plan.staging)
      if (isOver(staging) &&
          (!first || staging.stores.front()->isBeforeInBlock(first->stores.front())))
        first = &staging;
    if (!first || first->stores.front() != store)
      continue;
    Location loc = getUnnamedLoc(store.getLoc());
    Value cursor = handOver.lookup(&ring);
    for (int64_t stage = 0; stage < ring.stages; ++stage) {
      if (stage)
        builder.create<hopper::AdvanceOp>(loc, cursor);
      builder.create<hopper::WaitBarrierOp>(loc, buffers.taken.lookup(&ring), cursor,
                                            /*previous=*/true,
                                            "the reducer has read the last tiles of " + ring.name +
                                                ", over which " + first->name + " lies");
    }
  }
}

/// To the stage that the role reads next: that of its next iteration.
void Consumer::advance(Location loc, Value cursor) {
  Value count = isReducer && plan.reducers > 1 ? getConstant(loc, plan.reducers) : Value();
  builder.create<hopper::AdvanceOp>(loc, cursor, count);
}

void Consumer::takeForReading(Operation *read) {
  for (HandOver &ring : plan.handOvers)
    if (plan.getFirstRead(ring, kind) == read)
      builder.create<hopper::WaitBarrierOp>(
          getUnnamedLoc(read->getLoc()), buffers.handedOver.lookup(&ring), handOver.lookup(&ring),
          /*previous=*/false,
          (ring.writer == hopper::RoleKind::Consumer
               ? "the consumers have written this stage of "
               : "scanner warps have written this stage of ") +
              ring.name);
}

/// Where a reducer that computes other things beside an MMA gives the MMA's tile back: where it
/// touches the result. Null if that is at once.
static Operation *findLateRelease(PipelinePlan &plan, Operation *read) {
  auto mma = dyn_cast_or_null<tk::MmaOp>(read);
  return mma && plan.reducers > 1 ? findMmaWait(mma) : nullptr;
}

void Consumer::giveBack(Operation *read) {
  for (HandOver &ring : plan.handOvers)
    if (plan.getLastRead(ring, kind) == read && !findLateRelease(plan, read))
      giveBackRing(ring, read);
}

void Consumer::giveBackRing(HandOver &ring, Operation *read) {
  closeGroup();
  if (loads && &ring == &plan.handOvers.front())
    loadAhead(cast<scf::ForOp>(read->getParentOp()));
  Location loc = getUnnamedLoc(read->getLoc());
  Value cursor = handOver.lookup(&ring);
  builder.create<hopper::ArriveOp>(loc, buffers.taken.lookup(&ring), cursor, /*distance=*/0);
  advance(loc, cursor);
}

void Consumer::giveBackBefore(Operation *op) {
  if (isReducer)
    for (HandOver &ring : plan.handOvers)
      if (Operation *read = plan.getLastRead(ring, kind); findLateRelease(plan, read) == op)
        giveBackRing(ring, read);
}

//===----------------------------------------------------------------------===//
// Parts of scanner warps
//===----------------------------------------------------------------------===//

bool Consumer::hasParts(Block &block) const {
  return isScanner && !plan.each && plan.scannerWarps > 1 &&
         llvm::any_of(plan.handOvers, [&](const HandOver &ring) {
           return ring.writer == kind && ring.writes.front()->getBlock() == &block;
         });
}

void Consumer::visitParts(Block &block) {
  Location loc = getUnnamedLoc(block.getParentOp()->getLoc());
  for (Operation &op : block.without_terminator())
    if (!touchesTiles(&op) && !loadPoints.byElement.contains(&op))
      visit(&op);
  for (auto [group, loadPoint] : loadPoints.byBlock.lookup(&block))
    wait(*group, *loadPoint);
  for (HandOver &ring : plan.handOvers)
    if (ring.writer == kind)
      takeForWriting(ring);
  {
    OpBuilder::InsertionGuard guard(builder);
    llvm::SaveAndRestore<bool> inPart(isInPart, true);
    for (int64_t warp = 0; warp < plan.scannerWarps; ++warp) {
      Value isOwn = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, worker,
                                                  getConstant(loc, warp));
      bool isLast = warp + 1 == plan.scannerWarps;
      auto branch =
          isLast ? scf::IfOp() : builder.create<scf::IfOp>(loc, isOwn, /*withElseRegion=*/true);
      if (branch)
        builder.setInsertionPoint(branch.thenYield());
      for (Operation &op : block.without_terminator())
        if (touchesTiles(&op) && tk::isScanners(&op) && tk::getScannerWarp(&op) == warp)
          visit(&op);
      if (branch)
        builder.setInsertionPoint(branch.elseYield());
    }
  }
  for (auto [group, loadPoint] : loadPoints.byBlock.lookup(&block))
    giveBack(*group, *loadPoint);
  for (HandOver &ring : plan.handOvers)
    if (ring.writer == kind)
      handOn(ring);
}

//===----------------------------------------------------------------------===//
// Alternate iterations
//===----------------------------------------------------------------------===//

void Consumer::beginAlternate() {
  Location loc = getUnnamedLoc(plan.grid.getLoc());
  for (auto [group, cursor] : use)
    if (group->loop && plan.alternates(group->loop))
      builder.create<hopper::AdvanceOp>(loc, cursor, worker);
  for (auto [ring, cursor] : handOver)
    builder.create<hopper::AdvanceOp>(loc, cursor, worker);
}

void Consumer::takeAlternate(scf::ForOp copy) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(copy);
  Location loc = getUnnamedLoc(copy.getLoc());
  Value step = copy.getStep();
  Value own = builder.createOrFold<arith::MulIOp>(loc, worker, step);
  copy.setLowerBound(add(loc, copy.getLowerBound(), own));
  copy.setStep(builder.createOrFold<arith::MulIOp>(loc, step, getConstant(loc, plan.reducers)));
}

//===----------------------------------------------------------------------===//
// Loads without a producer
//===----------------------------------------------------------------------===//

static Operation *getReducersLoop(PipelinePlan &plan) {
  return plan.handOvers.front().writes.front()->getParentOp();
}

/// A branch that the leader takes, under a condition or always; `builder` stands in it.
static void enterLeader(OpBuilder &builder, Location loc, Value condition, StringRef because) {
  auto branch = builder.create<scf::IfOp>(loc, condition, /*withElseRegion=*/false);
  branch->setAttr(hopper::leaderAttrName, builder.getUnitAttr());
  if (!because.empty())
    branch->setAttr(hopper::becauseAttrName, builder.getStringAttr(because));
  builder.setInsertionPoint(branch.thenYield());
}

static Value getTrue(OpBuilder &builder, Location loc) {
  return builder.create<arith::ConstantIntOp>(loc, 1, 1);
}

void Consumer::loadHere(tk::LoadOp load) {
  if (load->getParentOp() == getReducersLoop(plan))
    return; // loadFirst and loadAhead
  OpBuilder::InsertionGuard guard(builder);
  Block::iterator here = builder.getInsertionPoint();
  auto before = here == builder.getBlock()->begin()
                    ? scf::IfOp()
                    : dyn_cast<scf::IfOp>(*std::prev(here)); // of the load before
  Location loc = getUnnamedLoc(load.getLoc());
  if (before && hopper::isForLeader(before))
    builder.setInsertionPoint(before.thenYield());
  else
    enterLeader(builder, loc, getTrue(builder, loc), "");
  loads->values = values;
  loads->visit(load.getOperation());
}

bool Consumer::waitsAfterFirstLoads(LoadPoint &loadPoint, Operation *op) {
  if (!loads || !loadPoint.elements.empty())
    return false;
  auto loop = dyn_cast<scf::ForOp>(getReducersLoop(plan));
  if (!loop || !op->isAncestor(loop) || !getLead(loop))
    return false;
  SmallVector<Operation *> uses;
  for (tk::LoadOp load : loadPoint.loads)
    collectUses(load.getResult(), uses);
  return llvm::all_of(
      uses, [&](Operation *use) { return !tk::isReducers(use) || loop->isProperAncestor(use); });
}

int64_t Consumer::getLead(scf::ForOp loop) {
  int64_t lead = 0;
  for (LoadGroup &group : plan.groups) {
    bool isLoaded = llvm::any_of(group.loadPoints, [&](LoadPoint &loadPoint) {
      return loadPoint.getBlock() == loop.getBody();
    });
    // Stages that are loaded before the loop are full when it begins.
    int64_t free = group.stages - int64_t(group.loadPoints.size());
    if (isLoaded)
      lead = lead ? std::min(lead, free) : free;
  }
  return lead;
}

void Consumer::loadFirst(scf::ForOp loop) {
  int64_t lead = loop == getReducersLoop(plan) ? getLead(loop) : 0;
  if (!lead)
    return;
  Location loc = getUnnamedLoc(loop.getLoc());
  OpBuilder::InsertPoint here = builder.saveInsertionPoint();
  enterLeader(builder, loc, getTrue(builder, loc), "what the first iterations read");
  Value lower = values.lookup(loop.getLowerBound()), upper = values.lookup(loop.getUpperBound()),
        step = values.lookup(loop.getStep());
  Value distance = builder.createOrFold<arith::MulIOp>(loc, step, getConstant(loc, lead));
  Value end = builder.createOrFold<arith::MinSIOp>(loc, upper, loads->add(loc, lower, distance));
  auto first = builder.create<scf::ForOp>(loc, lower, end, step);
  first.getInductionVar().setLoc(getNamedLoc("ahead", loc));
  loads->values = values;
  loads->values.map(loop.getInductionVar(), first.getInductionVar());
  builder.setInsertionPoint(first.getBody()->getTerminator());
  loads->visitBlock(*loop.getBody());
  builder.restoreInsertionPoint(here);
  for (auto [group, loadPoint] : awaitedInLoop)
    wait(*group, *loadPoint);
}

void Consumer::loadAhead(scf::ForOp loop) {
  int64_t lead = getLead(loop);
  if (!lead)
    return;
  Location loc = getUnnamedLoc(loop.getLoc());
  OpBuilder::InsertionGuard guard(builder);
  Value step = values.lookup(loop.getStep());
  Value distance = builder.createOrFold<arith::MulIOp>(loc, step, getConstant(loc, lead));
  Value ahead = builder.create<arith::AddIOp>(getNamedLoc("ahead", loc),
                                              values.lookup(loop.getInductionVar()), distance);
  Value isInLoop = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, ahead,
                                                 values.lookup(loop.getUpperBound()));
  enterLeader(builder, loc, isInLoop,
              "while the MMA runs, loads of a later iteration, into the stages of the one before: "
              "whoever has handed this one over has given them back");
  loads->values = values;
  loads->values.map(loop.getInductionVar(), ahead);
  loads->visitBlock(*loop.getBody());
}
