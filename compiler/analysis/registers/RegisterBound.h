//===- RegisterBound.h - Registers with which ptxas has enough ------------===//
//
// The upper end of the prediction. The registers that ptxas uses if it may (RegisterPrediction.h)
// do not tell whether it spills: it uses more where more are there, and it runs
// wgmma instructions one after the other (C7511, C7512) where an accumulator has no
// registers, though the tiles that are alive would fit.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_REGISTERBOUND_H
#define TKC_ANALYSIS_REGISTERBOUND_H

#include "analysis/registers/TileRegisters.h"
#include "dialect/hopper/Hopper.h"

namespace tkc {

/// Registers of a thread with which ptxas neither spills nor serialises wgmma, and the operation
/// that needs most; null if no tile is in registers.
std::pair<int64_t, mlir::Operation *> boundRegisters(hopper::RoleOp role,
                                                     const TileRegisters &tiles);

/// True if a map makes a tile of no other one before a loop that reads it, as
/// tk-hoist-invariant-factors leaves them.
bool hasInvariantTile(hopper::RoleOp role);

/// The registers of a thread of the role: those that setmaxnreg gives it, or the most that it can
/// name.
int64_t getAvailableRegisters(hopper::RoleOp role);

} // namespace tkc

#endif // TKC_ANALYSIS_REGISTERBOUND_H
