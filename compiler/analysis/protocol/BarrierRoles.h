//===- BarrierRoles.h - The purpose of each mbarrier of a kernel ----------===//
//
// Nothing in an mbarrier says what it guards; the producer does: it waits for an
// empty barrier before it loads into a ring with the same cursor, and its loads
// complete a full one. Consumers that hand tiles over to the reducer do the same: they wait
// for an empty barrier and arrive at a full one, with the cursor of the stages that they write.
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

  /// True if an arrival on `barrier` lets TMA loads overwrite tiles of the ring, or of the one that
  /// it lies over.
  bool frees(mlir::Value barrier, mlir::Value ring) const {
    auto found = freedBy.find(ring);
    return isFreed(ring) && found->second.contains(barrier.getAsOpaquePointer());
  }

  /// True if TMA loads overwrite tiles of the ring that somebody gives back.
  bool isFreed(mlir::Value ring) const;

  /// True if an arrival on `barrier` lets other roles read what threads have written to the ring.
  bool handsOver(mlir::Value barrier, mlir::Value ring) const {
    auto found = handedOver.find(ring);
    return found != handedOver.end() && found->second.contains(barrier.getAsOpaquePointer());
  }

  /// True if threads write the ring for other roles.
  bool isHandedOver(mlir::Value ring) const { return handedOver.contains(ring); }

  /// True if MMAs or TMA stores read the ring, through another proxy than threads write.
  bool isReadAsync(mlir::Value ring) const { return readAsync.contains(ring); }

  /// True if loads complete the barrier.
  bool isSignalledByLoads(mlir::Value barrier) const {
    return signalledByLoads.contains(barrier.getAsOpaquePointer());
  }

private:
  llvm::DenseMap<mlir::Value, llvm::SmallPtrSet<void *, 2>> freedBy;    ///< ring -> barriers
  llvm::DenseMap<mlir::Value, llvm::SmallPtrSet<void *, 2>> handedOver; ///< ring -> barriers
  llvm::SmallPtrSet<void *, 4> signalledByLoads;
  llvm::DenseSet<mlir::Value> loaded, readAsync; ///< rings
};

} // namespace tkc

#endif // TKC_ANALYSIS_BARRIERROLES_H
