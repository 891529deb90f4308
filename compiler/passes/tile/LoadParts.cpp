//===- LoadParts.cpp - Loads that bring a part of a tile ------------------===//
#include "passes/tile/LoadParts.h"

#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TkOffsetOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/tile/BoundedIndex.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

Type tkc::withColumns(Type type, int64_t columns) {
  if (auto tile = dyn_cast<TileType>(type))
    return TileType::get(type.getContext(), tile.getRows(), columns, tile.getElementType(),
                         tile.getSpace(), tile.getLayout());
  auto vector = cast<TileVectorType>(type);
  return TileVectorType::get(type.getContext(), columns, vector.getElementType(), vector.getSpace(),
                             vector.getOrientation());
}

LoadOp tkc::loadPart(OpBuilder &builder, LoadOp load, int64_t first, int64_t columns) {
  auto tile = cast<TileType>(load.getResult().getType());
  Location unnamed = getUnnamedLoc(load.getLoc());
  auto getConstant = [&](int64_t number) {
    return builder.create<arith::ConstantIntOp>(unnamed, number, 32);
  };
  SmallVector<Value> indices(load.getIndices());
  Value elements;
  if (auto offset = indices.back().getDefiningOp<OffsetOp>())
    elements = offset.getElements();
  else
    elements = builder.createOrFold<arith::MulIOp>(
        unnamed, boundIndex(builder, unnamed, indices.back(), tile.getCols()),
        getConstant(tile.getCols()));
  elements = builder.createOrFold<arith::AddIOp>(unnamed, elements, getConstant(first));
  indices.back() = builder.create<OffsetOp>(unnamed, builder.getI32Type(), elements);
  StringRef name = getSourceName(load.getLoc());
  Location loc = name.empty() ? load.getLoc()
                              : getNamedLoc((name + "_columns_" + Twine(first)).str(), unnamed);
  auto part = builder.create<LoadOp>(loc, withColumns(tile, columns), load.getSource(),
                                     ValueRange(indices));
  part.setPolicyAttr(load.getPolicyAttr());
  part->setAttr(isPartAttrName, builder.getUnitAttr());
  return part;
}
