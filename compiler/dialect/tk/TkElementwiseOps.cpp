//===- TkElementwiseOps.cpp - Formats and verifiers of elementwise ops ----===//
#include "dialect/tk/ElementwiseMap.h"
#include "dialect/tk/TileParts.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tkc::tk;

//===----------------------------------------------------------------------===//
// tk.map
//===----------------------------------------------------------------------===//

void MapOp::build(OpBuilder &builder, OperationState &state, TypeRange resultTypes,
                  ValueRange inputs, bool coordinates, MapBody body) {
  buildMap(builder, state, resultTypes, inputs, coordinates, body);
}

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseMap(parser, result);
}
void MapOp::print(OpAsmPrinter &printer) { printMap(*this, printer); }
LogicalResult MapOp::verify() { return verifyMap(*this); }

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The type that a reduction of the tile's rows or columns gives.
static TileVectorType getReducedType(TileType source, Along along) {
  bool rows = along == Along::Rows;
  return TileVectorType::get(source.getContext(), rows ? source.getRows() : source.getCols(),
                             source.getElementType(), Space::Register,
                             rows ? Orientation::Column : Orientation::Row);
}

void ReduceOp::build(OpBuilder &builder, OperationState &state, Combine combine, Along along,
                     Value source, Value init) {
  build(builder, state, getReducedType(cast<TileType>(source.getType()), along), combine, along,
        source, init);
}

LogicalResult ReduceOp::verify() {
  auto source = cast<TileType>(getSource().getType());
  TileVectorType wanted = getReducedType(source, getAlong());
  if (getResult().getType() != wanted)
    return emitOpError("reduces the ") << stringifyAlong(getAlong()) << " of " << source << " to "
                                       << wanted << ", not to " << getResult().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// tk.slice and tk.concat
//===----------------------------------------------------------------------===//

/// How many elements of the source the result takes along one of its extents: where a tile's column
/// or row is taken, 1 along the extent that the vector lacks.
static int64_t getTaken(int64_t extent) { return extent == 0 ? 1 : extent; }

LogicalResult SliceOp::verify() {
  auto source = cast<ElementsInterface>(getSource().getType());
  auto result = cast<ElementsInterface>(getResult().getType());
  if (getOffsets().size() != source.getRank())
    return emitOpError("takes a part of ") << source << " from " << getOffsets().size()
                                           << " offsets; it needs " << source.getRank();
  if (!getIndices().empty()) {
    auto tile = dyn_cast<TileType>(source);
    if (!tile || tile.isRegister() || getIndices().size() != getOffsets().size())
      return emitOpError("has ") << getIndices().size() << " indices into " << source
                                 << "; a shared tile takes two or none, anything else none";
  }
  if (source.getElementType() != result.getElementType())
    return emitOpError("takes elements of ")
           << source.getElementType() << " as " << result.getElementType()
           << "; convert them with tk.map";

  auto sourceTile = dyn_cast<TileType>(source), resultTile = dyn_cast<TileType>(result);
  auto sourceVector = dyn_cast<TileVectorType>(source),
       resultVector = dyn_cast<TileVectorType>(result);
  bool fits = true;
  if (sourceVector)
    fits = resultVector && sourceVector.getOrientation() == resultVector.getOrientation() &&
           sourceVector.getSpace() == resultVector.getSpace();
  else if (resultTile)
    fits = sourceTile.getLayout() == resultTile.getLayout() &&
           sourceTile.getSpace() == resultTile.getSpace();
  else
    fits = sourceTile.isRegister() && resultVector.isRegister();
  if (!fits)
    return emitOpError("takes a part of ")
           << source << " as " << result << ": a part keeps its layout and orientation";

  SmallVector<std::tuple<StringRef, int64_t, int64_t>>
      extents; // of the source, and of the part of it
  if (source.getRows())
    extents.push_back({"rows", source.getRows(), getTaken(result.getRows())});
  if (source.getCols())
    extents.push_back({"columns", source.getCols(), getTaken(result.getCols())});
  for (auto [offset, extent] : llvm::zip(getOffsets(), extents)) {
    auto [what, all, taken] = extent;
    if (offset < 0 || offset + taken > all)
      return emitOpError("takes ")
             << what << " " << offset << " to " << offset + taken - 1 << " of " << all;
  }
  return success();
}

LogicalResult ConcatOp::verify() { return verifyConcat(*this, getAlong()); }

//===----------------------------------------------------------------------===//
// tk.deinterleave and tk.interleave
//===----------------------------------------------------------------------===//

static TileType withCols(Value tile, int64_t cols) {
  auto type = cast<TileType>(tile.getType());
  return TileType::get(type.getContext(), type.getRows(), cols, type.getElementType(),
                       type.getSpace(), type.getLayout());
}

void DeinterleaveOp::build(OpBuilder &builder, OperationState &state, Value source, bool odd) {
  build(builder, state, withCols(source, cast<TileType>(source.getType()).getCols() / 2), odd,
        source);
}

LogicalResult DeinterleaveOp::verify() {
  return verifyPairs(*this, getSource().getType(), getResult().getType());
}

void InterleaveOp::build(OpBuilder &builder, OperationState &state, Value even, Value odd) {
  build(builder, state, withCols(even, cast<TileType>(even.getType()).getCols() * 2), even, odd);
}

LogicalResult InterleaveOp::verify() {
  return verifyPairs(*this, getResult().getType(), getEven().getType());
}

//===----------------------------------------------------------------------===//
// tk.swap_layout and tk.transpose
//===----------------------------------------------------------------------===//

static TileType getSwapped(TileType type) {
  Layout other = type.getLayout() == Layout::Row ? Layout::Col : Layout::Row;
  return TileType::get(type.getContext(), type.getRows(), type.getCols(), type.getElementType(),
                       type.getSpace(), other);
}

void SwapLayoutOp::build(OpBuilder &builder, OperationState &state, Value source) {
  build(builder, state, getSwapped(cast<TileType>(source.getType())), source);
}

LogicalResult SwapLayoutOp::verify() {
  auto source = cast<TileType>(getSource().getType());
  if (getResult().getType() != getSwapped(source))
    return emitOpError("turns ") << source << " into " << getSwapped(source) << ", not into "
                                 << getResult().getType();
  return success();
}

LogicalResult TransposeOp::verify() {
  auto source = cast<ElementsInterface>(getSource().getType()),
       result = cast<ElementsInterface>(getResult().getType());
  if (source.getElementType() != result.getElementType())
    return emitOpError("takes elements of ")
           << source.getElementType() << " as " << result.getElementType()
           << "; convert them with tk.map";
  if (source.getRows() == result.getCols() && source.getCols() == result.getRows())
    return success();
  if (source.isVector() || result.isVector())
    return emitOpError("transposes ") << source << ", so the result cannot be " << result;
  return emitOpError("makes ") << source.getCols() << " x " << source.getRows() << " of "
                               << source.getRows() << " x " << source.getCols()
                               << ", but the result is " << result.getRows() << " x "
                               << result.getCols();
}

//===----------------------------------------------------------------------===//
// Shared memory between warps: 4 bytes for each value
//===----------------------------------------------------------------------===//

int64_t ReduceOp::getScratchBytes(int64_t warps) {
  bool isOfColumns = getAlong() == Along::Columns;
  return isOfColumns ? 4 * warps * cast<TileType>(getSource().getType()).getCols() : 0;
}

/// A total of each warp.
int64_t ScanOp::getScratchBytes(int64_t warps) {
  return getSource().getType().getOrientation() == Orientation::Column ? 4 * warps : 0;
}

bool SliceOp::takesRow() {
  auto result = dyn_cast<TileVectorType>(getResult().getType());
  return isa<TileType>(getSource().getType()) && result &&
         result.getOrientation() == Orientation::Row;
}

/// A row is the sum of all rows, if the others are zeros first.
int64_t SliceOp::getScratchBytes(int64_t warps) {
  return takesRow() ? 4 * warps * cast<TileType>(getSource().getType()).getCols() : 0;
}

/// All of the tile.
int64_t TransposeOp::getScratchBytes(int64_t warps) {
  if (auto vector = dyn_cast<TileVectorType>(getSource().getType()))
    return 4 * vector.getLength();
  return cast<TileType>(getSource().getType()).getBytes();
}
