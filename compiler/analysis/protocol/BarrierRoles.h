//===- BarrierRoles.h - What the mbarriers of a kernel are for ------------===//
//
// Nothing in an mbarrier says what it guards; the producer does: it waits for an
// empty barrier before it loads into a ring with the same cursor, and its loads
// complete a full one.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_BARRIERROLES_H
#define TKC_ANALYSIS_BARRIERROLES_H

#include "dialect/hopper/Hopper.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tkc {

class BarrierRoles {
public:
  explicit BarrierRoles(hopper::KernelOp kernel);

  /// The ring that a shared tile is part of, null if unknown.
  static mlir::Value getRing(mlir::Value shared);

  /// True if an arrival on `barrier` may let someone overwrite the tile.
  bool mayFree(mlir::Value barrier, mlir::Value shared) const;

  /// True if TMA loads overwrite tiles of the ring that somebody gives back.
  bool isFreed(mlir::Value ring) const;

  /// True if loads complete the barrier.
  bool isSignalledByLoads(mlir::Value barrier) const {
    return signalledByLoads.contains(barrier.getAsOpaquePointer());
  }

private:
  llvm::DenseMap<mlir::Value, llvm::SmallPtrSet<void *, 2>> frees; ///< ring -> barriers
  llvm::SmallPtrSet<void *, 4> signalledByLoads;
  llvm::DenseSet<mlir::Value> loaded; ///< rings
};

} // namespace tkc

#endif // TKC_ANALYSIS_BARRIERROLES_H
