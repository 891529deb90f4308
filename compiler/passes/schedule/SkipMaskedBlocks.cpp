//===- SkipMaskedBlocks.cpp - Warpgroups skip blocks that a mask empties --===//
//
// The causal mask of a tile of 128 keys hides the first 64 queries from the second warpgroup, and
// of 192 keys the first 128 from the third. Its MMAs multiply zeros there. So the loop is divided:
//
//     const int skipped = min(iterations in which my rows see nothing, n);
//     for j in [0, skipped):  wait for the stages; hand zeros over; give the stages back
//     for j in [skipped, n):  as before
//
// Other roles have one loop of n iterations, and all barriers the same arrivals. A stage is waited
// for before it is given back: a warpgroup that is a round ahead would arrive twice in one phase.
//
// A branch in the loop would be in the way of tk-rotate-loops, where an iteration is divided.
//
//===----------------------------------------------------------------------===//
#include "dialect/hopper/Hopper.h"
#include "dialect/hopper/SkippedBlocks.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Passes.h"
#include "passes/schedule/MaskedBlocks.h"
#include "passes/tile/DeadCode.h"
#include "remarks/Remarks.h"

namespace tkc {
#define GEN_PASS_DEF_SKIPMASKEDBLOCKS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// The number of first iterations in which all masks hide all rows of a warpgroup.
static Value countSkipped(scf::ForOp loop, ArrayRef<BlockMask> masks, Value warpgroup,
                          OpBuilder &builder) {
  Location loc = getUnnamedLoc(loop.getLoc());
  Value skipped = loop.getUpperBound();
  bool isOfWarpgroup = false;
  for (const BlockMask &mask : masks) {
    Value hidden = countHidden(mask, loop, warpgroup, builder, isOfWarpgroup);
    if (!hidden)
      return {};
    skipped = builder.create<arith::MinSIOp>(loc, hidden, skipped);
  }
  // Blocks that are hidden from all warpgroups alike are the program's to leave out.
  return isOfWarpgroup ? skipped : Value();
}

/// Moves what stands before the loop, from `first` on, out of the loops around it: the number is
/// the same in their iterations, and what it is made of needs registers there.
static void moveOut(Operation *first, scf::ForOp loop) {
  for (Operation *op = first, *next; op != loop; op = next) {
    next = op->getNextNode();
    while (auto around = dyn_cast<scf::ForOp>(op->getParentOp())) {
      if (!llvm::all_of(op->getOperands(),
                        [&](Value value) { return around.isDefinedOutsideOfLoop(value); }))
        break;
      op->moveBefore(around);
    }
  }
}

/// for j in [0, skipped): everything of the body but what computes.
static void createSkippingLoop(scf::ForOp loop, Value skipped, OpBuilder &builder) {
  Location loc = loop.getLoc();
  auto skip = builder.create<scf::ForOp>(loc, loop.getLowerBound(), skipped, loop.getStep());
  skip.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  skip->setAttr(skipsBlocksAttrName, builder.getUnitAttr());
  skip->setAttr(becauseAttrName,
                builder.getStringAttr("the mask hides these blocks from this warpgroup's rows, "
                                      "though not from all: it hands zeros over"));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(skip.getBody()->getTerminator());
  IRMapping values;
  values.map(loop.getInductionVar(), skip.getInductionVar());
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto write = dyn_cast<StoreFragmentOp>(op)) {
      auto type = cast<FragmentType>(write.getSource().getType());
      Location where = getNamedLoc("zeros", write.getLoc());
      Value zero = builder.create<arith::ConstantOp>(
          where, builder.getFloatAttr(type.getElementType(), 0.0));
      values.map(write.getSource(), builder.create<FillOp>(where, type, zero).getResult());
      builder.clone(op, values);
      continue;
    }
    bool isScalar =
        op.getNumRegions() == 0 && isPure(&op) &&
        llvm::none_of(op.getResults(), [](Value result) { return isInRegisters(result); });
    if (isa<WaitBarrierOp, ArriveOp, AdvanceOp, StageOp, RowsOp, ColumnsOp>(op) || isScalar)
      builder.clone(op, values);
  }
}

/// The accumulator is zero before the loop, all of whose iterations may be skipped.
static void startAtZero(WgmmaOp mma, scf::ForOp loop) {
  OpBuilder builder(mma);
  mma.getAccumulateMutable().assign(
      builder.create<arith::ConstantIntOp>(getUnnamedLoc(mma.getLoc()), 1, 1));
  OpOperand *init = loop.getTiedLoopInit(cast<BlockArgument>(mma.getAcc()));
  Operation *declared = init->get().getDefiningOp();
  builder.setInsertionPoint(declared);
  auto type = cast<FragmentType>(init->get().getType());
  Value zero = builder.create<arith::ConstantOp>(getUnnamedLoc(declared->getLoc()),
                                                 builder.getFloatAttr(type.getElementType(), 0.0));
  init->set(builder.create<FillOp>(declared->getLoc(), type, zero).getResult());
  declared->erase();
}

static bool skip(scf::ForOp loop, RoleOp role) {
  std::optional<MaskedLoop> masked = matchMaskedLoop(loop);
  if (!masked || getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getStep()) != 1)
    return false;
  OpBuilder builder(loop);
  auto before = builder.create<arith::ConstantIntOp>(loop.getLoc(), 0, 32);
  Value skipped = countSkipped(loop, masked->masks, role.getBody().getArgument(0), builder);
  if (!skipped)
    return false;
  moveOut(before, loop);
  skipped.setLoc(getNamedLoc("skipped", loop.getLoc()));
  reportRemark(loop, masked->masks.front().map->getLoc(), Remark::MaskSkipped);
  createSkippingLoop(loop, skipped, builder);
  for (Operation *mma : masked->starts)
    startAtZero(cast<WgmmaOp>(mma), loop);
  loop.setLowerBound(skipped);
  return true;
}

namespace {
struct SkipMaskedBlocks : tkc::impl::SkipMaskedBlocksBase<SkipMaskedBlocks> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      bool isChanged = false;
      for (auto role : kernel.getBody().front().getOps<RoleOp>()) {
        if (role.getKind() != RoleKind::Consumer || role.getWarpgroups() < 2 ||
            role.getBody().getNumArguments() == 0)
          continue;
        SmallVector<scf::ForOp> loops;
        role.walk([&](scf::ForOp loop) { loops.push_back(loop); });
        for (scf::ForOp loop : loops)
          isChanged |= skip(loop, role);
      }
      if (isChanged)
        eraseUnread(kernel); // scalars of iterations that are not computed
    }
  }
};
} // namespace
