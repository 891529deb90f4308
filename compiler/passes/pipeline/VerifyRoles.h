//===- VerifyRoles.h - Tile code that can become roles --------------------===//
#ifndef TKC_PASSES_VERIFYROLES_H
#define TKC_PASSES_VERIFYROLES_H

#include "passes/pipeline/PipelinePlan.h"

namespace tkc {

/// The kernel's one grid, directly in its body; refuses tile code anywhere else.
mlir::FailureOr<tk::GridOp> findGrid(tk::KernelOp kernel);

/// Refuses what the roles of a block cannot do, before anything is planned: `plan` has a kernel, a
/// grid and a distribution.
mlir::LogicalResult verifyRoles(const PipelinePlan &plan);

} // namespace tkc

#endif // TKC_PASSES_VERIFYROLES_H
