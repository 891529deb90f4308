//===- PipelineLowerShared.cpp - Shared tiles that consumers read and write ==//
//
// A shared tile is a stage of a ring: one that loads fill, or a scratch tile that
// consumers write themselves, or a stage that they hand over to the reducer. A warpgroup writes and
// reads its own rows; MMAs take B whole, and A's rows as far as the warpgroup computes them. Who
// must meet before a tile may be read or written again is for tk-insert-waits to find.
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "dialect/hopper/EmissionAttributes.h"
#include "dialect/tk/SourceNames.h"
#include "passes/pipeline/PipelineConsumer.h"

using namespace mlir;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Value Consumer::getBuffer(Operation *buffer) {
  Value key = buffer->getResult(0);
  if (Value here = buffersHere.lookup(key);
      here && here.getParentBlock() == builder.getInsertionBlock())
    return here;
  Value ring = buffers.rings.lookup(buffer);
  auto type = cast<hopper::RingType>(ring.getType());
  auto tile = hopper::SharedType::get(builder.getContext(), type.getRows(), type.getCols(),
                                      type.getElementType());
  Location loc = buffer->getLoc();
  Value stage;
  LoadGroup *group = isa<tk::LoadOp>(buffer) ? loadPoints.byLoad.lookup(buffer).group : nullptr;
  if (HandOver *handed = plan.findHandOver(buffer))
    stage = builder.create<hopper::StageOp>(loc, tile, buffers.rings.lookup(buffer),
                                            handOver.lookup(handed));
  else if (group && !group->isResident)
    stage = builder.create<hopper::StageOp>(loc, tile, ring, use.lookup(group));
  else
    stage = builder.create<hopper::SlotOp>(loc, tile, ring,
                                           type.getStages() > 1 ? worker : getConstant(loc, 0));
  return buffersHere[key] = stage;
}

/// The tiles that a shared value is a part of, offset by offset, up to the buffer itself.
Value Consumer::getShared(Value value) {
  Operation *buffer = findBuffer(value);
  if (auto slice = value.getDefiningOp<tk::SliceOp>()) {
    Location loc = getUnnamedLoc(slice.getLoc());
    Value whole = getShared(slice.getSource());
    ArrayRef<int64_t> offsets = slice.getOffsets();
    if (auto vector = dyn_cast<tk::TileVectorType>(slice.getResult().getType()))
      return getPart(loc, whole, {}, 1, getConstant(loc, offsets[0]), vector.getLength());
    auto tile = cast<tk::TileType>(slice.getResult().getType());
    auto getFirst = [&](unsigned dim) -> Value {
      Value offset = getConstant(loc, offsets[dim]);
      if (slice.getIndices().empty() || matchPattern(slice.getIndices()[dim], m_Zero()))
        return offset;
      Value index = values.lookup(slice.getIndices()[dim]);
      return offsets[dim] == 0 ? index : builder.create<arith::AddIOp>(loc, index, offset);
    };
    return getPart(loc, whole, getFirst(0), tile.getRows(), getFirst(1), tile.getCols());
  }
  if (auto write = value.getDefiningOp<tk::WriteOp>())
    return getShared(write.getDest());
  Value whole = getBuffer(buffer);
  auto type = cast<hopper::SharedType>(whole.getType());
  Location loc = getUnnamedLoc(buffer->getLoc());
  HandOver *handed = plan.findHandOver(buffer);
  bool isForWorkers = isa<tk::LoadOp>(buffer) ? plan.getCopies(cast<tk::LoadOp>(buffer)) > 1
                                              : handed && handed->copies > 1;
  if (auto vector = dyn_cast<tk::TileVectorType>(value.getType())) {
    int64_t padded = isForWorkers ? type.getCols() / plan.distribution.workers : 0;
    Value first = isForWorkers ? multiply(loc, worker, padded) : getConstant(loc, 0);
    return getPart(loc, whole, {}, 1, first, vector.getLength());
  }
  auto tile = cast<tk::TileType>(value.getType());
  Value first = isForWorkers ? multiply(loc, worker, tile.getRows()) : getConstant(loc, 0);
  return getPart(loc, whole, first, tile.getRows(), {}, tile.getCols());
}

Value Consumer::getOwnPart(Location loc, Value shared, Type registerType, ValueRange indices) {
  int64_t sharers = plan.distribution.getSharers();
  auto getFirst = [&](unsigned index, int64_t extent) {
    return indices.empty() ? getConstant(loc, 0)
                           : multiply(loc, values.lookup(indices[index]), extent);
  };
  auto addOwn = [&](Value first, int64_t rows) {
    Value own = getFirstRow(loc, rows);
    return own ? add(loc, first, own) : first;
  };
  if (auto vector = dyn_cast<tk::TileVectorType>(registerType)) {
    Value first = getFirst(0, vector.getLength());
    if (vector.getOrientation() == tk::Orientation::Row)
      return getPart(loc, shared, {}, 1, first, vector.getLength());
    int64_t length = vector.getLength() / sharers;
    return getPart(loc, shared, {}, 1, addOwn(first, length), length);
  }
  auto tile = cast<tk::TileType>(registerType);
  int64_t rows = tile.getRows() / sharers;
  Value firstRow = addOwn(getFirst(0, tile.getRows()), rows);
  return getPart(loc, shared, firstRow, rows, getFirst(1, tile.getCols()), tile.getCols());
}

void Consumer::inOneWarpgroup(Location loc, function_ref<void()> build) {
  if (plan.distribution.getSharers() == 1)
    return build();
  Value isFirst =
      builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, worker, getConstant(loc, 0));
  auto branch = builder.create<scf::IfOp>(loc, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenYield());
  build();
}

/// True for what every warpgroup holds whole.
static bool isHeldByAll(Value value) {
  auto vector = dyn_cast<tk::TileVectorType>(value.getType());
  return vector && vector.getOrientation() == tk::Orientation::Row;
}

//===----------------------------------------------------------------------===//
// Reads, writes, stores
//===----------------------------------------------------------------------===//

void Consumer::readTransposed(tk::ReadOp read, Operation *transpose) {
  Location loc = getUnnamedLoc(read.getLoc());
  auto tile = cast<tk::TileType>(read.getResult().getType());
  auto getFirst = [&](unsigned index, int64_t extent) {
    return read.getIndices().empty()
               ? getConstant(loc, 0)
               : multiply(loc, values.lookup(read.getIndices()[index]), extent);
  };
  // This warpgroup's rows of the transpose are columns.
  int64_t cols = tile.getCols() / plan.distribution.getSharers();
  Value firstCol = getFirst(1, tile.getCols());
  if (Value own = getFirstRow(loc, cols))
    firstCol = add(loc, firstCol, own);
  Value part = getPart(loc, getShared(read.getSource()), getFirst(0, tile.getRows()),
                       tile.getRows(), firstCol, cols);
  Value result = transpose->getResult(0);
  auto lowered =
      builder.create<hopper::LoadFragmentOp>(transpose->getLoc(), getHeldType(result), part);
  lowered->setAttr(hopper::transposedAttrName, builder.getUnitAttr());
  values.map(result, lowered.getResult());
}

void Consumer::visit(tk::ReadColumnOp read) {
  auto lowered = builder.create<hopper::LoadColumnOp>(
      read.getLoc(), cast<hopper::FragmentVectorType>(getHeldType(read.getResult())),
      getShared(read.getSource()), values.lookup(read.getColumn()));
  values.map(read.getResult(), lowered.getResult());
}

void Consumer::readAsItIs(tk::ReadOp read) {
  Location loc = read.getLoc();
  Value part = getOwnPart(getUnnamedLoc(loc), getShared(read.getSource()),
                          read.getResult().getType(), read.getIndices());
  auto lowered = builder.create<hopper::LoadFragmentOp>(loc, getHeldType(read.getResult()), part);
  auto load = dyn_cast_or_null<tk::LoadOp>(findBuffer(read.getSource()));
  lowered.setInOrder((load && load.getSource().getType().getInFragments()) ||
                     plan.isInOrder(findBuffer(read.getSource())));
  values.map(read.getResult(), lowered.getResult());
}

void Consumer::visit(tk::ReadOp read) {
  takeForReading(read);
  if (Operation *transpose = plan.findTranspose(read))
    readTransposed(read, transpose);
  else
    readAsItIs(read);
  meetAfterReading(read);
  giveBack(read);
}

void Consumer::visit(tk::WriteOp write) {
  Location loc = getUnnamedLoc(write.getLoc());
  Value value = getHeld(write.getValue());
  HandOver *ring = plan.findHandOver(findBuffer(write.getDest()));
  if (ring && ring->writes.front() == write && !isInPart)
    takeForWriting(*ring);
  Value shared = getShared(write.getDest());
  auto store = [&] {
    Value part = getOwnPart(loc, shared, write.getValue().getType(), write.getIndices());
    if (isa<hopper::FragmentVectorType>(value.getType()))
      builder.create<hopper::StoreVectorOp>(loc, value, part,
                                            plan.isInOrder(findBuffer(write.getDest())));
    else
      builder.create<hopper::StoreFragmentOp>(loc, value, getConstant(loc, 0), getConstant(loc, 0),
                                              part);
  };
  if (isHeldByAll(write.getValue()))
    inOneWarpgroup(loc, store);
  else
    store();
  if (ring && ring->writes.back() == write && !isInPart)
    handOn(*ring);
}

void Consumer::visit(tk::StoreOp store) {
  takeBack(store);
  Location loc = getUnnamedLoc(store.getLoc());
  Value source = store.getValue();
  Value value;
  if (!isShared(source.getType())) {
    value = getHeld(source);
  } else {
    // By way of registers, as the tile that they would hold.
    Type type;
    if (auto tile = dyn_cast<tk::TileType>(source.getType()))
      type = tk::TileType::get(builder.getContext(), tile.getRows(), tile.getCols(),
                               tile.getElementType(), tk::Space::Register, tk::Layout::Row);
    else
      type = tk::TileVectorType::get(builder.getContext(),
                                     cast<tk::TileVectorType>(source.getType()).getLength(),
                                     cast<tk::TileVectorType>(source.getType()).getElementType(),
                                     tk::Space::Register, tk::Orientation::Row);
    value = builder.create<hopper::LoadFragmentOp>(loc, plan.distribution.getHeldType(type),
                                                   getOwnPart(loc, getShared(source), type, {}));
  }
  if (isa<hopper::FragmentType>(value.getType()))
    return cast<tk::GlobalType>(store.getDest().getType()).getInFragments()
               ? buildFragmentStore(*this, store, value, worker)
               : buildStore(*this, store, value, worker);
  bool isWhole =
      cast<hopper::FragmentVectorType>(value.getType()).getOrientation() == tk::Orientation::Row;
  if (isWhole)
    inOneWarpgroup(loc, [&] { buildVectorStore(*this, store, value, worker); });
  else
    buildVectorStore(*this, store, value, worker);
}

//===----------------------------------------------------------------------===//
// MMAs
//===----------------------------------------------------------------------===//

void Consumer::closeGroup() {
  if (!openGroup)
    return;
  builder.create<hopper::CommitWgmmaOp>(getUnnamedLoc(openGroup->getLoc()));
  openGroup = nullptr;
  for (Operation *read : std::exchange(deferred, {}))
    if (auto vector = dyn_cast<tk::ReadOp>(read))
      visit(vector);
    else
      readElement(read);
}

void Consumer::visit(tk::MmaOp mma) {
  Location loc = mma.getLoc(), unnamed = getUnnamedLoc(loc);
  if (!isShared(mma.getB().getType())) {
    Value acc = getHeld(mma.getAcc(), findTileName(mma.getResult()), loc, /*isOverwritten=*/false);
    auto lowered = builder.create<hopper::MmaSyncOp>(loc, acc.getType(), acc, getHeld(mma.getA()),
                                                     getHeld(mma.getB()));
    values.map(mma.getResult(), lowered.getResult());
    return;
  }
  if (isReducer)
    takeForReading(mma);
  bool isFresh = isZeroFill(mma.getAcc());
  Value accumulate = overwritten.lookup(mma.getAcc());
  if (!accumulate)
    accumulate = builder.create<arith::ConstantIntOp>(unnamed, !isFresh, 1);
  Value acc = getHeld(mma.getAcc(), findTileName(mma.getResult()), loc, isFresh);
  Value a = isShared(mma.getA().getType()) ? getMmaRows(mma) : getHeld(mma.getA());
  auto wgmma = builder.create<hopper::WgmmaOp>(loc, acc.getType(), mma.getForm(), acc, a,
                                               getShared(mma.getB()), accumulate, mma.getSums(),
                                               mma.getSubtracts());
  values.map(mma.getResult(), wgmma.getResult());
  openGroup = mma;
  if (isReducer)
    giveBack(mma);
}

/// Of a shared A what this warpgroup multiplies: its rows, or its columns if A is transposed.
Value Consumer::getMmaRows(tk::MmaOp mma) {
  Location loc = getUnnamedLoc(mma.getLoc());
  Value a = getShared(mma.getA());
  auto type = cast<hopper::SharedType>(a.getType());
  int64_t sharers = plan.distribution.getSharers();
  if (sharers == 1)
    return a;
  if (mma.isATransposed()) {
    int64_t cols = type.getCols() / sharers;
    return getPart(loc, a, {}, type.getRows(), getFirstRow(loc, cols), cols);
  }
  int64_t rows = type.getRows() / sharers;
  return getPart(loc, a, getFirstRow(loc, rows), rows, {}, type.getCols());
}
