//===- SkippedBlocks.h - Loops whose first iterations are skipped ---------===//
#ifndef TKC_DIALECT_HOPPER_SKIPPEDBLOCKS_H
#define TKC_DIALECT_HOPPER_SKIPPEDBLOCKS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tkc::hopper {

/// Marks the loop of iterations in which a warpgroup hands zeros over, and gives stages back; the
/// loop that follows goes on from its end.
inline constexpr llvm::StringLiteral skipsBlocksAttrName = "hopper.skips_blocks";

/// The first iteration of a loop, counting those that a warpgroup skips before it.
inline mlir::Value getFirstIteration(mlir::scf::ForOp loop) {
  for (mlir::Operation *user : loop.getLowerBound().getUsers())
    if (auto skip = mlir::dyn_cast<mlir::scf::ForOp>(user);
        skip && skip->hasAttr(skipsBlocksAttrName) && skip.getUpperBound() == loop.getLowerBound())
      return skip.getLowerBound();
  return loop.getLowerBound();
}

} // namespace tkc::hopper

#endif // TKC_DIALECT_HOPPER_SKIPPEDBLOCKS_H
