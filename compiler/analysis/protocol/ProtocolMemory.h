//===- ProtocolMemory.h - Who uses which part of shared memory ------------===//
//
// Shared memory as cells: some rows of one stage of one ring. Each remembers its
// last write and the reads since. An access must know (ProtocolClock.h) that what
// it conflicts with is over. Rings that share bytes are each other's aliases.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_PROTOCOLMEMORY_H
#define TKC_ANALYSIS_PROTOCOLMEMORY_H

#include "analysis/protocol/ProtocolClock.h"
#include "dialect/hopper/Hopper.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace tkc::protocol {

/// Some rows and columns of a stage of a ring.
struct TilePlace {
  unsigned ring = 0;
  int64_t stage = -1; ///< -1: any of them
  int64_t row = 0, rows = 0;
  int64_t col = 0, cols = 0;
};

struct CellAccess {
  mlir::Operation *op = nullptr;
  unsigned agent = 0;
  unsigned entry = 0; ///< of the clock; the access is over when it is at least `end`
  uint32_t end = 0;
  bool isAsync = false;  ///< through the async proxy
  uint64_t instance = 0; ///< accesses of one instance touch different bytes
  int64_t col = 0, cols = 0;
};

enum class ConflictKind {
  OverWrite,    ///< writes where a write may not have landed
  OverRead,     ///< writes where somebody may still read
  TooEarly,     ///< reads what may not have landed
  Unfenced,     ///< the async proxy may not see the write
  UnfencedRead, ///< the async proxy may overtake the read and overwrite what it reads
  NeverWritten, ///< reads what nobody wrote
  Overwritten,  ///< reads what a write to another ring at the same bytes has destroyed
};

struct Conflict {
  ConflictKind kind;
  CellAccess earlier; ///< without an op if there is none
  int64_t stage;
};

class SharedCells {
public:
  explicit SharedCells(hopper::KernelOp kernel);

  void reset();
  std::optional<Conflict> read(const TilePlace &place, const CellAccess &access,
                               const Clock &clock);
  std::optional<Conflict> write(const TilePlace &place, const CellAccess &access,
                                const Clock &clock);

  unsigned getRing(mlir::Value ring) const { return numbers.lookup(ring); }
  hopper::AllocRingOp getRingOp(unsigned ring) const { return rings[ring].op; }

private:
  struct Ring {
    hopper::AllocRingOp op;
    int64_t unit;      ///< rows of a cell
    unsigned units;    ///< cells of a stage
    unsigned first;    ///< cell
    unsigned stageSet; ///< number of its first stage among all rings' stages
  };
  struct Record : CellAccess {
    bool isWrite = false;
    bool isOver = false;    ///< a later write knew of it
    uint64_t successor = 0; ///< instance of that write: its other agents must know, too
  };
  struct Cell {
    llvm::SmallVector<Record, 0> records;
    mlir::Operation *destroyer = nullptr;
  };

  template <typename Function>
  std::optional<Conflict> visit(const TilePlace &place, Function visit);

  llvm::SmallVector<Ring, 0> rings;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::SmallVector<Cell, 0> cells;
  /// For each stage of each ring, the cells of other rings at the same bytes.
  llvm::SmallVector<llvm::SmallVector<unsigned, 0>, 0> aliases;
};

} // namespace tkc::protocol

#endif // TKC_ANALYSIS_PROTOCOLMEMORY_H
