//===- ImportReductions.cpp - From tiles to vectors, and running sums -----===//
//
// Narrow elements are reduced as float, or int, and the result is rounded once.
//
//===----------------------------------------------------------------------===//
#include "frontend/VerbImporter.h"

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
mlir::Value VerbImporter::importReduction(const VerbCall &verb) {
  auto [combine, along] = reductionOf(verb.word);
  Operand x = importTile(verb, verb.operands[0]), init;
  if (!x)
    return {};
  auto tile = cast<tk::TileType>(x.type());
  const bool isOfRows = along == tk::Along::Rows;
  auto result = tk::TileVectorType::get(
      tile.getContext(), isOfRows ? tile.getRows() : tile.getCols(), tile.getElementType(),
      tk::Space::Register, isOfRows ? tk::Orientation::Column : tk::Orientation::Row);
  if (verb.operands.size() > 1) {
    init = importVector(verb, verb.operands[1]);
    if (!init || !checkOrientation(verb, init, result.getOrientation()) ||
        !checkBeside(verb, init, x))
      return {};
  }
  if (!checkDestination(verb, result))
    return {};
  mlir::Location loc = locate(verb.expr);
  mlir::Type number = ScalarMath::numberOf(tile.getElementType());
  mlir::Value source = convert(x.value, number, loc);
  mlir::Value start = init ? convert(init.value, number, loc) : mlir::Value();
  mlir::Value reduced = kernel.builder.create<tk::ReduceOp>(loc, combine, along, source, start);
  return convert(reduced, tile.getElementType(), loc);
}

/// cumsum(v) and total(v)
mlir::Value VerbImporter::importScan(const VerbCall &verb) {
  Operand v = importVector(verb, verb.operands[0]);
  if (!v || !checkDestination(verb, v.type()))
    return {};
  mlir::Location loc = locate(verb.expr);
  mlir::Type element = v.elements().getElementType();
  mlir::Value source = convert(v.value, ScalarMath::numberOf(element), loc);
  mlir::Value sums = kernel.builder.create<tk::ScanOp>(loc, source.getType(), tk::Combine::Add,
                                                       /*total=*/verb.word == Word::total, source);
  return convert(sums, element, loc);
}
