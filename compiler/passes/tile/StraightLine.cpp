//===- StraightLine.cpp - Code that can be computed in blocks of columns --===//
#include "passes/tile/StraightLine.h"

#include "dialect/hopper/BlockShape.h"
#include "dialect/tk/PagedLoad.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

//===----------------------------------------------------------------------===//
// The code that is cut
//===----------------------------------------------------------------------===//

static bool isColumnVector(Type type) {
  auto vector = dyn_cast<TileVectorType>(type);
  return vector && vector.getOrientation() == Orientation::Column;
}

bool tkc::isGuard(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  return branch && branch.getNumResults() == 0 && branch.getElseRegion().empty() &&
         llvm::all_of(branch.thenBlock()->without_terminator(),
                      [](Operation &inner) { return isa<StoreOp, ScatterOp>(inner); });
}

llvm::SetVector<Value> tkc::getRead(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

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
std::optional<bool> StraightLine::chooseLoads() const {
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
  constexpr int64_t barriers = 256; // bytes, more than rings and reductions need
  const int64_t budget = hopper::sharedBudget - staging * count - 2 * others - barriers;
  // One sweep can load the next tile while it computes this one; with several, memory has time
  // while none of them reads it.
  const int64_t stages = lastSweep > 0 ? 1 : 2;
  if (whole * stages <= budget)
    return false;
  return 2 * whole / (width / columns) <= budget ? std::optional(true) : std::nullopt;
}

bool StraightLine::fitsPoints(int64_t points) const {
  int64_t whole = 0;
  for (LoadOp load : loads)
    whole += cast<TileType>(load.getResult().getType()).getBytes();
  return points * whole <= hopper::sharedBudget;
}

bool StraightLine::wantsWarpgroups() {
  loads = findLoads();
  // Two blocks that load a tile while they compute one have as many warps.
  constexpr int64_t tilesOfTwoBlocks = 4;
  return !isUnrolled && lastSweep > 0 && !fitsPoints(tilesOfTwoBlocks) &&
         llvm::none_of(ops, [&](Operation *op) {
           auto reduce = dyn_cast<ReduceOp>(op);
           return isa<GatherOp>(op) || (reduce && chosen.contains(op) && reduce.getInit());
         });
}

/// The parts that tiles are loaded in which several sweeps read and of which no two fit.
int64_t StraightLine::chooseParts() const {
  if (isUnrolled || loadsBlocks || lastSweep == 0 || fitsPoints(2))
    return 1;
  // Of one block there would be no loop, and what sweeps have in common would be computed once.
  const int64_t count = width / columns / workers;
  return count % 8 == 0 ? 4 : count % 4 == 0 ? 2 : 1;
}
