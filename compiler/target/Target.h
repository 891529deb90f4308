//===- Target.h - The chip, as passes on tiles see it ---------------------===//
//
// Passes on the tk dialect and their analyses ask here what the machine can do, in
// terms of tiles. The answers for Hopper are in HopperTarget.cpp; another chip is
// another subclass, and its own dialect and passes below the tiles.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_TARGET_TARGET_H
#define TKC_TARGET_TARGET_H

#include "mlir/IR/Types.h"
#include <optional>

namespace tkc {

/// Who holds a register tile: the warpgroups of a block, or a warp by itself.
enum class TileHolder { Warpgroups, Warp };

/// MMAs of two operands of one element type.
struct MmaOperands {
  bool transposes; ///< in shared memory they may be contiguous along M or N
};

class Target {
public:
  virtual ~Target();

  /// Warps of a warpgroup.
  virtual int64_t getWarpgroupWarps() const = 0;

  /// Register tiles are dealt out, and parts of them begin, in multiples of so many rows and
  /// columns.
  virtual int64_t getRowUnit(TileHolder holder) const = 0;
  virtual int64_t getColumnUnit() const = 0;

  /// The MMAs of an element type, if there are any.
  virtual std::optional<MmaOperands> getMma(mlir::Type element) const = 0;
  /// Columns of the widest MMA instruction.
  virtual int64_t getMaxMmaWidth() const = 0;
  /// Columns of one MMA instruction, of which several make an MMA `n` columns wide.
  virtual int64_t getMmaWidth(int64_t n, bool isBContiguousAlongN, int64_t bCols,
                              mlir::Type element) const = 0;

  /// True if copies move shared tiles with rows of so many bytes, and MMAs read them.
  virtual bool isRowOfTile(int64_t bytes) const = 0;
  /// Rows have a multiple of so many bytes.
  virtual int64_t getRowBytesUnit() const = 0;
  /// How many columns of a shared tile lie together; 0 if it can be none.
  virtual int64_t getAtomCols(int64_t cols, mlir::Type element) const = 0;
  /// Bytes of a shared tile, with columns of ones beside it or without.
  virtual int64_t getTileBytes(int64_t rows, int64_t cols, mlir::Type element,
                               bool withOnes) const = 0;
  /// Bytes of shared memory that a block has for its tiles.
  virtual int64_t getSharedBytes() const = 0;
};

/// The chip that is compiled for.
const Target &getTarget();

} // namespace tkc

#endif // TKC_TARGET_TARGET_H
