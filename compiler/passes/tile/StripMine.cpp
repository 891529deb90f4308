//===- StripMine.cpp - Wide tiles are computed in blocks of columns -------===//
//
// A statement means the whole tile, but a thread has 255 registers: a row of 1024 floats, or an
// epilogue of 256 columns with two vectors and a residual, does not fit. Code that computes each
// element from those of its own column, or combines the elements of a row, can go over blocks of
// columns one after the other (strip-mining):
//
//     x = read X                                  for j: best = max(best, row_max(read X[j]))
//     e = exp(x - row_max(x))             ->      for j: sum += row_sum(exp(read X[j] - best))
//     store Y, e / row_sum(e)                     for j: store Y[j], exp(read X[j] - best) / sum
//
// Each reduction of rows ends a sweep over the blocks, and what later sweeps need again they read
// and compute again: that costs instructions, and a register tile would not have fitted. Blocks of
// a tile that an MMA or a loop has made are slices of its registers, whose places are constants,
// so the sweep is unrolled; the results take the registers of the slices, and later sweeps find
// them there. Shared tiles are loaded whole, as written, where they fit; otherwise each sweep loads
// its blocks in a pipeline.
//
// So is code where registers do not suffice, between two loops, branches or MMAs. And so is the
// epilogue of a loop of MMAs that reads a residual or vectors of its own: they would take registers
// beside the accumulators, and whole tiles shared memory that the loop's rings need.
//
//===----------------------------------------------------------------------===//
#include "passes/tile/StripMine.h"

#include "analysis/TileNames.h"
#include "analysis/registers/RegisterBudget.h"
#include "analysis/registers/RoleSplit.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/tk/PagedLoad.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TileValues.h"
#include "dialect/tk/TkChoiceOp.h"
#include "dialect/tk/TkOffsetOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/tile/BoundedIndex.h"
#include "passes/tile/Distribution.h"
#include "passes/tile/LoadParts.h"
#include "passes/tile/MoveIntoEach.h"
#include "passes/tile/WarpgroupFit.h"
#include "remarks/Remarks.h"
#include "target/HopperModel.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

//===----------------------------------------------------------------------===//
// Where registers do not suffice
//===----------------------------------------------------------------------===//

static TileHolder getHolder(KernelOp kernel) {
  EachOp each = findEach(kernel);
  return each && each.getWorker() == EachWorker::Warp ? TileHolder::Warp : TileHolder::Warpgroups;
}

/// Where the most registers are alive if they fit no number of warpgroups, otherwise null. With
/// `hasRoom`, they fit if surely nothing spills.
static Operation *findTightPlace(KernelOp kernel, bool hasRoom) {
  Operation *place = nullptr;
  for (int64_t consumers : getPossibleConsumers(kernel)) {
    TileRegisters tiles(kernel, getSharers(kernel, consumers), getHolder(kernel));
    const int64_t available =
        hasRoom ? getMaxTileRegisters(kernel, consumers) : getTileRegisterLimit(kernel, consumers);
    if (tiles.getPeak().registers <= available)
      return nullptr;
    if (!place)
      place = tiles.getPeak().op;
  }
  return place;
}

//===----------------------------------------------------------------------===//
// The code that is cut
//===----------------------------------------------------------------------===//

static bool isColumnVector(Type type) {
  auto vector = dyn_cast<TileVectorType>(type);
  return vector && vector.getOrientation() == Orientation::Column;
}

/// `type`, a tile or vector, with `columns` columns or elements.
static Type withColumns(Type type, int64_t columns) {
  if (auto tile = dyn_cast<TileType>(type))
    return TileType::get(type.getContext(), tile.getRows(), columns, tile.getElementType(),
                         tile.getSpace(), tile.getLayout());
  auto vector = cast<TileVectorType>(type);
  return TileVectorType::get(type.getContext(), columns, vector.getElementType(), vector.getSpace(),
                             vector.getOrientation());
}

/// A branch around stores, with which only some warps store.
static bool isGuard(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  return branch && branch.getNumResults() == 0 && branch.getElseRegion().empty() &&
         llvm::all_of(branch.thenBlock()->without_terminator(),
                      [](Operation &inner) { return isa<StoreOp, ScatterOp>(inner); });
}

/// Values from outside of the operation that it reads, those of its regions included.
static llvm::SetVector<Value> getRead(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

/// Marks a scope of warpgroups that share the columns of the tiles that are cut.
static constexpr llvm::StringLiteral sharesColumnsAttrName = "tk.shares_columns";

namespace {
/// A block of columns that is computed at a time.
struct ColumnBlock {
  Value index;       ///< among all blocks
  int64_t first = 0; ///< its first column, where that is a constant
  int64_t part = 0;  ///< of the loads that come in parts: the one with the block
  Value indexInPart;
};

/// Straight-line code of one block, of whose operations some are cut into blocks of columns.
class StraightLine {
public:
  /// The code around `inside`, an operation that touches tiles.
  explicit StraightLine(Operation *inside);

  /// Finds what can be cut; false if nothing can.
  bool choose();

  /// True if whole tiles are read in several sweeps and there is no room for those of two points,
  /// so that no second block shares the SM, and several warpgroups could share the columns.
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
    return isUnrolled && llvm::any_of(chosen, [](Operation *op) { return isa<ReadOp>(op); });
  }
  /// The first of the widest tiles.
  Value getWidest() const { return widest; }

private:
  bool isCut(Type type) const;
  bool isCut(Value value) const { return isCut(value.getType()); }
  bool mayBeCut(Operation *op) const;
  bool isNeededWhole(Operation *op) const;
  void numberSweeps();
  bool isRoot(Operation *op) const;
  SmallVector<LoadOp> findLoads() const;
  std::optional<bool> choosesLoads(int64_t columns) const;
  void emitSweep(Operation *end, unsigned sweep, int64_t columns);
  llvm::SmallPtrSet<Operation *, 16> findNeeded(unsigned sweep) const;
  SmallVector<ReduceOp> getReductions(unsigned sweep) const;
  SmallVector<Value> emitLoop(OpBuilder &builder, Location loc, unsigned sweep, int64_t part,
                              int64_t columns, ValueRange begin) const;
  bool isReadWholeTwice() const;
  int64_t choosesParts(int64_t columns) const;
  Value combineWorkers(OpBuilder &builder, ReduceOp reduce, Value own) const;
  void loadParts();
  void cloneBlock(OpBuilder &builder, unsigned sweep, const ColumnBlock &block, int64_t columns,
                  IRMapping &blocks, IRMapping &values) const;
  Value getBlock(OpBuilder &builder, Value value, int64_t first, int64_t columns,
                 IRMapping &values) const;
  Operation *clone(OpBuilder &builder, Operation *op, const ColumnBlock &block, int64_t columns,
                   IRMapping &values) const;
  Value loadBlock(OpBuilder &builder, LoadOp load, Value block, int64_t columns,
                  IRMapping &values) const;
  Value getIndex(OpBuilder &builder, Location loc, Value index, Value block, int64_t columns) const;

  SmallVector<Operation *> ops;              ///< all of the code
  llvm::SmallPtrSet<Operation *, 16> chosen; ///< those that are cut
  llvm::DenseMap<Operation *, unsigned> sweeps;
  unsigned lastSweep = 0;
  int64_t width = 0;
  Value widest;
  bool isUnrolled = false;         ///< slices of registers have constant places
  std::vector<IRMapping> unrolled; ///< what there is of each block
  SmallVector<LoadOp> loads;       ///< of tiles that nobody else reads
  bool loadsBlocks = false;        ///< the sweeps load, not the code before them
  int64_t workers = 1;             ///< that share the columns
  Value worker;                    ///< the number of this one
  int64_t parts = 1;               ///< that whole tiles are loaded in
  llvm::DenseMap<Operation *, SmallVector<LoadOp>> partsOf;
};
} // namespace

/// Operations between which code is looked at apart.
static bool isBoundary(Operation *op) {
  return isa<MmaOp>(op) || op->hasTrait<OpTrait::IsTerminator>() ||
         (op->getNumRegions() > 0 && !isa<MapOp>(op) && !isGuard(op));
}

StraightLine::StraightLine(Operation *inside) {
  if (isGuard(inside->getParentOp()))
    inside = inside->getParentOp();
  if (isBoundary(inside))
    return;
  Operation *first = inside;
  while (first->getPrevNode() && !isBoundary(first->getPrevNode()))
    first = first->getPrevNode();
  for (Operation *op = first; op && !isBoundary(op); op = op->getNextNode()) {
    ops.push_back(op);
    for (Value value : op->getResults())
      if (auto tile = dyn_cast<TileType>(value.getType());
          tile && tile.isRegister() && tile.getLayout() == Layout::Row && tile.getCols() > width) {
        width = tile.getCols();
        widest = value;
      }
  }
}

int64_t StraightLine::getMostColumns() const {
  auto each = dyn_cast<EachOp>(ops.front()->getParentOp());
  bool goesByIndex = llvm::any_of(ops, [](Operation *op) { return isa<GatherOp, ScatterOp>(op); });
  return goesByIndex || (each && each.getAlone()) ? 64 : 128;
}

bool StraightLine::isCut(Type type) const {
  if (auto tile = dyn_cast<TileType>(type))
    return tile.isRegister() && tile.getLayout() == Layout::Row && tile.getCols() == width;
  auto vector = dyn_cast<TileVectorType>(type);
  return vector && vector.getOrientation() == Orientation::Row && vector.getLength() == width;
}

bool StraightLine::mayBeCut(Operation *op) const {
  auto areCut = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value value) { return isCut(value); });
  };
  if (isGuard(op))
    return llvm::all_of(cast<scf::IfOp>(op).thenBlock()->without_terminator(),
                        [&](Operation &inner) { return mayBeCut(&inner); });
  if (auto map = dyn_cast<MapOp>(op))
    return areCut(map.getResults()) && llvm::all_of(map.getInputs(), [&](Value input) {
             return isCut(input) || isColumnVector(input.getType());
           });
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return isCut(reduce.getSource());
  if (auto store = dyn_cast<StoreOp>(op))
    return isCut(store.getValue()) && !store.getDest().getType().getInFragments();
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return isCut(scatter.getValue()) && isa<TileType>(scatter.getValue().getType()) &&
           !scatter.getDest().getType().getInFragments();
  if (auto gather = dyn_cast<GatherOp>(op))
    return isCut(gather.getResult()) && isa<TileType>(gather.getResult().getType()) &&
           !gather.getSource().getType().getInFragments();
  return isa<ReadOp, FillOp, SwapPairsOp>(op) && areCut(op->getResults());
}

/// True if somebody who is not cut reads a tile of `op`, or `op` reads a vector that is not.
bool StraightLine::isNeededWhole(Operation *op) const {
  Block *block = op->getBlock();
  for (Value result : op->getResults())
    for (Operation *user : result.getUsers())
      if (isCut(result) && !chosen.contains(block->findAncestorOpInBlock(*user)))
        return true;
  return llvm::any_of(getRead(op), [&](Value value) {
    return isCut(value) && isa<TileVectorType>(value.getType()) &&
           !chosen.contains(value.getDefiningOp());
  });
}

/// True for the operations for whose sake a sweep is made: stores, and reductions of rows.
bool StraightLine::isRoot(Operation *op) const {
  auto reduce = dyn_cast<ReduceOp>(op);
  return isa<StoreOp, ScatterOp, scf::IfOp>(op) || (reduce && reduce.getAlong() == Along::Rows);
}

/// A value that rows have been combined to is there in the sweep after that.
void StraightLine::numberSweeps() {
  llvm::DenseMap<Value, unsigned> known;
  for (Operation *op : ops) {
    unsigned sweep = 0;
    for (Value value : getRead(op))
      sweep = std::max(sweep, known.lookup(value));
    sweeps[op] = sweep;
    const bool combinesRows = chosen.contains(op) && isa<ReduceOp>(op) && isRoot(op);
    for (Value result : op->getResults())
      known[result] = sweep + combinesRows;
    lastSweep = std::max(lastSweep, sweep);
  }
}

bool StraightLine::choose() {
  for (Operation *op : ops)
    if (mayBeCut(op))
      chosen.insert(op);
  auto isWhole = [&](Operation *op) { return chosen.contains(op) && isNeededWhole(op); };
  while (true) {
    const auto *found = llvm::find_if(ops, isWhole);
    if (found == ops.end())
      break;
    chosen.erase(*found);
  }
  if (llvm::none_of(ops, [&](Operation *op) { return chosen.contains(op) && isRoot(op); }))
    return false;
  for (Operation *op : ops)
    if (chosen.contains(op))
      isUnrolled |= llvm::any_of(getRead(op), [&](Value value) {
        return isCut(value) && !chosen.contains(value.getDefiningOp());
      });
  numberSweeps();
  return true;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// True for a load that brings all tiles of the grid the same.
static bool isSameForAll(LoadOp load) {
  return llvm::all_of(load.getIndices(), [&](Value index) {
    return !load->getParentOfType<GridOp>()->isAncestor(index.getParentBlock()->getParentOp());
  });
}

/// Loads of tiles that only this code reads, whole.
SmallVector<LoadOp> StraightLine::findLoads() const {
  llvm::SetVector<LoadOp> loads;
  for (Operation *op : ops) {
    auto read = dyn_cast<ReadOp>(op);
    auto load = read && chosen.contains(op) ? read.getSource().getDefiningOp<LoadOp>() : LoadOp();
    if (load && load->getBlock() == op->getBlock() && isa<TileType>(load.getResult().getType()) &&
        !load.getRing() && countPages(load) == 1 && !(isUnrolled && isSameForAll(load)) &&
        !load.getSource().getType().getInFragments() &&
        llvm::all_of(load.getResult().getUsers(), [&](Operation *user) {
          auto reader = dyn_cast<ReadOp>(user);
          return reader && chosen.contains(user) && reader.getIndices().empty();
        }))
      loads.insert(load);
  }
  return loads.takeVector();
}

/// Tiles that a statement in the block makes: one for each worker of a scope.
static int64_t countTilesOf(Block *block) {
  auto each = dyn_cast<EachOp>(block->getParentOp());
  return each && !each.getAlone() ? each.getCount() : 1;
}

/// True if whole tiles of the loads do not fit shared memory; nothing if their blocks do not,
/// either.
std::optional<bool> StraightLine::choosesLoads(int64_t columns) const {
  // Beside the rings of a loop, those of an epilogue are small.
  if (isUnrolled)
    return !loads.empty();
  int64_t whole = 0, staging = 0, others = 0;
  for (LoadOp load : ops.front()->getBlock()->getOps<LoadOp>()) {
    const bool isCut = llvm::is_contained(loads, load);
    auto tile = dyn_cast<TileType>(load.getResult().getType());
    auto vector = dyn_cast<TileVectorType>(load.getResult().getType());
    (isCut ? whole : others) += tile ? tile.getBytes() : vector.getBytes();
  }
  for (Operation *op : ops)
    if (chosen.contains(op))
      op->walk([&](StoreOp store) {
        if (auto tile = dyn_cast<TileType>(store.getValue().getType()))
          staging += tile.getRows() * columns *
                     getStorageBits(store.getDest().getType().getElementType()) / 8;
      });
  const int64_t count = countTilesOf(ops.front()->getBlock());
  whole *= workers > 1 ? 1 : count; // that they share
  constexpr int64_t barriers = 256;
  const int64_t budget = hopper::sharedBudget - staging * count - 2 * others - barriers;
  // One sweep can load the next tile while it computes this one; with several, memory has time
  // while none of them reads it.
  const int64_t stages = lastSweep > 0 ? 1 : 2;
  if (whole * stages <= budget)
    return false;
  return 2 * whole / (width / columns) <= budget ? std::optional(true) : std::nullopt;
}

bool StraightLine::isReadWholeTwice() const {
  int64_t whole = 0;
  for (LoadOp load : loads)
    whole += cast<TileType>(load.getResult().getType()).getBytes();
  return !isUnrolled && !loadsBlocks && lastSweep > 0 && 2 * whole > hopper::sharedBudget;
}

bool StraightLine::wantsWarpgroups() {
  loads = findLoads();
  return isReadWholeTwice() && llvm::none_of(ops, [&](Operation *op) {
           auto reduce = dyn_cast<ReduceOp>(op);
           return reduce && chosen.contains(op) && reduce.getInit();
         });
}

/// The parts that tiles are loaded in which several sweeps read and of which no two fit.
int64_t StraightLine::choosesParts(int64_t columns) const {
  if (!isReadWholeTwice())
    return 1;
  // Of one block there would be no loop, and what sweeps have in common would be computed once.
  const int64_t count = width / columns / workers;
  return count % 8 == 0 ? 4 : count % 4 == 0 ? 2 : 1;
}

//===----------------------------------------------------------------------===//
// Cutting
//===----------------------------------------------------------------------===//

static Value getConstant(OpBuilder &builder, Location loc, int64_t number) {
  return builder.create<arith::ConstantIntOp>(loc, number, 32);
}

/// The place of a block among those of its size, where `index` counts whole tiles.
Value StraightLine::getIndex(OpBuilder &builder, Location loc, Value index, Value block,
                             int64_t columns) const {
  loc = getUnnamedLoc(loc);
  Value first = builder.createOrFold<arith::MulIOp>(loc, boundIndex(builder, loc, index, width),
                                                    getConstant(builder, loc, width / columns));
  return builder.createOrFold<arith::AddIOp>(loc, first, block);
}

/// A block of a load that a sweep makes.
Value StraightLine::loadBlock(OpBuilder &builder, LoadOp load, Value block, int64_t columns,
                              IRMapping &values) const {
  if (Value loaded = values.lookupOrNull(load.getResult()))
    return loaded;
  Location loc = load.getLoc(), unnamed = getUnnamedLoc(loc);
  SmallVector<Value> indices(load.getIndices());
  if (auto offset = indices.back().getDefiningOp<OffsetOp>()) {
    Value first =
        builder.createOrFold<arith::MulIOp>(unnamed, block, getConstant(builder, unnamed, columns));
    first = builder.createOrFold<arith::AddIOp>(unnamed, offset.getElements(), first);
    indices.back() = builder.create<OffsetOp>(unnamed, builder.getI32Type(), first);
  } else {
    indices.back() = getIndex(builder, loc, indices.back(), block, columns);
  }
  auto part = builder.create<LoadOp>(loc, withColumns(load.getResult().getType(), columns),
                                     load.getSource(), ValueRange(indices));
  part.setPolicyAttr(load.getPolicyAttr());
  values.map(load.getResult(), part.getResult());
  return part.getResult();
}

/// The block of a tile that is cut: the one that was computed, or a slice of the whole one.
Value StraightLine::getBlock(OpBuilder &builder, Value value, int64_t first, int64_t columns,
                             IRMapping &values) const {
  if (!isCut(value))
    return value;
  if (!values.contains(value))
    values.map(value, builder.create<SliceOp>(value.getLoc(), withColumns(value.getType(), columns),
                                              value, ArrayRef<int64_t>{0, first}));
  return values.lookup(value);
}

/// The operation on a block, of whose operands `values` has the blocks.
Operation *StraightLine::clone(OpBuilder &builder, Operation *op, const ColumnBlock &block,
                               int64_t columns, IRMapping &values) const {
  const Location loc = op->getLoc(), unnamed = getUnnamedLoc(loc);
  if (auto read = dyn_cast<ReadOp>(op)) {
    Type type = withColumns(read.getResult().getType(), columns);
    auto load = read.getSource().getDefiningOp<LoadOp>();
    if (loadsBlocks && llvm::is_contained(loads, load))
      return builder.create<ReadOp>(
          loc, type, loadBlock(builder, load, block.index, columns, values), ValueRange());
    if (load && partsOf.contains(load))
      return builder.create<ReadOp>(
          loc, type, LoadOp(partsOf.lookup(load)[block.part]).getResult(),
          ValueRange{getConstant(builder, unnamed, 0), block.indexInPart});
    SmallVector<Value> indices(read.getIndices());
    if (indices.empty())
      indices.assign(isa<TileType>(type) ? 2 : 1, getConstant(builder, unnamed, 0));
    indices.back() = getIndex(builder, loc, indices.back(), block.index, columns);
    return builder.create<ReadOp>(loc, type, read.getSource(), indices);
  }
  Operation *part = builder.clone(*op, values);
  for (Value result : part->getResults())
    if (isCut(result))
      result.setType(withColumns(result.getType(), columns));
  auto movePlace = [&](MutableOperandRange indices) {
    OpBuilder before(indices.getOwner());
    OpOperand &last = indices[indices.size() - 1];
    last.set(getIndex(before, loc, last.get(), block.index, columns));
  };
  part->walk([&](Operation *inner) {
    if (auto store = dyn_cast<StoreOp>(inner))
      movePlace(store.getIndicesMutable());
    if (auto scatter = dyn_cast<ScatterOp>(inner))
      movePlace(scatter.getIndicesMutable());
    if (auto gather = dyn_cast<GatherOp>(inner))
      movePlace(gather.getIndicesMutable());
  });
  auto map = dyn_cast<MapOp>(part);
  if (!map || map.getCoordinates().empty())
    return part;
  OpBuilder before(map);
  Value first = before.createOrFold<arith::MulIOp>(unnamed, block.index,
                                                   getConstant(before, unnamed, columns));
  OpBuilder inside = OpBuilder::atBlockBegin(&map.getBody().front());
  Value column = map.getCoordinates().back();
  Value moved = inside.create<arith::AddIOp>(unnamed, column, first);
  column.replaceAllUsesExcept(moved, moved.getDefiningOp());
  return part;
}

/// The operations that the roots of a sweep need.
llvm::SmallPtrSet<Operation *, 16> StraightLine::findNeeded(unsigned sweep) const {
  llvm::SmallPtrSet<Operation *, 16> needed;
  for (Operation *op : llvm::reverse(ops)) {
    const bool isOfSweep = isRoot(op) && sweeps.lookup(op) == sweep;
    if (!chosen.contains(op) || !(isOfSweep || needed.contains(op)))
      continue;
    needed.insert(op);
    for (Value value : getRead(op))
      if (isCut(value) && chosen.contains(value.getDefiningOp()))
        needed.insert(value.getDefiningOp());
  }
  return needed;
}

/// A name for what a sweep combines: the user's, or what it is.
static Location getNamedLoc(ReduceOp reduce) {
  if (!getSourceName(reduce.getLoc()).empty())
    return reduce.getLoc();
  StringRef name = reduce.getCombine() == Combine::Add   ? "sum"
                   : reduce.getCombine() == Combine::Mul ? "product"
                   : reduce.getCombine() == Combine::Max ? "maximum"
                                                         : "minimum";
  return getNamedLoc(name, reduce.getLoc());
}

/// One block of a sweep, as far as `blocks` does not have it already. `values` has the results of
/// the sweep's reductions so far, by which they begin, and gets those with this block.
void StraightLine::cloneBlock(OpBuilder &builder, unsigned sweep, const ColumnBlock &block,
                              int64_t columns, IRMapping &blocks, IRMapping &values) const {
  llvm::SmallPtrSet<Operation *, 16> needed = findNeeded(sweep);
  for (Operation *op : ops) {
    bool isThere = op->getNumResults() > 0 && blocks.contains(op->getResult(0));
    if (!needed.contains(op) || isThere)
      continue;
    for (Value value : getRead(op))
      if (isCut(value))
        blocks.map(value, getBlock(builder, value, block.first, columns, blocks));
    auto reduce = dyn_cast<ReduceOp>(op);
    if (reduce && isRoot(op)) {
      Value sum = builder.create<ReduceOp>(getNamedLoc(reduce), reduce.getCombine(),
                                           reduce.getAlong(), blocks.lookup(reduce.getSource()),
                                           values.lookup(reduce.getResult()));
      values.map(reduce.getResult(), sum);
      continue;
    }
    // Each worker stores its own columns.
    if (auto guard = dyn_cast<scf::IfOp>(op); guard && workers > 1) {
      for (Operation &store : guard.thenBlock()->without_terminator())
        clone(builder, &store, block, columns, blocks);
      continue;
    }
    Operation *part = clone(builder, op, block, columns, blocks);
    for (auto [whole, result] : llvm::zip(op->getResults(), part->getResults()))
      blocks.map(whole, result);
  }
}

/// A vector that changes nothing where it is combined with others. A maximum with NaN is the other
/// operand, so a row of NaNs alone stays one.
static Value getNeutral(OpBuilder &builder, ReduceOp reduce) {
  const Location loc = getNamedLoc(reduce);
  auto vector = cast<TileVectorType>(reduce.getResult().getType());
  Type type = vector.getElementType();
  TypedAttr value;
  if (auto number = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = number.getFloatSemantics();
    APFloat neutral = reduce.getCombine() == Combine::Add   ? APFloat::getZero(semantics)
                      : reduce.getCombine() == Combine::Mul ? APFloat::getOne(semantics)
                                                            : APFloat::getQNaN(semantics);
    value = builder.getFloatAttr(type, neutral);
  } else {
    const unsigned bits = type.getIntOrFloatBitWidth();
    APInt neutral = reduce.getCombine() == Combine::Add   ? APInt::getZero(bits)
                    : reduce.getCombine() == Combine::Mul ? APInt(bits, 1)
                    : reduce.getCombine() == Combine::Max ? APInt::getSignedMinValue(bits)
                                                          : APInt::getSignedMaxValue(bits);
    value = builder.getIntegerAttr(type, neutral);
  }
  return builder.create<FillOp>(loc, vector,
                                builder.create<arith::ConstantOp>(getUnnamedLoc(loc), value));
}

/// Reductions of rows that a sweep makes.
SmallVector<ReduceOp> StraightLine::getReductions(unsigned sweep) const {
  SmallVector<ReduceOp> reduces;
  for (Operation *op : ops)
    if (auto reduce = dyn_cast<ReduceOp>(op);
        reduce && chosen.contains(op) && isRoot(op) && sweeps.lookup(op) == sweep)
      reduces.push_back(reduce);
  return reduces;
}

/// The sweep over the blocks of one part. `begin` and the result are what its reductions have so
/// far.
SmallVector<Value> StraightLine::emitLoop(OpBuilder &builder, Location loc, unsigned sweep,
                                          int64_t part, int64_t columns, ValueRange begin) const {
  const int64_t count = width / columns / parts; // of all workers
  auto loop = builder.create<scf::ForOp>(loc, getConstant(builder, loc, 0),
                                         getConstant(builder, loc, count / workers),
                                         getConstant(builder, loc, 1), begin);
  loop.getInductionVar().setLoc(getNamedLoc("column_block", loc));
  if (loadsBlocks)
    loop->setAttr(pipelineAttrName, PipelineAttr::get(builder.getContext(), /*stages=*/0));
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  IRMapping blocks, results;
  const SmallVector<ReduceOp> reduces = getReductions(sweep);
  for (auto [reduce, value] : llvm::zip(reduces, loop.getRegionIterArgs()))
    results.map(ReduceOp(reduce).getResult(), value);
  Value index = loop.getInductionVar();
  if (workers > 1) {
    index = inside.create<arith::MulIOp>(loc, index, getConstant(inside, loc, workers));
    index = inside.create<arith::AddIOp>(loc, index, worker);
  }
  Value among =
      inside.createOrFold<arith::AddIOp>(loc, index, getConstant(inside, loc, part * count));
  cloneBlock(inside, sweep, {among, /*first=*/0, part, index}, columns, blocks, results);
  SmallVector<Value> ends;
  for (ReduceOp reduce : reduces)
    ends.push_back(results.lookup(reduce.getResult()));
  if (!ends.empty())
    inside.create<scf::YieldOp>(loc, ends);
  return SmallVector<Value>(loop.getResults());
}

/// What all workers have combined, each its own columns, by way of shared memory.
Value StraightLine::combineWorkers(OpBuilder &builder, ReduceOp reduce, Value own) const {
  const Location loc = getNamedLoc(reduce), unnamed = getUnnamedLoc(loc);
  auto vector = cast<TileVectorType>(own.getType());
  auto all = TileVectorType::get(builder.getContext(), workers * vector.getLength(),
                                 vector.getElementType(), Space::Shared, Orientation::None);
  Value place = builder.create<AllocOp>(loc, all, /*common=*/true);
  Value written = builder.create<WriteOp>(loc, all, own, place, ValueRange{worker});
  SmallVector<Value> parts;
  for (int64_t other = 0; other < workers; ++other)
    parts.push_back(builder.create<ReadOp>(loc, vector, written,
                                           ValueRange{getConstant(builder, unnamed, other)}));
  const bool isFloat = isa<FloatType>(vector.getElementType());
  auto combine = [&](OpBuilder &inner, Value a, Value b) -> Value {
    switch (reduce.getCombine()) {
    case Combine::Add:
      return isFloat ? inner.create<arith::AddFOp>(unnamed, a, b).getResult()
                     : inner.create<arith::AddIOp>(unnamed, a, b).getResult();
    case Combine::Mul:
      return isFloat ? inner.create<arith::MulFOp>(unnamed, a, b).getResult()
                     : inner.create<arith::MulIOp>(unnamed, a, b).getResult();
    case Combine::Max:
      return isFloat ? inner.create<arith::MaxNumFOp>(unnamed, a, b).getResult()
                     : inner.create<arith::MaxSIOp>(unnamed, a, b).getResult();
    case Combine::Min:
      return isFloat ? inner.create<arith::MinNumFOp>(unnamed, a, b).getResult()
                     : inner.create<arith::MinSIOp>(unnamed, a, b).getResult();
    }
    llvm_unreachable("all ways to combine are above");
  };
  return builder
      .create<MapOp>(loc, TypeRange(vector), parts, /*coordinates=*/false,
                     [&](OpBuilder &inner, Location, ValueRange elements) {
                       Value value = elements.front();
                       for (Value element : elements.drop_front())
                         value = combine(inner, value, element);
                       inner.create<YieldOp>(unnamed, value);
                     })
      .getResult(0);
}

/// The sweep, before `end`.
void StraightLine::emitSweep(Operation *end, unsigned sweep, int64_t columns) {
  OpBuilder builder(end);
  const auto *root = llvm::find_if(ops, [&](Operation *op) {
    return chosen.contains(op) && isRoot(op) && sweeps.lookup(op) == sweep;
  });
  if (root == ops.end())
    return;
  const Location loc = getUnnamedLoc((*root)->getLoc());
  const SmallVector<ReduceOp> reduces = getReductions(sweep);
  SmallVector<Value> begin;
  for (ReduceOp reduce : reduces)
    begin.push_back(reduce.getInit() || isUnrolled ? Value(reduce.getInit())
                                                   : getNeutral(builder, reduce));
  IRMapping results;
  auto map = [&](ValueRange values) {
    for (auto [reduce, value] : llvm::zip(reduces, values))
      if (value)
        results.map(ReduceOp(reduce).getResult(), value);
  };
  map(begin);
  if (isUnrolled)
    for (int64_t i = 0; i < width / columns; ++i)
      cloneBlock(builder, sweep, {getConstant(builder, loc, i), i * columns}, columns, unrolled[i],
                 results);
  else
    for (int64_t part = 0; part < parts; ++part) {
      begin = emitLoop(builder, loc, sweep, part, columns, begin);
      map(begin);
    }
  for (ReduceOp reduce : reduces) {
    Value own = results.lookup(reduce.getResult());
    reduce.getResult().replaceAllUsesWith(workers > 1 ? combineWorkers(builder, reduce, own) : own);
  }
}

/// Loads whole tiles in parts, each of which is free when the last sweep has read it: there is no
/// room for the next tile beside this one, but for its first parts beside the last ones of this.
void StraightLine::loadParts() {
  for (LoadOp load : loads) {
    OpBuilder builder(load);
    Location loc = load.getLoc(), unnamed = getUnnamedLoc(loc);
    StringRef name = getSourceName(loc);
    for (int64_t part = 0; part < parts; ++part) {
      const int64_t columns = width / parts;
      IRMapping one;
      Value loaded = loadBlock(builder, load, getConstant(builder, unnamed, part), columns, one);
      if (!name.empty())
        loaded.setLoc(getNamedLoc((name + "_columns_" + Twine(part * columns)).str(), unnamed));
      loaded.getDefiningOp()->setAttr(isPartAttrName, builder.getUnitAttr());
      partsOf[load].push_back(loaded.getDefiningOp<LoadOp>());
    }
  }
}

bool StraightLine::cut(int64_t columns) {
  if (columns >= width || width % columns != 0)
    return false;
  if (auto each = dyn_cast<EachOp>(ops.front()->getParentOp());
      each && each.getWorker() == EachWorker::Warpgroup && each->hasAttr(sharesColumnsAttrName)) {
    workers = each.getCount();
    worker = each.getIndex();
    if (width / columns % (2 * workers) != 0) // no loop of one block
      return false;
  }
  loads = findLoads();
  std::optional<bool> chosenLoads = choosesLoads(columns);
  if (!chosenLoads)
    return false;
  loadsBlocks = *chosenLoads;
  parts = choosesParts(columns);
  if (parts > 1)
    loadParts();
  unrolled.assign(width / columns, IRMapping());
  // Every sweep stands before `end`, after what it needs and was not cut.
  OpBuilder builder(ops.back()->getContext());
  builder.setInsertionPointAfter(ops.back());
  Operation *end = getConstant(builder, getUnnamedLoc(ops.front()->getLoc()), 0).getDefiningOp();
  for (unsigned sweep = 0; sweep <= lastSweep; ++sweep) {
    for (Operation *op : ops)
      if (!chosen.contains(op) && sweeps.lookup(op) == sweep)
        op->moveBefore(end);
    emitSweep(end, sweep, columns);
  }
  for (Operation *op : llvm::reverse(ops))
    if (chosen.contains(op))
      op->erase();
  end->erase();
  if (loadsBlocks || parts > 1)
    for (LoadOp load : loads)
      load->erase();
  return true;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Each store of a branch in a branch of its own, so that one may be cut and the other one not.
static void divideGuards(KernelOp kernel) {
  kernel.walk([](scf::IfOp branch) {
    if (!isGuard(branch))
      return;
    Block &body = *branch.thenBlock();
    while (!llvm::hasSingleElement(body.without_terminator())) {
      OpBuilder builder(branch);
      auto first = builder.create<scf::IfOp>(branch.getLoc(), branch.getCondition(),
                                             /*withElseRegion=*/false);
      body.front().moveBefore(first.thenYield());
    }
  });
}

/// True if the kernel fits with blocks of `columns` columns, which so many warpgroups share.
static bool cutsAll(KernelOp kernel, int64_t warpgroups, int64_t columns, bool hasRoom) {
  constexpr unsigned mostPlaces = 8;
  if (warpgroups > 1) {
    GridOp grid = *kernel.getOps<GridOp>().begin();
    EachOp each = moveIntoEach(grid, EachWorker::Warpgroup, warpgroups, /*alone=*/false);
    each->setAttr(sharesColumnsAttrName, UnitAttr::get(kernel.getContext()));
  }
  divideGuards(kernel);
  for (unsigned i = 0; i < mostPlaces; ++i) {
    Operation *place = findTightPlace(kernel, hasRoom);
    if (!place)
      return true;
    StraightLine code(place);
    if (!code.choose() || !code.cut(columns))
      return false;
  }
  return false;
}

/// True if two warpgroups can share the columns of a kernel whose tiles have the rows of one.
static bool mayShareColumns(KernelOp kernel, StraightLine &code) {
  return !findEach(kernel) && !kernel.getConsumers() && !kernel.getRegisters() &&
         !kernel->hasAttr(pingpongTilesAttrName) && !kernel->hasAttr(blocksPerSmAttrName) &&
         llvm::equal(getPossibleConsumers(kernel), ArrayRef<int64_t>{1}) &&
         !kernel.walk([](MmaOp) { return WalkResult::interrupt(); }).wasInterrupted() &&
         code.choose() && code.wantsWarpgroups();
}

/// Cuts where tiles do not fit the registers.
static bool cutWhereTight(KernelOp kernel) {
  Operation *place = findTightPlace(kernel, /*hasRoom=*/false);
  if (!place)
    return false;
  StraightLine code(place);
  const int64_t width = code.getWidth();
  const int64_t warpgroups = mayShareColumns(kernel, code) ? 2 : 1;
  for (bool hasRoom : {true, false})
    for (int64_t columns : {128, 64, 32, 16})
      for (int64_t sharers = warpgroups; sharers > 0; --sharers) {
        if (columns > code.getMostColumns())
          continue;
        OwningOpRef<KernelOp> trial = cast<KernelOp>(kernel->clone());
        if (!cutsAll(*trial, sharers, columns, hasRoom))
          continue;
        reportRemark(kernel, getDeclaration(code.getWidest()),
                     sharers > 1 ? Remark::StripMinedShared : Remark::StripMined, width, columns);
        kernel.getBody().takeBody(trial->getBody());
        return true;
      }
  return false;
}

/// Cuts the epilogues of loops of MMAs that read tiles or vectors of their own. Beside the
/// accumulators these would need many registers, and shared memory that the loop's rings need.
static bool cutEpilogues(KernelOp kernel) {
  constexpr int64_t columns = 64; // of 16 bits, a row of a swizzle atom
  bool changed = false;
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (!loop.getBody()->getOps<MmaOp>().empty() && loop->getNextNode())
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    StraightLine code(loop->getNextNode());
    if (code.getWidth() <= 2 * columns || !code.choose() || !code.readsBesideSlices())
      continue;
    const int64_t width = code.getWidth();
    const Location loc = getDeclaration(code.getWidest());
    if (!code.cut(columns))
      continue;
    reportRemark(kernel, loc, Remark::StripMinedEpilogue, width, columns);
    changed = true;
  }
  return changed;
}

bool tkc::stripMine(KernelOp kernel) {
  if (kernel->hasAttr(reducersAttrName) || getReducerTiles(kernel) > 0)
    return false;
  const bool changed = cutEpilogues(kernel);
  return cutWhereTight(kernel) || changed;
}
