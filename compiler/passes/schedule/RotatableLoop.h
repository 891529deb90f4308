//===- RotatableLoop.h - Loops whose first MMA can come early -------------===//
#ifndef TKC_PASSES_ROTATABLELOOP_H
#define TKC_PASSES_ROTATABLELOOP_H

#include "dialect/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace tkc {

/// The body of a loop that tk-rotate-loops can rotate, in order.
struct RotatableLoop {
  using Ops = mlir::SmallVector<mlir::Operation *>;

  mlir::scf::ForOp loop;
  Ops head;    ///< from the wait for the first MMA's tiles to `handedOn`
  Ops middle;  ///< up to the last MMA
  Ops release; ///< of the first MMA's ring, after the last one
  Ops others;  ///< of other rings
  hopper::WgmmaOp first, last;
  hopper::WaitBarrierOp nextWait; ///< for another ring's load, right after the head; or null
  mlir::Operation *firstCommit = nullptr, *lastCommit = nullptr;
  hopper::MapOp handedOn; ///< the operand in registers that the head makes for the rest
  hopper::CursorOp cursor;
  mlir::SmallVector<hopper::AdvanceOp>
      skips; ///< of the cursor, in the loop that skips masked blocks
};

/// The parts of a loop; nothing of one that cannot be rotated.
std::optional<RotatableLoop> findRotatable(mlir::scf::ForOp loop);

/// True for what another iteration can compute again: scalars, and the names of shared tiles.
bool isRepeatable(mlir::Operation *op);

} // namespace tkc

#endif // TKC_PASSES_ROTATABLELOOP_H
