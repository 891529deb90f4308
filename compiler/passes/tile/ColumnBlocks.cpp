//===- ColumnBlocks.cpp - Sweeps over blocks of columns -------------------===//
//
// Writes straight-line code as sweeps (StripMine.cpp says what these are): a loop over blocks of
// columns, or, where slices of registers are read, the blocks one after the other. Of warpgroups
// that share the columns, each has a loop over its own blocks, and all of them meet after a sweep.
//
//===----------------------------------------------------------------------===//
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TkOffsetOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/tile/BoundedIndex.h"
#include "passes/tile/LoadParts.h"
#include "passes/tile/StraightLine.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

static Value getConstant(OpBuilder &builder, Location loc, int64_t number) {
  return builder.create<arith::ConstantIntOp>(loc, number, 32);
}

/// The place of a block among those of its size, where `index` counts whole tiles.
Value StraightLine::getIndex(OpBuilder &builder, Location loc, Value index, Value block) const {
  loc = getUnnamedLoc(loc);
  Value first = builder.createOrFold<arith::MulIOp>(loc, boundIndex(builder, loc, index, width),
                                                    getConstant(builder, loc, width / columns));
  return builder.createOrFold<arith::AddIOp>(loc, first, block);
}

/// A block of a load that a sweep makes.
Value StraightLine::loadBlock(OpBuilder &builder, LoadOp load, Value block,
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
    indices.back() = getIndex(builder, loc, indices.back(), block);
  }
  auto loaded = builder.create<LoadOp>(loc, withColumns(load.getResult().getType(), columns),
                                       load.getSource(), ValueRange(indices));
  loaded.setPolicyAttr(load.getPolicyAttr());
  values.map(load.getResult(), loaded.getResult());
  return loaded.getResult();
}

/// The block of a tile that is cut: the one that was computed, or a slice of the whole one.
Value StraightLine::getBlock(OpBuilder &builder, Value value, int64_t first,
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
                               IRMapping &values) const {
  const Location loc = op->getLoc(), unnamed = getUnnamedLoc(loc);
  if (auto read = dyn_cast<ReadOp>(op)) {
    Type type = withColumns(read.getResult().getType(), columns);
    auto load = read.getSource().getDefiningOp<LoadOp>();
    if (loadsBlocks && llvm::is_contained(loads, load))
      return builder.create<ReadOp>(loc, type, loadBlock(builder, load, block.index, values),
                                    ValueRange());
    if (load && partsOf.contains(load))
      return builder.create<ReadOp>(
          loc, type, LoadOp(partsOf.lookup(load)[block.part]).getResult(),
          ValueRange{getConstant(builder, unnamed, 0), block.indexInPart});
    SmallVector<Value> indices(read.getIndices());
    if (indices.empty())
      indices.assign(isa<TileType>(type) ? 2 : 1, getConstant(builder, unnamed, 0));
    indices.back() = getIndex(builder, loc, indices.back(), block.index);
    return builder.create<ReadOp>(loc, type, read.getSource(), indices);
  }
  Operation *part = builder.clone(*op, values);
  for (Value result : part->getResults())
    if (isCut(result))
      result.setType(withColumns(result.getType(), columns));
  auto movePlace = [&](MutableOperandRange indices) {
    OpBuilder before(indices.getOwner());
    OpOperand &last = indices[indices.size() - 1];
    last.set(getIndex(before, loc, last.get(), block.index));
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
static Location getResultLoc(ReduceOp reduce) {
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
                              IRMapping &blocks, IRMapping &values) const {
  llvm::SmallPtrSet<Operation *, 16> needed = findNeeded(sweep);
  for (Operation *op : ops) {
    bool isThere = op->getNumResults() > 0 && blocks.contains(op->getResult(0));
    if (!needed.contains(op) || isThere)
      continue;
    for (Value value : getRead(op))
      if (isCut(value))
        blocks.map(value, getBlock(builder, value, block.first, blocks));
    auto reduce = dyn_cast<ReduceOp>(op);
    if (reduce && isRoot(op)) {
      Value sum = builder.create<ReduceOp>(getResultLoc(reduce), reduce.getCombine(),
                                           reduce.getAlong(), blocks.lookup(reduce.getSource()),
                                           values.lookup(reduce.getResult()));
      values.map(reduce.getResult(), sum);
      continue;
    }
    // Each worker stores its own columns; moveIntoEach has let the first one store all.
    if (auto guard = dyn_cast<scf::IfOp>(op); guard && workers > 1) {
      for (Operation &store : guard.thenBlock()->without_terminator())
        clone(builder, &store, block, blocks);
      continue;
    }
    Operation *part = clone(builder, op, block, blocks);
    for (auto [whole, result] : llvm::zip(op->getResults(), part->getResults()))
      blocks.map(whole, result);
  }
}

/// The combination as MLIR names it. A maximum with NaN is the other operand, so a row of NaNs
/// alone stays one.
static arith::AtomicRMWKind getKind(ReduceOp reduce) {
  const bool isFloat =
      isa<FloatType>(cast<TileVectorType>(reduce.getResult().getType()).getElementType());
  switch (reduce.getCombine()) {
  case Combine::Add:
    return isFloat ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi;
  case Combine::Mul:
    return isFloat ? arith::AtomicRMWKind::mulf : arith::AtomicRMWKind::muli;
  case Combine::Max:
    return isFloat ? arith::AtomicRMWKind::maxnumf : arith::AtomicRMWKind::maxs;
  case Combine::Min:
    return isFloat ? arith::AtomicRMWKind::minnumf : arith::AtomicRMWKind::mins;
  }
  llvm_unreachable("all ways to combine are above");
}

/// A vector that changes nothing where it is combined with others.
static Value getNeutral(OpBuilder &builder, ReduceOp reduce) {
  const Location loc = getResultLoc(reduce);
  auto vector = cast<TileVectorType>(reduce.getResult().getType());
  return builder.create<FillOp>(loc, vector,
                                arith::getIdentityValue(getKind(reduce), vector.getElementType(),
                                                        builder, getUnnamedLoc(loc)));
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
                                          int64_t part, ValueRange begin) const {
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
  cloneBlock(inside, sweep, {among, /*first=*/0, part, index}, blocks, results);
  SmallVector<Value> ends;
  for (ReduceOp reduce : reduces)
    ends.push_back(results.lookup(reduce.getResult()));
  if (!ends.empty())
    inside.create<scf::YieldOp>(loc, ends);
  return SmallVector<Value>(loop.getResults());
}

/// The values that all workers have combined, each of its own columns, by way of shared memory.
Value StraightLine::combineWorkers(OpBuilder &builder, ReduceOp reduce, Value own) const {
  const Location loc = getResultLoc(reduce), unnamed = getUnnamedLoc(loc);
  auto vector = cast<TileVectorType>(own.getType());
  auto all = TileVectorType::get(builder.getContext(), workers * vector.getLength(),
                                 vector.getElementType(), Space::Shared, Orientation::None);
  Value place = builder.create<AllocOp>(loc, all, /*common=*/true);
  Value written = builder.create<WriteOp>(loc, all, own, place, ValueRange{worker});
  SmallVector<Value> parts;
  for (int64_t other = 0; other < workers; ++other)
    parts.push_back(builder.create<ReadOp>(loc, vector, written,
                                           ValueRange{getConstant(builder, unnamed, other)}));
  return builder
      .create<MapOp>(loc, TypeRange(vector), parts, /*coordinates=*/false,
                     [&](OpBuilder &inner, Location, ValueRange elements) {
                       Value value = elements.front();
                       for (Value element : elements.drop_front())
                         value =
                             arith::getReductionOp(getKind(reduce), inner, unnamed, value, element);
                       inner.create<YieldOp>(unnamed, value);
                     })
      .getResult(0);
}

/// The sweep, before `end`.
void StraightLine::emitSweep(Operation *end, unsigned sweep) {
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
      cloneBlock(builder, sweep, {getConstant(builder, loc, i), i * columns}, unrolled[i], results);
  else
    for (int64_t part = 0; part < parts; ++part) {
      begin = emitLoop(builder, loc, sweep, part, begin);
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
  const int64_t partColumns = width / parts;
  for (LoadOp load : loads) {
    OpBuilder builder(load);
    for (int64_t part = 0; part < parts; ++part)
      partsOf[load].push_back(loadPart(builder, load, part * partColumns, partColumns));
  }
}

bool StraightLine::cut(int64_t blockColumns) {
  columns = blockColumns;
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
  std::optional<bool> chosenLoads = chooseLoads();
  if (!chosenLoads)
    return false;
  loadsBlocks = *chosenLoads;
  parts = chooseParts();
  if (workers > 1 && parts == 1 && !loadsBlocks && !fitsPoints(2))
    return false; // overlapped loads are worth more than a second warpgroup
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
    emitSweep(end, sweep);
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
