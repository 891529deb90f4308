//===- HandOvers.h - Tiles that one warpgroup hands to another ------------===//
#ifndef TKC_PASSES_HANDOVERS_H
#define TKC_PASSES_HANDOVERS_H

#include "dialect/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tkc {

/// Puts signals and waits between the warpgroups of `role` into the loop, in whose body branches on
/// the role's index decide who does what: each comes to what another one has written after it, and
/// overwrites it after all have read it. An error if there are too few named barriers.
mlir::LogicalResult insertHandOvers(mlir::scf::ForOp loop, hopper::RoleOp role);

} // namespace tkc

#endif // TKC_PASSES_HANDOVERS_H
