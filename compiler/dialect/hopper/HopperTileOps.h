//===- HopperTileOps.h - Walking a block's tiles by number ----------------===//
#ifndef TKC_DIALECT_HOPPER_HOPPERTILEOPS_H
#define TKC_DIALECT_HOPPER_HOPPERTILEOPS_H

#include "dialect/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#define GET_OP_CLASSES
#include "dialect/hopper/HopperTileOps.h.inc"

namespace tkc::hopper {

/// The share of tiles that a loop over the numbers of a block's tiles walks; null for other loops.
inline TileShareOp getTileShare(mlir::scf::ForOp loop) {
  return loop.getLowerBound().getDefiningOp<TileShareOp>();
}

} // namespace tkc::hopper

#endif // TKC_DIALECT_HOPPER_HOPPERTILEOPS_H
