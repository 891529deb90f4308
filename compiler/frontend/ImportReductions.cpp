//===- ImportReductions.cpp - From tiles to vectors, and running sums -----===//
//
// Narrow elements are reduced as float, or int, and the result is rounded once.
//
//===----------------------------------------------------------------------===//
#include "frontend/BuiltinImporter.h"

#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;

static std::pair<tk::Combine, tk::Along> reductionOf(Word word) {
  switch (word) {
  case Word::row_max:
    return {tk::Combine::Max, tk::Along::Rows};
  case Word::row_min:
    return {tk::Combine::Min, tk::Along::Rows};
  case Word::row_sum:
    return {tk::Combine::Add, tk::Along::Rows};
  case Word::col_max:
    return {tk::Combine::Max, tk::Along::Columns};
  case Word::col_min:
    return {tk::Combine::Min, tk::Along::Columns};
  default:
    return {tk::Combine::Add, tk::Along::Columns};
  }
}

/// row_sum(x) and row_sum(x, init)
mlir::Value BuiltinImporter::importReduction(const BuiltinCall &builtin) {
  auto [combine, along] = reductionOf(builtin.word);
  Operand x = importTile(builtin, builtin.operands[0]), init;
  if (!x)
    return {};
  auto tile = cast<tk::TileType>(x.type());
  const bool isOfRows = along == tk::Along::Rows;
  auto result = tk::TileVectorType::get(
      tile.getContext(), isOfRows ? tile.getRows() : tile.getCols(), tile.getElementType(),
      tk::Space::Register, isOfRows ? tk::Orientation::Column : tk::Orientation::Row);
  if (builtin.operands.size() > 1) {
    init = importVector(builtin, builtin.operands[1]);
    if (!init || !checkOrientation(builtin, init, result.getOrientation()) ||
        !checkBeside(builtin, init, x))
      return {};
  }
  if (!checkDestination(builtin, result))
    return {};
  mlir::Location loc = locate(builtin.expr);
  mlir::Type number = ScalarMath::numberOf(tile.getElementType());
  mlir::Value source = convert(x.value, number, loc);
  mlir::Value start = init ? convert(init.value, number, loc) : mlir::Value();
  mlir::Value reduced = kernel.builder.create<tk::ReduceOp>(loc, combine, along, source, start);
  return convert(reduced, tile.getElementType(), loc);
}

/// cumsum(v) and total(v)
mlir::Value BuiltinImporter::importScan(const BuiltinCall &builtin) {
  Operand v = importVector(builtin, builtin.operands[0]);
  if (!v || !checkDestination(builtin, v.type()))
    return {};
  mlir::Location loc = locate(builtin.expr);
  mlir::Type element = v.elements().getElementType();
  mlir::Value source = convert(v.value, ScalarMath::numberOf(element), loc);
  mlir::Value sums =
      kernel.builder.create<tk::ScanOp>(loc, source.getType(), tk::Combine::Add,
                                        /*total=*/builtin.word == Word::total, source);
  return convert(sums, element, loc);
}
