//===- CarriedAccumulators.h - Accumulators that outlive their tile -------===//
//
// The first MMA of a loop may overwrite its accumulator instead of adding to
// zeros: wgmma has a flag for it. Where the flag is `k > 0`, ptxas knows only at
// run time that the old value is not read. So it keeps the registers from the end
// of one tile of the grid to the first MMA of the next one, beside all that
// the epilogue has in registers. A fill with zeros ends that, for one move of each
// register and tile.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_CARRIEDACCUMULATORS_H
#define TKC_ANALYSIS_CARRIEDACCUMULATORS_H

#include "dialect/hopper/Hopper.h"
#include "llvm/ADT/SetVector.h"

namespace tkc {

struct CarriedAccumulator {
  hopper::UninitializedOp begin;
  mlir::Operation *loop;                          ///< the outermost one around `begin`
  llvm::SetVector<mlir::Value> values;            ///< all that are in its registers
  llvm::SetVector<mlir::Operation *> overwriting; ///< the MMAs with such a flag
};

/// Those of a role, in program order.
mlir::SmallVector<CarriedAccumulator> findCarriedAccumulators(hopper::RoleOp role);

} // namespace tkc

#endif // TKC_ANALYSIS_CARRIEDACCUMULATORS_H
