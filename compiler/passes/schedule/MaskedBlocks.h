//===- MaskedBlocks.h - Iterations of which a mask leaves nothing ---------===//
//
// A mask may hide all rows that a warpgroup has in a block of scores, while those of another
// warpgroup see something: below a block of 128 keys begins the diagonal of 64 queries. Then
// exponentials are zero, MMAs of them add nothing, and what is handed over is zero.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_PASSES_MASKEDBLOCKS_H
#define TKC_PASSES_MASKEDBLOCKS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tkc {

/// A selection by place in a map of a loop's body, and the condition under which it keeps an
/// element.
struct BlockMask {
  mlir::Operation *map;
  mlir::Value keeps;
};

struct MaskedLoop {
  mlir::SmallVector<BlockMask> masks;
  /// MMAs that overwrite an accumulator in the loop's first iteration, before which it is
  /// uninitialised.
  mlir::SmallVector<mlir::Operation *> starts;
};

/// A loop with masks, if an iteration in which they hide everything changes nothing that the loop
/// carries and writes zeros only. Infinite numbers and NaN are taken for zero there: a hidden score
/// times a factor that is not positive, or less a sum that is infinite.
std::optional<MaskedLoop> matchMaskedLoop(mlir::scf::ForOp loop);

/// Before the loop: in how many of its first iterations the mask hides everything, from the numbers
/// that its condition compares. Null if it does not become easier to fulfil by the same step in
/// every iteration. `isOfWarpgroup` is set if the number depends on `warpgroup`.
mlir::Value countHidden(const BlockMask &mask, mlir::scf::ForOp loop, mlir::Value warpgroup,
                        mlir::OpBuilder &builder, bool &isOfWarpgroup);

} // namespace tkc

#endif // TKC_PASSES_MASKEDBLOCKS_H
