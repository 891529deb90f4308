//===- PipelinePlan.h - The plan of tk-insert-pipeline --------------------===//
//
// Reads a tk.kernel, refuses what cannot become roles, and decides: which loads
// land together on one mbarrier, where the consumers wait for them and give them
// back, how deep their rings are, which buffers stores and exchanges go through.
// Nothing is built here.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_PASSES_PIPELINEPLAN_H
#define TKC_PASSES_PIPELINEPLAN_H

#include "dialect/hopper/Hopper.h"
#include "dialect/tk/TileValues.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/tile/Distribution.h"
#include <deque>
#include <string>

namespace tkc {

/// One place where the loads of a group stand, all in one block.
struct LoadPoint {
  mlir::SmallVector<tk::LoadOp, 2> loads;
  mlir::SmallVector<mlir::Operation *, 1> elements; ///< `tk.element` that land with them
  mlir::SmallVector<mlir::Operation *>
      uses;                            ///< in their block; those in nested regions as the op around
  mlir::Operation *firstUse = nullptr; ///< of any role
  mlir::Operation *release =
      nullptr;            ///< the stage is given back before it; null: at the block's end
  bool isDelayed = false; ///< that is done one iteration later
  mlir::Operation *reducersRelease = nullptr; ///< the same where the reducer reads the stage
  mlir::Operation *scannersRelease = nullptr; ///< where scanner warps do

  /// The operation before which a role waits for the tiles.
  mlir::Operation *getFirstUse(std::optional<hopper::RoleKind> reader) const;
  mlir::Operation *getRelease(std::optional<hopper::RoleKind> reader) const {
    return reader == hopper::RoleKind::Reducer   ? reducersRelease
           : reader == hopper::RoleKind::Scanner ? scannersRelease
                                                 : release;
  }
  mlir::Block *getBlock() { return loads.front()->getBlock(); }
};

/// Loads that land together. Each load has a ring of its own; all rings of a group have the same
/// depth and share a full and an empty barrier and their cursors. A loop that has been pipelined
/// has a group at several load points.
struct LoadGroup {
  mlir::SmallVector<LoadPoint, 1> loadPoints; ///< in program order
  mlir::scf::ForOp loop; ///< the innermost loop around a load point; null if there is none
  int64_t stages = 0;
  int64_t leastStages = 1;
  std::string prefix;        ///< of the names of its barriers and cursors: "" or "q_"
  bool isResident = false;   ///< loaded once, before the first tile, and never given back
  bool isFilledOnce = false; ///< a block of one tile loads it once: a stage for each load point
  tk::AllocOp over; ///< handed over later: the tile lies in its bytes; null if it has its own

  mlir::SmallVector<tk::LoadOp, 2> &getLoads() { return loadPoints.front().loads; }
  mlir::SmallVector<mlir::Operation *, 1> &getElements() { return loadPoints.front().elements; }
  bool isDelayed() {
    return llvm::any_of(loadPoints, [](LoadPoint &loadPoint) { return loadPoint.isDelayed; });
  }
  /// Where the loads of a load point wait and signal: the loop, if that has no other group.
  mlir::Location getLoc(LoadPoint &loadPoint);
  /// "a and b": the tiles, for reasons; and elements.
  std::string getTileNames(bool withElements = true);
  /// "a and b of this stage have".
  std::string getTilesHave(bool withElements = true);
  bool isAloneInLoop = true;
  /// True if the reducer, a scanner warp, or some consumer reads its tiles.
  bool isReadBy(hopper::RoleKind kind);
};

/// Staging buffers: the way of register tiles to global memory, one swizzle-atom column at a time.
struct StagingPlan {
  int64_t cols;
  mlir::Type elementType;
  mlir::SmallVector<tk::StoreOp> stores;
  int64_t buffers = 0; ///< for each owner
  std::string name;
  bool isReducers = false; ///< its stores are the reducer's
  mlir::Operation *over =
      nullptr; ///< the load, or alloc that is handed over, whose tile is dead by
               ///< then: the buffers lie in its bytes; null if they have their own
};

/// A ring that one role's threads write and another role reads: tiles from the consumers to the
/// reducer, vectors from scanner warps to the consumers. All that is in a stage is handed over
/// together.
struct HandOver {
  mlir::SmallVector<tk::AllocOp, 1> allocs;   ///< a stage has a place for each
  mlir::SmallVector<tk::WriteOp, 1> writes;   ///< in program order
  mlir::SmallVector<mlir::Operation *> reads; ///< in program order: MMAs, or reads of vectors
  hopper::RoleKind writer = hopper::RoleKind::Consumer, reader = hopper::RoleKind::Reducer;
  int64_t copies = 1; ///< of each place: one for each worker of `tk.each`
  int64_t stages = 2; ///< one is written while the other is read
  std::string name;
};

/// The tile of a ring in shared memory.
struct RingShape {
  int64_t rows, cols;
  mlir::Type elementType;
  bool withOnes = false; ///< MMAs read a swizzle-atom column of ones beside it

  int64_t getBytes() const;
  bool operator==(const RingShape &) const = default;
};

struct PipelinePlan {
  tk::KernelOp kernel;
  tk::GridOp grid;
  tk::EachOp each; ///< or null
  Distribution distribution;
  mlir::SmallPtrSet<mlir::Operation *, 4> sureLoops; ///< those that run at least once
  std::deque<LoadGroup> groups;                      ///< in program order; none is empty
  std::deque<StagingPlan> staging;
  mlir::SmallVector<tk::AllocOp> scratch;
  std::deque<HandOver> handOvers; ///< none without a reducer or scanner
  int64_t scannerWarps = 0;       ///< beside the producer's
  int64_t reducers = 1;           ///< warpgroups of the reducer, on alternate iterations
  llvm::DenseSet<mlir::Value>
      workerDependent;       ///< scalars that differ between the workers of `tk.each`
  int64_t blocksPerSm = 1;   ///< persistent ones, which share the shared memory
  bool reducerLoads = false; ///< there is no producer beside it
  bool readsAgain = false;   ///< tiles of the grid load what others load, too, in loops
  bool isDynamic =
      false; ///< blocks take their tiles from a dynamic tile scheduler from a scheduler
  mlir::Operation *pingpongEnd = nullptr; ///< of the grid: after it another consumer acquires
  int64_t crossWarpScratchBytes = 0;      ///< what reductions of columns and transposes go through

  /// Who stores through buffers of its own: a warpgroup, or a warp, perhaps one of them alone.
  int64_t getOwners() const {
    if (each && tk::EachOp(each).getAlone())
      return 1;
    return distribution.isEachWarp() ? distribution.workers : distribution.consumers;
  }
  int64_t getOwners(const StagingPlan &staging) const {
    return staging.isReducers ? reducers : getOwners();
  }
  bool hasReducer() const {
    return llvm::any_of(
        handOvers, [](const HandOver &ring) { return ring.reader == hopper::RoleKind::Reducer; });
  }
  /// The first or last read of a ring by a role.
  mlir::Operation *getFirstRead(const HandOver &ring, hopper::RoleKind reader) const;
  mlir::Operation *getLastRead(const HandOver &ring, hopper::RoleKind reader) const;
  /// True for a vector of the scanner that all read across the columns, beside a recurrence: it
  /// lies in fragment order.
  bool isInOrder(mlir::Operation *alloc);
  /// True for the loop of whose iterations each warpgroup of the reducer takes its own.
  bool alternates(mlir::scf::ForOp loop) const;
  /// The ring that a tile or vector is handed over in, or null.
  HandOver *findHandOver(mlir::Operation *alloc);
  /// Rows of a staging buffer.
  int64_t getStagingRows() const;
  /// Slices that one owner of buffers makes of a stored tile.
  int64_t countSlices(const StagingPlan &staging, tk::StoreOp store) const;
  int64_t getBufferBytes(const StagingPlan &staging) const;
  /// Tiles that a load brings: one for each worker of `tk.each` whose number its place depends on.
  int64_t getCopies(tk::LoadOp load) const;
  RingShape getRingShape(tk::LoadOp load) const;
  RingShape getRingShape(tk::AllocOp alloc, int64_t copies = 1) const;
  int64_t getStageBytes(const HandOver &ring) const;
  /// TMA bytes of a stage of the group's rings.
  int64_t getStageBytes(LoadGroup &group) const;
  /// Of all stages of one of the ring's tiles or vectors.
  int64_t getAllocBytes(const HandOver &ring, tk::AllocOp alloc) const {
    return ring.stages * getRingShape(alloc, ring.copies).getBytes();
  }
  /// How many scratch tiles an alloc stands for: one for each worker of `tk.each`, or one.
  int64_t getScratchCopies(tk::AllocOp alloc) const {
    return each && !alloc.getCommon() ? distribution.workers : 1;
  }
  /// As many parts as do not meet when warps exchange values.
  int64_t getCrossWarpScratchCopies() const { return each ? distribution.consumers : 1; }
  /// Warpgroups that read the loads of a tile.
  int64_t getReaders() const { return distribution.hasPingPongTiles ? 1 : distribution.consumers; }
  /// Warps that give its stages back.
  int64_t getReaderWarps(LoadGroup &group) const;
  StagingPlan &getStaging(tk::StoreOp store);

  /// The transpose, or of a warp's own tile the change of layout, of a shared tile of 16-bit
  /// elements that `read` brings into registers for nothing else: ldmatrix transposes on the way.
  /// Null if the tile is needed as it is.
  mlir::Operation *findTranspose(tk::ReadOp read) const;

  /// By how much the scalar grows from one worker of `tk.each` to the next, or nothing if it may
  /// differ (PerWarpgroupScopes.cpp).
  std::optional<int64_t> getWorkerStride(mlir::Value value);
};

/// The plan for a kernel, or failure with an error at the place that cannot be planned.
mlir::FailureOr<PipelinePlan> planPipeline(tk::KernelOp kernel, int64_t maxStages);

/// Makes the plan's groups of the loads (PipelineRings.cpp).
mlir::LogicalResult formGroups(PipelinePlan &plan, mlir::ArrayRef<tk::LoadOp> loads);

/// True if the rings of both groups can share barriers: at every place their loads stand together,
/// and neither has to wait for the other's (LandTogether.cpp).
bool landTogether(LoadGroup &group, LoadGroup &other);

/// Finds the elements of tensors that can land with the tiles of a loop (PipelineElements.cpp).
void landElements(PipelinePlan &plan);
/// One stage of an element's ring, and the ring's name.
RingShape getElementShape(mlir::Operation *element);
std::string getElementName(mlir::Operation *element);

/// Moves loads that are the same for all tiles to the front of the grid and marks those that stay
/// in shared memory (ResidentOperands.cpp).
void markResidentLoads(tk::KernelOp kernel);
inline constexpr llvm::StringLiteral residentAttrName = "resident";

/// The bytes that one stage of a load's ring takes.
int64_t getRingBytes(tk::LoadOp load);

/// True if blocks take their tiles from a dynamic tile scheduler: the user says so, or tiles differ
/// in work and nobody says otherwise. A producer must be there to take them
/// (DynamicTileScheduler.cpp).
bool isDynamic(const PipelinePlan &plan);

/// Finds the scalars that differ between the workers of `tk.each`; refuses loads whose number does
/// (PerWarpgroupScopes.cpp).
mlir::LogicalResult planWorkers(PipelinePlan &plan, mlir::ArrayRef<tk::LoadOp> loads);

/// Where a consumer of ping-pong tiles releases the next one: after this op of the
/// grid, which has its last MMAs. Refuses kernels that cannot be divided so
/// (PingPongTiles.cpp).
mlir::LogicalResult planPingPong(PipelinePlan &plan);

/// Decides where the stages of a load point are given back (PipelineReleases.cpp).
void planRelease(LoadPoint &loadPoint);

/// Where thread code first touches what an MMA computes, and so waits for it: an operation of
/// the MMA's block, null if it comes to the block's end.
mlir::Operation *findMmaWait(tk::MmaOp mma);

/// Lays the staging of stores over tiles that are dead by then, one after the other, until `wanted`
/// bytes are free or nothing more can be. Returns how many are (StagingOverTiles.cpp).
int64_t layStagingOverTiles(PipelinePlan &plan, int64_t wanted);
/// The same over tiles that are handed over to reducers, for stores after the loop that does so;
/// none if `wanted` bytes are not to be had.
int64_t layStagingOverHandOvers(PipelinePlan &plan, int64_t wanted);

/// Lays a tile that the consumer reads before its loop over one that the loop hands over to
/// reducers, if there is one with as many bytes (LoadsOverHandOvers.cpp).
void layOverHandOver(PipelinePlan &plan, LoadGroup &group);

/// Chooses how many blocks an SM runs at once, and whether they are persistent (ChooseBlocks.cpp).
mlir::LogicalResult chooseBlocks(PipelinePlan &plan);

/// True if an SM has the shared memory for so many of the kernel's blocks whose innermost rings
/// have `stages` stages at least; with 1, of a kernel that loads in no loop, for blocks of one tile
/// (ChooseStages.cpp).
bool fitsShared(PipelinePlan &plan, int64_t blocks, int64_t stages);

/// Chooses the depth of every ring (ChooseStages.cpp).
mlir::LogicalResult chooseStages(PipelinePlan &plan, int64_t maxStages);

/// The `tk.load` or `tk.alloc` whose bytes a shared value is in, through writes, slices, loops and
/// branches; null if branches do not agree.
mlir::Operation *findBuffer(mlir::Value shared);

/// Adds what uses a shared value or a part of it.
void collectUses(mlir::Value shared, mlir::SmallVectorImpl<mlir::Operation *> &uses);

/// The name of the tile that a load makes: the user's, or "A_tile".
std::string getLoadName(tk::LoadOp load);

} // namespace tkc

#endif // TKC_PASSES_PIPELINEPLAN_H
