//===- PipelineReleases.cpp - Where consumers give stages back ------------===//
//
// A stage can be given back once nothing reads it any more. Values that thread code has
// read are in registers when the next statement runs. An MMA reads its operands
// until it is waited for, and a wait only to give the stage
// back would stop the tensor cores. So the stage is given back where some wait
// stands anyway:
//
// - after the wait that thread code needs before it touches what this MMA,
//   or one started later in the same block, computes: MMAs end in order;
// - if no such code follows in a loop's body, in the next iteration: after the
//   first such wait of the body, or, where the whole body only multiplies, at its
//   end, when the next MMA is in flight already (measured: 15 % where one
//   warpgroup works alone). After the loop the last stage is given back.
//
// Where a reducer shares the loop's work, no MMA of the consumers is in flight from one iteration
// to the next, for which they have no registers (RoleSplit.h): they give all back in the iteration.
//
// Attention, overlapped, comes out as: start S of the next block, start O += P V,
// wait for S, give K back, softmax, wait for O, give V back, rescale O.
//
// tk-insert-waits finds every wait before the arrival, or needs one: this
// is about speed, not about correctness.
//
//===----------------------------------------------------------------------===//
#include "dialect/tk/Reducer.h"
#include "dialect/tk/Scanner.h"
#include "passes/pipeline/PipelinePlan.h"

using namespace mlir;
using namespace tkc;

/// Places of a block; null is its end.
static Operation *getEarlier(Operation *a, Operation *b) {
  return !a || (b && b->isBeforeInBlock(a)) ? b : a;
}
static Operation *getLater(Operation *a, Operation *b) {
  return !a || !b ? nullptr : a->isBeforeInBlock(b) ? b : a;
}

/// Where thread code first touches a register tile that MMAs go on with, null if nowhere.
static Operation *findThreadUse(Value tile, Block *block) {
  Operation *first = nullptr;
  for (Operation *user : tile.getUsers()) {
    auto mma = dyn_cast<tk::MmaOp>(user);
    bool goesOn = mma && mma->getBlock() == block && mma.getAcc() == tile;
    first = getEarlier(first, goesOn ? findThreadUse(mma.getResult(), block)
                                     : block->findAncestorOpInBlock(*user));
  }
  return isa_and_nonnull<scf::YieldOp>(first) ? nullptr : first;
}

Operation *tkc::findMmaWait(tk::MmaOp mma) {
  return findThreadUse(mma.getResult(), mma->getBlock());
}

/// The first wait for `mma` or for one that is started after it.
static Operation *findWaitAfter(tk::MmaOp mma) {
  Operation *first = nullptr;
  for (Operation *op = mma; op; op = op->getNextNode())
    if (auto later = dyn_cast<tk::MmaOp>(op); later && !tk::isReducers(later))
      first = getEarlier(first, findMmaWait(later));
  return first;
}

/// The first wait that the next iteration of a loop needs for MMAs of this one, or for its own;
/// null if there is none before its end.
static Operation *findWaitInNextIteration(scf::ForOp loop) {
  Block *body = loop.getBody();
  Operation *first = nullptr;
  for (auto [argument, yielded] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    auto mma = yielded.getDefiningOp<tk::MmaOp>();
    if (mma && mma->getBlock() == body)
      first = getEarlier(first, findThreadUse(argument, body));
  }
  for (auto mma : body->getOps<tk::MmaOp>())
    first = getEarlier(first, findMmaWait(mma));
  return first;
}

/// The reducer gives a stage back where it touches what its last MMA of it has computed, or after
/// the loop or branch in which it reads it. A scanner warp does after its last read.
static Operation *findOthersRelease(LoadPoint &loadPoint, function_ref<bool(Operation *)> holds) {
  Operation *release = loadPoint.firstUse->getNextNode();
  for (Operation *use : loadPoint.uses) {
    if (!holds(use))
      continue;
    auto mma = dyn_cast<tk::MmaOp>(use);
    release = getLater(release, mma ? findMmaWait(mma) : use->getNextNode());
  }
  return isa_and_nonnull<scf::YieldOp>(release) ? nullptr : release;
}

void tkc::planRelease(LoadPoint &loadPoint) {
  loadPoint.reducersRelease = findOthersRelease(loadPoint, tk::holdsReducers);
  loadPoint.scannersRelease = findOthersRelease(loadPoint, tk::holdsScanners);
  Block *block = loadPoint.getBlock();
  bool isInFlight = false; // an MMA reads the stage to the end of the block
  loadPoint.release = loadPoint.firstUse->getNextNode();
  for (Operation *use : loadPoint.uses) {
    if (tk::isReducers(use) || tk::isScanners(use))
      continue;
    auto mma = dyn_cast<tk::MmaOp>(use);
    // Beside reducers that compute the outputs, the consumer gives all back when its MMAs are over:
    // one fence covers what its threads have read of several loads.
    bool isAtEnd = !mma && isa<scf::ForOp>(block->getParentOp()) &&
                   tk::getReducers(use->getParentOfType<tk::KernelOp>()) > 1;
    Operation *place = mma ? findWaitAfter(mma) : isAtEnd ? nullptr : use->getNextNode();
    isInFlight |= mma && !place;
    loadPoint.release = getLater(loadPoint.release, place);
  }
  auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
  loadPoint.isDelayed = loop && isInFlight && !tk::holdsReducers(loop);
  if (loadPoint.isDelayed) {
    Operation *wait = findWaitInNextIteration(loop);
    loadPoint.release = wait ? wait->getNextNode() : nullptr;
  }
  if (isa_and_nonnull<scf::YieldOp>(loadPoint.release))
    loadPoint.release = nullptr;
}
