//===- PipelineConsumer.h - The role that computes and stores -------------===//
//
// A walk over the grid's body that lowers every op of the tk dialect to the ops of one
// consumer warpgroup. Three files share it: the walk with its control flow
// and stages (PipelineConsumer.cpp), what happens in registers
// (PipelineLowerRegisters.cpp), and what reads and writes shared memory
// (PipelineLowerShared.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TKC_PASSES_PIPELINECONSUMER_H
#define TKC_PASSES_PIPELINECONSUMER_H

#include "passes/pipeline/PipelineProducer.h"

namespace tkc {

/// True for a register tile or vector that is filled with zeros.
bool isZeroFill(mlir::Value tile);

struct Consumer;

/// The tile loop of a consumer that computes every other tile (PingPongTiles.cpp).
void buildPingPong(Consumer &consumer);

struct Consumer : RoleBuilder {
  Consumer(RoleBuilder base, mlir::Value worker, hopper::RoleKind kind)
      : RoleBuilder(std::move(base)), worker(worker), kind(kind),
        isReducer(kind == hopper::RoleKind::Reducer), isScanner(kind == hopper::RoleKind::Scanner),
        loadPoints(plan, kind) {}

  mlir::Value
      worker; ///< number of this warpgroup among the consumers, or of this warp in `each warp`
  hopper::RoleKind kind;
  bool isReducer; ///< does the marked work (dialect/tk/Reducer.h), and nothing else
  bool isScanner; ///< the same (dialect/tk/Scanner.h)
  LoadPointIndex loadPoints;
  llvm::MapVector<LoadGroup *, mlir::Value> use, release, ahead; ///< cursors
  llvm::MapVector<HandOver *, mlir::Value> handOver; ///< cursors, at the stage written or read next
  llvm::DenseMap<mlir::Value, mlir::Value> buffersHere; ///< shared tiles taken in their block
  llvm::DenseMap<mlir::Value, mlir::Value> overwritten; ///< iteration arguments that the first MMA
                                                        ///< overwrites -> not the first iteration
  llvm::DenseMap<mlir::Block *, mlir::Value> isLater;   ///< loop body -> not the first iteration
  tk::MmaOp openGroup;                                  ///< the last MMA that no group holds yet
  mlir::SmallVector<mlir::Operation *, 4> deferred;     ///< reads after the next group of MMAs
  std::optional<Producer> loads;                        ///< of a reducer that loads
  mlir::SmallVector<std::pair<LoadGroup *, LoadPoint *>, 1>
      awaitedInLoop; ///< what it waits for after the first loads of its loop

  //===--------------------------------------------------------------------===//
  // The walk
  //===--------------------------------------------------------------------===//

  void visitBlock(mlir::Block &block);
  void visit(mlir::Operation *op);

  void visit(mlir::scf::ForOp loop);
  void visit(mlir::scf::IfOp branch);
  /// Lets the next consumer start its MMAs, if `last` has the last ones of this tile.
  void releasePingPong(mlir::Operation *last);
  /// Yields the operands of `terminator` without shared tiles; nothing for none.
  void createYield(mlir::Operation *terminator, mlir::Location loc);

  // Stages of rings.
  void wait(LoadGroup &group, LoadPoint &loadPoint);
  void readElement(mlir::Operation *element);
  /// Reads a vector or an element of a load point's stage: at once, or, if only code after the
  /// next MMAs needs it, when these have started, so that nothing stands before them.
  void readOrDefer(mlir::Operation *read, LoadPoint &loadPoint);
  void giveBack(LoadGroup &group, LoadPoint &loadPoint);
  void giveLastBack(mlir::scf::ForOp loop, LoadGroup &group);
  void arrive(mlir::Location loc, LoadGroup &group, mlir::Value cursor, int64_t distance);

  /// True if this role gives the stage back an iteration later.
  bool isDelayed(const LoadPoint &loadPoint) const { return loadPoint.isDelayed && !isScanner; }

  // Rings that one role writes for another (PipelineReducer.cpp).
  /// True if the role has nothing to do with an operation that touches tiles.
  bool isOthers(mlir::Operation *op) const;
  /// True for values that the role's loops and branches carry.
  bool isCarried(mlir::Value value) const;
  void takeForWriting(HandOver &ring);
  void handOn(HandOver &ring);
  /// Before the first store whose staging lies over a ring that has been handed over.
  void takeBack(tk::StoreOp store);
  void takeForReading(mlir::Operation *read);
  /// After the last read of tiles that lie over those which are handed over.
  void meetAfterReading(tk::ReadOp read);
  void giveBack(mlir::Operation *read);
  void advance(mlir::Location loc, mlir::Value cursor);
  /// Of a reducer of several warpgroups: gives rings back before `op`, which waits for the MMAs
  /// that read them.
  void giveBackBefore(mlir::Operation *op);
  void giveBackRing(HandOver &ring, mlir::Operation *read);

  // A reducer of several warpgroups, which take alternate iterations.
  /// Before the tile: each at the stages of its first iteration.
  void beginAlternate();
  /// Of a loop: each its own iterations.
  void takeAlternate(mlir::scf::ForOp copy);

  // Work that several scanner warps share.
  bool hasParts(mlir::Block &block) const;
  /// All warps wait, each does its part, and all of them hand on.
  void visitParts(mlir::Block &block);
  bool isInPart = false;

  // The loads of a reducer beside which there is no producer.
  /// Loads outside of the reducer's loop, in the order of the program.
  void loadHere(tk::LoadOp load);
  /// Before the reducer's loop: loads what its first iterations read, then waits for
  /// `awaitedInLoop`.
  void loadFirst(mlir::scf::ForOp loop);
  /// In an iteration of it: what a later one reads.
  void loadAhead(mlir::scf::ForOp loop);
  /// True if the role loads what it reads first in its own loop, in or below `op`: it waits for
  /// tiles that were loaded before no sooner than it has started these loads.
  bool waitsAfterFirstLoads(LoadPoint &loadPoint, mlir::Operation *op);
  /// By how many iterations loads are ahead; 0 for a loop without loads of its own.
  int64_t getLead(mlir::scf::ForOp loop);

  //===--------------------------------------------------------------------===//
  // Registers
  //===--------------------------------------------------------------------===//

  mlir::Type getHeldType(mlir::Value value) {
    return plan.distribution.getHeldType(value.getType());
  }

  /// This warpgroup's part of a register tile or vector. A fill is made anew for each use:
  /// equal fills are one value in tk, but two accumulators are two variables, each with its own
  /// name and the location where it is `declared`.
  mlir::Value getHeld(mlir::Value value);
  mlir::Value getHeld(mlir::Value value, llvm::StringRef name, mlir::Location declared,
                      bool isOverwritten);

  /// The first of this warpgroup's rows in a tile or vector of which it holds `rows`; null if it
  /// holds all.
  mlir::Value getFirstRow(mlir::Location loc, int64_t rows);

  /// The shared memory of cross-warp reductions, null where they do not need any.
  mlir::Value getCrossWarpScratch(mlir::Location loc);
  /// The named barrier at which the warpgroups that share a tile meet.
  int64_t getMeetingBarrier() const;

  void visit(tk::MapOp map);
  void visit(tk::ReduceOp reduce);
  void visit(tk::SliceOp slice);
  void visit(tk::ConcatOp concat);
  /// Of an op with the trait SameOnFragments: the op of the same name.
  void visitSameOnFragments(mlir::Operation *op);
  void visit(tk::SwapLayoutOp swap);
  void visit(tk::TransposeOp transpose);
  void visit(tk::GatherOp gather);
  void visit(tk::ScatterOp scatter);
  /// The first element of a tile, or vector, in a tensor whose rows, or elements, an index names.
  mlir::SmallVector<mlir::Value> getIndexedOrigin(mlir::Location loc, mlir::ValueRange indices,
                                                  mlir::Type moved);
  void takeRow(tk::SliceOp slice);

  //===--------------------------------------------------------------------===//
  // Shared memory and MMAs
  //===--------------------------------------------------------------------===//

  /// A shared tile or vector as this warpgroup sees it: all of it.
  mlir::Value getShared(mlir::Value value);
  /// The tile of a ring that holds a load or an alloc, taken once per block.
  mlir::Value getBuffer(mlir::Operation *buffer);
  /// The part that a register tile of this type takes of a shared one, as far as this warpgroup
  /// holds it; `indices` count tiles.
  mlir::Value getOwnPart(mlir::Location loc, mlir::Value shared, mlir::Type registerType,
                         mlir::ValueRange indices);

  void visit(tk::ReadOp read);
  void visit(tk::ReadColumnOp read);
  void readTransposed(tk::ReadOp read, mlir::Operation *transpose);
  void readAsItIs(tk::ReadOp read);
  void visit(tk::WriteOp write);
  void visit(tk::MmaOp mma);
  void visit(tk::StoreOp store);
  mlir::Value getMmaRows(tk::MmaOp mma);

  bool endsGroup(mlir::Operation *op);
  void closeGroup();

  /// Runs `build` in one of the warpgroups that all hold the same.
  void inOneWarpgroup(mlir::Location loc, llvm::function_ref<void()> build);
};

} // namespace tkc

#endif // TKC_PASSES_PIPELINECONSUMER_H
