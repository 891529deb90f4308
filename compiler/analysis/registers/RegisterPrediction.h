//===- RegisterPrediction.h - Registers that ptxas will use ---------------===//
//
// TileRegisters counts what the program keeps in registers; a thread needs more:
// addresses, cursors of rings, loop counters, what an expression holds while it is
// computed, and gaps, because the accumulator of an MMA is one aligned range.
// Nothing of this is visible before ptxas runs. The numbers here were fitted to
// what ptxas 13.0 does with about fifty kernels; docs/registers.md says how, and
// test/examples/registers.test compares them with ptxas again.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_REGISTERPREDICTION_H
#define TKC_ANALYSIS_REGISTERPREDICTION_H

#include "analysis/registers/TileRegisters.h"
#include "dialect/hopper/Hopper.h"

namespace tkc {

/// Registers of a thread of one role.
struct RegisterPrediction {
  /// The registers that ptxas uses if it may have as many as it wants.
  int64_t expected = 0;
  /// With fewer than these it spills, or serialises wgmma.
  int64_t least = 0;
  /// With fewer than these it may: what the compiler's own choices leave.
  int64_t advised = 0;
  /// With this many it neither spills nor serialises wgmma.
  int64_t most = 0;
  /// The operation at which `most` is reached; null if no tile is in registers.
  mlir::Operation *mostAt = nullptr;
  /// ptxas may take whatever the role owns: random numbers, or a warp's elements without MMAs,
  /// are independent of each other, and it works on as many of them at once as it finds registers
  /// for.
  bool isOpenEnded = false;
  /// The operation at which `expected` is reached; null if no tile is in registers.
  mlir::Operation *op = nullptr;
  /// The most register tiles that are alive at once, which decide `least`.
  TilePressure peak;
};

/// A role without register tiles needs few registers, most of them uniform ones that ptxas does not
/// count; then both numbers are the same upper bound.
RegisterPrediction predictRegisters(hopper::RoleOp role);

} // namespace tkc

#endif // TKC_ANALYSIS_REGISTERPREDICTION_H
