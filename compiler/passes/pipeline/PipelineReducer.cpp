//===- PipelineReducer.cpp - Rings between consumers and reducer ----------===//
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
//===----------------------------------------------------------------------===//
#include "dialect/tk/Reducer.h"
#include "dialect/tk/SourceNames.h"
#include "passes/pipeline/PipelineConsumer.h"

using namespace mlir;
using namespace tkc;

bool Consumer::isOthers(Operation *op) const {
  // The scalars of a loop or branch may be needed for the reducer's work.
  auto isScalar = [](Value result) { return !isTile(result.getType()); };
  if (isReducer)
    return !tk::holdsReducers(op) &&
           !(isa<scf::ForOp, scf::IfOp>(op) && llvm::any_of(op->getResults(), isScalar));
  return tk::isReducers(op);
}

bool Consumer::isCarried(Value value) const {
  return !isShared(value.getType()) && !(isReducer && isTile(value.getType()));
}

void Consumer::takeForWriting(HandOver &ring) {
  builder.create<hopper::WaitBarrierOp>(
      getUnnamedLoc(ring.write.getLoc()), buffers.taken.lookup(&ring), handOver.lookup(&ring),
      /*previous=*/true, "the reducer has read the stage's old tile");
}

void Consumer::handOn(HandOver &ring) {
  Location loc = getUnnamedLoc(ring.write.getLoc());
  Value cursor = handOver.lookup(&ring);
  builder.create<hopper::ArriveOp>(loc, buffers.handedOver.lookup(&ring), cursor, /*distance=*/0);
  builder.create<hopper::AdvanceOp>(loc, cursor);
}

void Consumer::takeForReading(tk::MmaOp mma) {
  for (HandOver &ring : plan.handOvers)
    if (ring.reads.front() == mma)
      builder.create<hopper::WaitBarrierOp>(
          getUnnamedLoc(mma.getLoc()), buffers.handedOver.lookup(&ring), handOver.lookup(&ring),
          /*previous=*/false, "the consumers have written this stage of " + ring.name);
}

void Consumer::giveBack(tk::MmaOp mma) {
  for (HandOver &ring : plan.handOvers)
    if (ring.reads.back() == mma) {
      closeGroup();
      Location loc = getUnnamedLoc(mma.getLoc());
      Value cursor = handOver.lookup(&ring);
      builder.create<hopper::ArriveOp>(loc, buffers.taken.lookup(&ring), cursor, /*distance=*/0);
      builder.create<hopper::AdvanceOp>(loc, cursor);
    }
}
