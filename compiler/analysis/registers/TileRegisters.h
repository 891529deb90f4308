//===- TileRegisters.h - Registers that tiles need, point by point --------===//
//
// Answers, for a kernel of the tk dialect or a role of the hopper dialect, which
// register tiles are alive at each operation and how many registers of a thread
// they need. ptxas has the last word, but it spills where we promise a fit only
// if this count is wrong.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_TILEREGISTERS_H
#define TKC_ANALYSIS_TILEREGISTERS_H

#include "mlir/Analysis/Liveness.h"
#include "mlir/IR/Operation.h"
#include "target/Target.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include <vector>

namespace tkc {

/// The most register tiles that are alive at one operation.
struct TilePressure {
  mlir::Operation *op = nullptr;
  mlir::SmallVector<mlir::Value, 0> alive; ///< in program order
  int64_t registers = 0;                   ///< of one thread, 32 bits each
};

class TileRegisters {
public:
  /// Looks at everything inside `root`. Tiles of the tk dialect are shared by `warpgroups`
  /// warpgroups, or belong to one warp each; fragments of the hopper dialect belong to one
  /// warpgroup.
  TileRegisters(mlir::Operation *root, int64_t warpgroups = 1,
                TileHolder holder = TileHolder::Warpgroups);

  /// The operation with the highest pressure, the first one if there are several; none if there are
  /// no tiles.
  const TilePressure &getPeak() const { return peak; }

  /// The pressure at every operation at which it may change, in program order.
  llvm::ArrayRef<TilePressure> getPoints() const { return points; }

  /// Registers per thread of a tile, fragment or vector; 0 for other types.
  static int64_t getRegisters(mlir::Type type, int64_t warpgroups);

  /// The pressure at one operation inside the root.
  TilePressure getPressure(mlir::Operation *op) const;

private:
  /// The same of one of the warps that hold the tiles of `root`.
  int64_t getRegisters(mlir::Type type) const;
  /// Fills `definitions`.
  void numberValues();
  /// From the first to the last operation of a block at which a tile is alive.
  struct LiveRange {
    mlir::Value tile;
    mlir::Operation *begin, *end;
  };
  /// Of all tiles that are alive somewhere in the block.
  llvm::ArrayRef<LiveRange> getRanges(mlir::Block *block) const;
  /// The tiles alive at `op` within its block.
  llvm::SmallVector<mlir::Value> getTilesAt(mlir::Operation *op) const;
  /// Tiles that live through the operations of a block from outside of it.
  llvm::ArrayRef<mlir::Value> getLiveThrough(mlir::Block *block) const;
  void addInFlight(mlir::Operation *op, llvm::SetVector<mlir::Value> &alive) const;
  void addLiveAt(mlir::Operation *op, llvm::SetVector<mlir::Value> &alive) const;
  int64_t getRemaining(mlir::Value value, mlir::Operation *first, mlir::Operation *last,
                       int64_t made) const;
  void dropReused(mlir::Operation *first, mlir::Operation *last,
                  llvm::SetVector<mlir::Value> &alive) const;

  mlir::Operation *root;
  int64_t warps; ///< that hold one tile together
  mlir::Liveness liveness;
  llvm::DenseMap<mlir::Value, unsigned> definitions; ///< numbers of values, in program order
  mutable llvm::DenseMap<mlir::Block *, mlir::SmallVector<LiveRange, 0>> ranges;
  mutable llvm::DenseMap<mlir::Block *, mlir::SmallVector<mlir::Value, 0>> liveThrough;
  std::vector<TilePressure> points;
  TilePressure peak;
};

} // namespace tkc

#endif // TKC_ANALYSIS_TILEREGISTERS_H
