//===- ImportScatters.cpp - Stores of one element after the other ---------===//
//
// TMA stores boxes, and it adds to memory. Rows that an index names, and larger and
// smaller elements that stay, are stores of threads, each of its own elements.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportScopes.h"
#include "frontend/SharedValues.h"
#include "frontend/TransferPlaces.h"

using namespace clang;
using namespace tkc;

/// Threads store `value`, a tile or vector, one element after the other to the rows, or places,
/// that `numbers` says.
static bool createScatter(BuiltinCall &builtin, mlir::Value tensor, const Indices &indices,
                          mlir::Value value, mlir::Value numbers) {
  mlir::Location loc = builtin.locate();
  mlir::Type element = cast<tk::GlobalType>(tensor.getType()).getElementType();
  std::optional<tk::Combine> combine = combinationOf(builtin.word);
  // They do so from registers of 32 bits.
  if (isShared(value.getType()))
    value = builtin.builder.create<tk::ReadOp>(loc, inRegisters(value.getType()), value,
                                               mlir::ValueRange());
  if (isa<mlir::FloatType>(element))
    value = builtin.convert(value, builtin.builder.getF32Type(), loc);
  else
    value =
        builtin.convert(builtin.convert(value, element, loc), builtin.builder.getI32Type(), loc);
  value = builtin.inLayoutOf(inRows(cast<tk::ElementsInterface>(value.getType())), value, loc);
  mlir::OpBuilder::InsertionGuard guard(builtin.builder);
  if (mlir::Value isMeant = builtin.scope.createIsMeant(loc)) {
    auto branch = builtin.builder.create<mlir::scf::IfOp>(loc, isMeant, /*withElseRegion=*/false);
    builtin.builder.setInsertionPoint(branch.thenYield());
  }
  auto attribute =
      combine ? tk::CombineAttr::get(builtin.builder.getContext(), *combine) : tk::CombineAttr();
  builtin.builder.create<tk::ScatterOp>(loc, tensor, indices, value, numbers, attribute);
  return true;
}

/// scatter(tensor, at, value, index), scatter_add, scatter_max and scatter_min
bool tkc::importScatter(BuiltinCall &builtin) {
  Operand value = builtin.importOperand(builtin.operands[1]);
  if (!value)
    return false;
  auto registers = cast<tk::ElementsInterface>(inRegisters(value.type()));
  mlir::Value numbers =
      importRowNumbers(builtin, builtin.operands[2], registers, /*isScatter=*/true);
  Indices indices;
  mlir::Value tensor = importTensorAt(builtin, builtin.destination, builtin.operands[0],
                                      isa<tk::TileType>(registers), indices);
  if (!numbers || !tensor || !checkCombined(builtin, tensor))
    return false;
  if (cast<tk::GlobalType>(tensor.getType()).getInFragments()) {
    builtin.error(builtin.expr, Message::fragments_access) << 3 << builtin.expr->getSourceRange();
    return false;
  }
  return createScatter(builtin, tensor, indices, value.value, numbers);
}

/// store_max(tensor, at, value) and store_min: a scatter to the rows, or elements, that follow one
/// another. TMA has no extremes of floats, and memory has no order of fragments for them.
bool tkc::importStoreExtreme(BuiltinCall &builtin) {
  Operand value = builtin.importOperand(builtin.operands[1]);
  if (!value)
    return false;
  auto registers = cast<tk::ElementsInterface>(inRegisters(value.type()));
  auto tile = dyn_cast<tk::TileType>(registers);
  Indices indices;
  mlir::Value tensor =
      importTensorAt(builtin, builtin.destination, builtin.operands[0], bool(tile), indices);
  if (!tensor || !checkCombined(builtin, tensor))
    return false;
  if (cast<tk::GlobalType>(tensor.getType()).getInFragments()) {
    builtin.error(builtin.expr, Message::fragments_access) << 4 << builtin.expr->getSourceRange();
    return false;
  }
  mlir::Location loc = builtin.locate();
  mlir::Type number = builtin.builder.getI32Type();
  mlir::Type numbersType =
      tile ? tk::TileVectorType::get(number.getContext(), tile.getRows(), number,
                                     tk::Space::Register, tk::Orientation::Column)
           : registers.withElementType(number);
  // The place counts tiles, or vectors, here; a scatter's counts rows, or elements.
  mlir::Value &first = indices[indices.size() - (tile ? 2 : 1)];
  const int64_t size = cast<tk::TileVectorType>(numbersType).getLength();
  first = builtin.mathAt(loc).mul(first, builtin.constant(size, loc));
  mlir::Value numbers = builtin.createMap(
      numbersType, {}, /*coordinates=*/true,
      [](ScalarMath &, auto, mlir::ValueRange at) -> mlir::Value { return at[0]; });
  return createScatter(builtin, tensor, indices, value.value, numbers);
}
