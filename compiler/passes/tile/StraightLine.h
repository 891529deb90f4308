//===- StraightLine.h - Code that is cut into blocks of columns -----------===//
//
// The code between two loops, branches or MMAs. StraightLine.cpp says which of its operations can
// be cut and where their tiles come from, ColumnBlocks.cpp cuts them.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_PASSES_TILE_STRAIGHTLINE_H
#define TKC_PASSES_TILE_STRAIGHTLINE_H

#include "dialect/tk/Tk.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include <optional>
#include <vector>

namespace tkc {

/// Marks a scope of warpgroups that share the columns of the tiles that are cut.
inline constexpr llvm::StringLiteral sharesColumnsAttrName = "tk.shares_columns";

/// A branch around stores, with which only some workers store.
bool isGuard(mlir::Operation *op);

/// Values from outside of the operation that it reads, those of its regions included.
llvm::SetVector<mlir::Value> getRead(mlir::Operation *op);

/// A block of columns that is computed at a time.
struct ColumnBlock {
  mlir::Value index; ///< among all blocks
  int64_t first = 0; ///< its first column, where that is a constant
  int64_t part = 0;  ///< of the loads that come in parts: the one with the block
  mlir::Value indexInPart;
};

/// Straight-line code of one block, of whose operations some are cut into blocks of columns.
class StraightLine {
public:
  /// The code around `inside`, an operation that touches tiles.
  explicit StraightLine(mlir::Operation *inside);

  /// Finds what can be cut; false if nothing can.
  bool choose();

  /// True if there are several sweeps and shared memory has no room for two blocks on an SM, so
  /// that several warpgroups should share the columns.
  bool wantsWarpgroups();

  /// Computes in blocks of `columns` columns; false if that is no part of the width, or if shared
  /// memory has no room for two blocks of each load.
  bool cut(int64_t columns);

  int64_t getWidth() const { return width; }
  /// Columns of a block that are worth it: more of them hide latencies, but where other blocks
  /// share the SM, registers are scarce.
  int64_t getMostColumns() const;
  /// True if it takes slices of registers and reads shared tiles or vectors.
  bool readsBesideSlices() const {
    return isUnrolled &&
           llvm::any_of(chosen, [](mlir::Operation *op) { return mlir::isa<tk::ReadOp>(op); });
  }
  /// The first of the widest tiles.
  mlir::Value getWidest() const { return widest; }

private:
  bool isCut(mlir::Type type) const;
  bool isCut(mlir::Value value) const { return isCut(value.getType()); }
  bool mayBeCut(mlir::Operation *op) const;
  bool isNeededWhole(mlir::Operation *op) const;
  void numberSweeps();
  bool isRoot(mlir::Operation *op) const;
  mlir::SmallVector<tk::LoadOp> findLoads() const;
  std::optional<bool> chooseLoads() const;
  void emitSweep(mlir::Operation *end, unsigned sweep);
  llvm::SmallPtrSet<mlir::Operation *, 16> findNeeded(unsigned sweep) const;
  mlir::SmallVector<tk::ReduceOp> getReductions(unsigned sweep) const;
  mlir::SmallVector<mlir::Value> emitLoop(mlir::OpBuilder &builder, mlir::Location loc,
                                          unsigned sweep, int64_t part,
                                          mlir::ValueRange begin) const;
  bool fitsPoints(int64_t points) const;
  int64_t chooseParts() const;
  mlir::Value combineWorkers(mlir::OpBuilder &builder, tk::ReduceOp reduce, mlir::Value own) const;
  void loadParts();
  void cloneBlock(mlir::OpBuilder &builder, unsigned sweep, const ColumnBlock &block,
                  mlir::IRMapping &blocks, mlir::IRMapping &values) const;
  mlir::Value getBlock(mlir::OpBuilder &builder, mlir::Value value, int64_t first,
                       mlir::IRMapping &values) const;
  mlir::Operation *clone(mlir::OpBuilder &builder, mlir::Operation *op, const ColumnBlock &block,
                         mlir::IRMapping &values) const;
  mlir::Value loadBlock(mlir::OpBuilder &builder, tk::LoadOp load, mlir::Value block,
                        mlir::IRMapping &values) const;
  mlir::Value getIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value index,
                       mlir::Value block) const;

  mlir::SmallVector<mlir::Operation *> ops;        ///< all of the code
  llvm::SmallPtrSet<mlir::Operation *, 16> chosen; ///< those that are cut
  llvm::DenseMap<mlir::Operation *, unsigned> sweeps;
  unsigned lastSweep = 0;
  int64_t width = 0;   ///< of the tiles that are cut
  int64_t columns = 0; ///< of a block
  mlir::Value widest;
  bool isUnrolled = false;               ///< slices of registers have constant places
  std::vector<mlir::IRMapping> unrolled; ///< what there is of each block
  mlir::SmallVector<tk::LoadOp> loads;   ///< of tiles that nobody else reads
  bool loadsBlocks = false;              ///< the sweeps load, not the code before them
  int64_t workers = 1;                   ///< that share the columns
  mlir::Value worker;                    ///< the number of this one
  int64_t parts = 1;                     ///< that whole tiles are loaded in
  llvm::DenseMap<mlir::Operation *, mlir::SmallVector<tk::LoadOp>> partsOf;
};

} // namespace tkc

#endif // TKC_PASSES_TILE_STRAIGHTLINE_H
