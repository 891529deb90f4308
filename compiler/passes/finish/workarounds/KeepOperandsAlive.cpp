//===- KeepOperandsAlive.cpp - Operands that a loop reads again and again -===//
//
// An MMA may read its left operand from registers, and in a loop the same ones
// in every iteration: Q of attention. ptxas up to CUDA 13.0 keeps them until the
// MMA has read them, but not for the next iteration: whatever the loop computes
// after it may be computed in the same registers, without a word, and from the
// second iteration on the MMA multiplies that. Often it is the left operand of
// another MMA:
//
//     for j                                            for j
//       s = Q K_j                                        s = Q K_j
//       o = o + exp(s) V_j                 ->            o = o + exp(s) V_j
//                                                      hold Q
//
// Something that reads them after the loop makes ptxas keep them.
//
// Found with ptxas 12.9 and 13.0; that of 13.1 keeps them.
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/ValueLifetimes.h"
#include "dialect/hopper/Hopper.h"
#include "dialect/tk/SourceNames.h"
#include "passes/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace tkc {
#define GEN_PASS_DEF_KEEPOPERANDSALIVE
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// The fragment whose registers an MMA reads as its left operand, or null.
static Value getLeftFragment(WgmmaOp mma) {
  Value left = mma.getA();
  while (auto slice = left.getDefiningOp<SliceOp>())
    left = slice.getSource();
  return isa<FragmentType>(left.getType()) ? left : Value();
}

/// The outermost loop in whose iterations the MMA reads the same fragment, or null.
static Operation *getLoopOver(WgmmaOp mma, Value left) {
  Operation *outermost = nullptr;
  for (Operation *parent = mma->getParentOp();
       parent && !parent->isAncestor(left.getParentBlock()->getParentOp());
       parent = parent->getParentOp())
    if (isLoop(parent))
      outermost = parent;
  return outermost;
}

namespace {
struct KeepOperandsAlive : tkc::impl::KeepOperandsAliveBase<KeepOperandsAlive> {
  void runOnOperation() override {
    llvm::SetVector<std::pair<Operation *, Value>> reads;
    getOperation().walk([&](WgmmaOp mma) {
      Value left = getLeftFragment(mma);
      if (Operation *loop = left ? getLoopOver(mma, left) : nullptr)
        reads.insert({loop, left});
    });
    for (auto [loop, left] : reads) {
      OpBuilder builder(loop->getContext());
      builder.setInsertionPointAfter(loop);
      builder.create<KeepAliveOp>(
          getUnnamedLoc(loop->getLoc()), left,
          "ptxas before CUDA 13.1 would not keep it from one iteration to the next");
    }
  }
};
} // namespace
