//===- PipelineLowerRegisters.cpp - Work of consumers in registers --------===//
//
// Op by op. Most work on the part that a warpgroup holds as they would on the
// whole; what differs: the coordinates of a map count from the warpgroup's first
// row, and what crosses rows (reductions of columns, transposes, scans) goes
// through shared memory where several warps hold the tile.
//
// A `col` tile is held as its transpose, so its rows are the fragment's columns.
//
//===----------------------------------------------------------------------===//
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/SourceNames.h"
#include "passes/pipeline/PipelineConsumer.h"

using namespace mlir;
using namespace tkc;

/// True for a tile that is held as its transpose.
static bool isCol(Value value) {
  auto tile = dyn_cast<tk::TileType>(value.getType());
  return tile && tile.getLayout() == tk::Layout::Col;
}

static tk::Along getHeldAlong(tk::Along along, Value tile) {
  if (!isCol(tile))
    return along;
  return along == tk::Along::Rows ? tk::Along::Columns : tk::Along::Rows;
}

Value Consumer::getHeld(Value value) { return getHeld(value, {}, value.getLoc(), false); }

Value Consumer::getHeld(Value value, StringRef name, Location declared, bool isOverwritten) {
  auto fill = value.getDefiningOp<tk::FillOp>();
  if (!fill)
    return values.lookup(value);
  // CSE makes one of equal fills, which keeps the line of the first.
  Location loc = fill->hasOneUse() ? fill.getLoc() : getUnnamedLoc(declared);
  if (!name.empty())
    loc = getNamedLoc(name, loc);
  if (isOverwritten)
    return builder.create<hopper::UninitializedOp>(loc,
                                                   cast<hopper::FragmentType>(getHeldType(value)));
  return builder.create<hopper::FillOp>(loc, getHeldType(value), values.lookup(fill.getValue()));
}

Value Consumer::getFirstRow(Location loc, int64_t rows) {
  return plan.distribution.getSharers() > 1 ? multiply(loc, worker, rows) : Value();
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

void Consumer::visit(tk::MapOp map) {
  Location loc = map.getLoc();
  SmallVector<Type> types;
  for (Value result : map.getResults())
    types.push_back(getHeldType(result));
  // The content of a fill is a scalar.
  SmallVector<Value> inputs, elements;
  for (auto [input, element] : llvm::zip(map.getInputs(), map.getElements())) {
    if (auto fill = input.getDefiningOp<tk::FillOp>()) {
      values.map(element, values.lookup(fill.getValue()));
      continue;
    }
    inputs.push_back(getHeld(input));
    elements.push_back(element);
  }
  bool hasCoordinates = !map.getCoordinates().empty();
  auto held = cast<tk::ElementsInterface>(types.front());
  Value firstRow;
  if (hasCoordinates && held.getRows() && !map.getCoordinates().front().use_empty())
    firstRow = getFirstRow(getUnnamedLoc(loc), held.getRows());
  auto build = [&](OpBuilder &body, Location, ValueRange arguments) {
    for (auto [element, argument] : llvm::zip(elements, arguments)) {
      argument.setLoc(element.getLoc());
      values.map(element, argument);
    }
    SmallVector<Value> places(arguments.drop_front(elements.size()));
    if (places.size() == 2 && isCol(map.getResult(0)))
      std::swap(places[0], places[1]);
    for (auto [coordinate, place] : llvm::zip(map.getCoordinates(), places)) {
      place.setLoc(coordinate.getLoc());
      values.map(coordinate, place);
    }
    if (firstRow)
      values.map(map.getCoordinates().front(),
                 body.create<arith::AddIOp>(getUnnamedLoc(loc), firstRow, places.front()));
    for (Operation &op : map.getBody().front())
      body.clone(op, values);
  };
  auto lowered = builder.create<hopper::MapOp>(loc, types, inputs, hasCoordinates, build);
  values.map(map.getResults(), lowered.getResults());
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

Value Consumer::getCrossWarpScratch(Location loc) {
  if (!buffers.crossWarpScratch)
    return {};
  auto ring = cast<hopper::RingType>(buffers.crossWarpScratch.getType());
  auto type = hopper::SharedType::get(builder.getContext(), ring.getRows(), ring.getCols(),
                                      ring.getElementType());
  Value index = ring.getStages() > 1 ? worker : getConstant(loc, 0);
  return builder.create<hopper::SlotOp>(loc, type, buffers.crossWarpScratch, index);
}

int64_t Consumer::getMeetingBarrier() const {
  // Ids 1 to 4 are the warpgroups' own, counted from the first one's.
  return plan.distribution.getSharers() > 1 ? 5 : 1;
}

void Consumer::visit(tk::ReduceOp reduce) {
  Location loc = reduce.getLoc();
  Type type = getHeldType(reduce.getResult());
  Value source = getHeld(reduce.getSource());
  Value init = reduce.getInit() ? getHeld(reduce.getInit()) : Value();
  if (reduce.getAlong() == tk::Along::Rows)
    values.map(reduce.getResult(),
               builder
                   .create<hopper::ReduceRowsOp>(loc, type, reduce.getCombine(), /*partial=*/false,
                                                 source, init)
                   .getResult());
  else
    values.map(reduce.getResult(),
               builder
                   .create<hopper::ReduceColumnsOp>(
                       loc, type, reduce.getCombine(), source, init, plan.distribution.getSharers(),
                       getCrossWarpScratch(getUnnamedLoc(loc)), getMeetingBarrier())
                   .getResult());
}

//===----------------------------------------------------------------------===//
// Parts and layouts
//===----------------------------------------------------------------------===//

/// One row is the sum of all rows, if the others are zeros first: that way it comes to all warps.
void Consumer::takeRow(tk::SliceOp slice) {
  Location loc = slice.getLoc();
  auto type = cast<hopper::FragmentType>(getHeldType(slice.getSource()));
  Value firstRow = getFirstRow(getUnnamedLoc(loc), type.getRows());
  auto build = [&](OpBuilder &body, Location, ValueRange arguments) {
    Location here = getUnnamedLoc(loc);
    Value row = arguments[1];
    if (firstRow)
      row = body.create<arith::AddIOp>(here, firstRow, row);
    Value isRow = body.create<arith::CmpIOp>(
        here, arith::CmpIPredicate::eq, row,
        body.create<arith::ConstantIntOp>(here, slice.getOffsets()[0], 32));
    Value zero = body.create<arith::ConstantOp>(here, body.getZeroAttr(type.getElementType()));
    Value element = body.create<arith::SelectOp>(here, isRow, arguments[0], zero);
    body.create<tk::YieldOp>(here, element);
  };
  auto masked = builder.create<hopper::MapOp>(
      getUnnamedLoc(loc), TypeRange(type), getHeld(slice.getSource()), /*coordinates=*/true, build);
  // All columns, and then those that the slice takes.
  int64_t cols = type.getCols(), first = slice.getOffsets()[1];
  auto result = cast<hopper::FragmentVectorType>(getHeldType(slice.getResult()));
  auto all = hopper::FragmentVectorType::get(builder.getContext(), cols, type.getElementType(),
                                             tk::Orientation::Row);
  Value row = builder.create<hopper::ReduceColumnsOp>(
      loc, all, tk::Combine::Add, masked.getResult(0), Value(), plan.distribution.getSharers(),
      getCrossWarpScratch(getUnnamedLoc(loc)), getMeetingBarrier());
  if (result != all)
    row = builder.create<hopper::SliceOp>(loc, result, row, 0, first);
  values.map(slice.getResult(), row);
}

void Consumer::visit(tk::SliceOp slice) {
  if (isShared(slice.getSource().getType()))
    return; // see getShared
  if (slice.takesRow())
    return takeRow(slice);
  ArrayRef<int64_t> offsets = slice.getOffsets();
  int64_t row = 0, column = 0;
  auto vector = dyn_cast<tk::TileVectorType>(slice.getSource().getType());
  if (!vector)
    row = offsets[0], column = offsets[1];
  else
    (vector.getOrientation() == tk::Orientation::Row ? column : row) = offsets[0];
  if (isCol(slice.getSource()))
    std::swap(row, column);
  if (plan.distribution.isEachWarp())
    row *= hopper::warpgroupWarps;
  auto lowered = builder.create<hopper::SliceOp>(slice.getLoc(), getHeldType(slice.getResult()),
                                                 getHeld(slice.getSource()), row, column);
  values.map(slice.getResult(), lowered.getResult());
}

void Consumer::visit(tk::ConcatOp concat) {
  SmallVector<Value> parts;
  for (Value part : concat.getParts())
    parts.push_back(getHeld(part));
  auto lowered =
      builder.create<hopper::ConcatOp>(concat.getLoc(), getHeldType(concat.getResult()),
                                       getHeldAlong(concat.getAlong(), concat.getResult()), parts);
  values.map(concat.getResult(), lowered.getResult());
}

void Consumer::visitSameOnFragments(Operation *op) {
  StringRef dialect = hopper::HopperDialect::getDialectNamespace();
  OperationState state(op->getLoc(), (dialect + "." + op->getName().stripDialect()).str());
  for (Value operand : op->getOperands())
    state.addOperands(getHeld(operand));
  for (Value result : op->getResults())
    state.addTypes(getHeldType(result));
  for (NamedAttribute attribute : op->getAttrs())
    if (!attribute.getNameDialect()) // not what passes have marked
      state.attributes.push_back(attribute);
  if (auto exchange = dyn_cast<tk::CrossWarp>(op)) {
    int64_t sharers = plan.distribution.getSharers();
    state.addAttribute("warpgroups", builder.getI64IntegerAttr(sharers));
    state.addAttribute("barrier_id", builder.getI64IntegerAttr(getMeetingBarrier()));
    // A scanner warp has whole vectors in its lanes.
    if (!isScanner && exchange.getScratchBytes(hopper::warpgroupWarps * sharers))
      if (Value scratch = getCrossWarpScratch(getUnnamedLoc(op->getLoc())))
        state.addOperands(scratch);
  }
  values.map(op->getResults(), builder.create(state)->getResults());
}

/// The tile stays, its fragment is transposed.
void Consumer::visit(tk::SwapLayoutOp swap) {
  if (values.contains(swap.getResult())) // loaded so
    return;
  auto lowered = builder.create<hopper::TransposeOp>(
      swap.getLoc(), getHeldType(swap.getResult()), getHeld(swap.getSource()),
      plan.distribution.getSharers(), getCrossWarpScratch(getUnnamedLoc(swap.getLoc())),
      getMeetingBarrier());
  values.map(swap.getResult(), lowered.getResult());
}

void Consumer::visit(tk::TransposeOp transpose) {
  if (values.contains(transpose.getResult())) // loaded so
    return;
  Value source = getHeld(transpose.getSource());
  if (isCol(transpose.getSource()) != isCol(transpose.getResult())) {
    values.map(transpose.getResult(), source);
    return;
  }
  auto lowered = builder.create<hopper::TransposeOp>(
      transpose.getLoc(), getHeldType(transpose.getResult()), source,
      plan.distribution.getSharers(), getCrossWarpScratch(getUnnamedLoc(transpose.getLoc())),
      getMeetingBarrier());
  values.map(transpose.getResult(), lowered.getResult());
}

//===----------------------------------------------------------------------===//
// Gathers and scatters
//===----------------------------------------------------------------------===//

SmallVector<Value> Consumer::getIndexedOrigin(Location loc, ValueRange indices, Type moved) {
  SmallVector<Value> origin;
  for (Value index : indices)
    origin.push_back(values.lookup(index));
  // Columns are counted in tiles; rows, and the elements of a vector, one by one.
  if (auto tile = dyn_cast<tk::TileType>(moved))
    origin.back() = countElements(loc, origin.back(), tile.getCols(), {});
  return origin;
}

void Consumer::visit(tk::ScatterOp scatter) {
  Location loc = getUnnamedLoc(scatter.getLoc());
  Type moved = scatter.getValue().getType();
  auto store = [&] {
    builder.create<hopper::ScatterOp>(loc, getHeld(scatter.getValue()),
                                      values.lookup(scatter.getDest()),
                                      getIndexedOrigin(loc, scatter.getIndices(), moved),
                                      getHeld(scatter.getIndex()), scatter.getCombineAttr());
  };
  auto vector = dyn_cast<tk::TileVectorType>(moved);
  if (vector && vector.getOrientation() == tk::Orientation::Row)
    inOneWarpgroup(loc, store);
  else
    store();
}

void Consumer::visit(tk::GatherOp gather) {
  Location loc = gather.getLoc();
  SmallVector<Value> origin =
      getIndexedOrigin(loc, gather.getIndices(), gather.getResult().getType());
  auto lowered = builder.create<hopper::GatherOp>(loc, getHeldType(gather.getResult()),
                                                  values.lookup(gather.getSource()), origin,
                                                  getHeld(gather.getIndex()));
  values.map(gather.getResult(), lowered.getResult());
}
