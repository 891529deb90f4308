//===- ImportReductions.cpp - From tiles to vectors, and running sums -----===//
//
// Narrow elements are reduced as float, or int, and the result is rounded once.
//
//===----------------------------------------------------------------------===//
#include "frontend/BuiltinCall.h"

using namespace clang;
using namespace tkc;

static std::pair<tk::Combine, tk::Along> reductionOf(Word word) {
  switch (word) {
#define TKC_REDUCTION(name, combine, along)                                                        \
  case Word::name:                                                                                 \
    return {tk::Combine::combine, tk::Along::along};
#include "frontend/Builtins.def"
  default:
    llvm_unreachable("not a row of TKC_REDUCTION");
  }
}

/// row_sum(x) and row_sum(x, init)
mlir::Value tkc::importReduction(BuiltinCall &builtin) {
  auto [combine, along] = reductionOf(builtin.word);
  Operand x = builtin.importTile(builtin.operands[0]), init;
  if (!x)
    return {};
  auto tile = cast<tk::TileType>(x.type());
  const bool isOfRows = along == tk::Along::Rows;
  auto result = tk::TileVectorType::get(
      tile.getContext(), isOfRows ? tile.getRows() : tile.getCols(), tile.getElementType(),
      tk::Space::Register, isOfRows ? tk::Orientation::Column : tk::Orientation::Row);
  if (builtin.operands.size() > 1) {
    init = builtin.importVector(builtin.operands[1]);
    if (!init || !builtin.checkOrientation(init, result.getOrientation()) ||
        !builtin.checkBeside(init, x))
      return {};
  }
  if (!builtin.checkDestination(result))
    return {};
  mlir::Location loc = builtin.locate();
  mlir::Type number = ScalarMath::numberOf(tile.getElementType());
  mlir::Value source = builtin.convert(x.value, number, loc);
  mlir::Value start = init ? builtin.convert(init.value, number, loc) : mlir::Value();
  mlir::Value reduced = builtin.builder.create<tk::ReduceOp>(loc, combine, along, source, start);
  return builtin.convert(reduced, tile.getElementType(), loc);
}

static std::pair<tk::Combine, tk::Reach> scanOf(Word word) {
  switch (word) {
#define TKC_SCAN(name, combine, reach)                                                             \
  case Word::name:                                                                                 \
    return {tk::Combine::combine, tk::Reach::reach};
#include "frontend/Builtins.def"
  default:
    llvm_unreachable("not a row of TKC_SCAN");
  }
}

/// cumsum(v) and total(v)
mlir::Value tkc::importScan(BuiltinCall &builtin) {
  auto [combine, reach] = scanOf(builtin.word);
  Operand v = builtin.importVector(builtin.operands[0]);
  if (!v || !builtin.checkDestination(v.type()))
    return {};
  mlir::Location loc = builtin.locate();
  mlir::Type element = v.elements().getElementType();
  mlir::Value source = builtin.convert(v.value, ScalarMath::numberOf(element), loc);
  mlir::Value sums =
      builtin.builder.create<tk::ScanOp>(loc, source.getType(), combine, reach, source);
  return builtin.convert(sums, element, loc);
}
