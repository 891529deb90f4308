//===- ImportParts.cpp - Parts of tiles, tiles of parts, layouts ----------===//
//
// Which elements of a register tile are meant is known when the kernel is
// compiled: places here are constants, or variables of unrolled loops. That of a
// part of a shared tile may also be computed from the number of a warpgroup or
// warp (tk-verify-layouts sees to it).
//
//===----------------------------------------------------------------------===//
#include "frontend/BuiltinCall.h"
#include "frontend/ImportScalars.h"

using namespace clang;
using namespace tkc;

/// column(x, j)
mlir::Value tkc::importColumn(BuiltinCall &builtin) {
  Operand x = builtin.importTile(builtin.operands[0]);
  std::optional<int64_t> j = builtin.importConstant(builtin.operands[1], "a column");
  if (!x || !j)
    return {};
  auto tile = cast<tk::TileType>(x.type());
  if (*j < 0 || *j >= tile.getCols()) {
    builtin.error(builtin.operands[1], Message::column_outside)
        << llvm::Twine(*j).str() << unsigned(tile.getCols())
        << builtin.operands[1]->getSourceRange();
    builtin.noteDeclaration(x.expr);
    return {};
  }
  auto type = tk::TileVectorType::get(tile.getContext(), tile.getRows(), tile.getElementType(),
                                      tk::Space::Register, tk::Orientation::Column);
  if (!builtin.checkDestination(type))
    return {};
  return builtin.builder.create<tk::SliceOp>(builtin.locate(), type, x.value,
                                             llvm::ArrayRef<int64_t>{0, *j});
}

/// slice<rows, cols>(x, i, j), of registers or of shared memory
mlir::Value tkc::importSlice(BuiltinCall &builtin) {
  Operand x = builtin.importOperand(builtin.operands[0]);
  auto part = dyn_cast_or_null<tk::TileType>(builtin.importType());
  if (!x || !part)
    return {};
  auto tile = cast<tk::TileType>(x.type());
  llvm::SmallVector<int64_t> offsets;
  llvm::SmallVector<mlir::Value> indices; // of shared memory, where they are not constants
  for (const Expr *operand : llvm::ArrayRef(builtin.operands).drop_front()) {
    if (tile.isShared() && !builtin.scalars.importConstant(operand)) {
      mlir::Value index = builtin.scalars.importScalar(operand);
      if (!index)
        return {};
      indices.resize(2);
      indices[offsets.size()] = index;
      offsets.push_back(0);
      continue;
    }
    std::optional<int64_t> offset = builtin.importConstant(operand, "the place of a slice");
    if (!offset)
      return {};
    if (*offset % 16) {
      builtin.error(operand, Message::slice_place)
          << llvm::Twine(*offset).str() << operand->getSourceRange();
      return {};
    }
    offsets.push_back(*offset);
  }
  auto isInside = [&](unsigned dim, int64_t taken, int64_t extent) {
    if (offsets[dim] >= 0 && offsets[dim] + taken <= extent)
      return true;
    builtin.error(builtin.operands[dim + 1], Message::slice_outside)
        << dim << llvm::Twine(offsets[dim]).str() << llvm::Twine(offsets[dim] + taken - 1).str()
        << unsigned(extent) << builtin.operands[dim + 1]->getSourceRange();
    builtin.noteDeclaration(x.expr);
    return false;
  };
  if (!isInside(0, part.getRows(), tile.getRows()) || !isInside(1, part.getCols(), tile.getCols()))
    return {};
  auto type = tk::TileType::get(tile.getContext(), part.getRows(), part.getCols(),
                                tile.getElementType(), tile.getSpace(), tile.getLayout());
  if (!builtin.checkDestination(type))
    return {};
  mlir::Location loc = builtin.locate();
  for (mlir::Value &index : indices)
    if (!index)
      index = builtin.constant(0, loc);
  return builtin.builder.create<tk::SliceOp>(loc, type, x.value, offsets, indices);
}

/// left_half(x) and its like
mlir::Value tkc::importHalf(BuiltinCall &builtin) {
  Operand x = builtin.importTile(builtin.operands[0]);
  if (!x)
    return {};
  auto tile = cast<tk::TileType>(x.type());
  const bool ofColumns = builtin.word == Word::left_half || builtin.word == Word::right_half;
  const int64_t extent = ofColumns ? tile.getCols() : tile.getRows();
  if (extent % 32) {
    builtin.error(x.expr, Message::half_size)
        << builtin.name() << unsigned(ofColumns) << unsigned(extent) << x.expr->getSourceRange();
    builtin.noteDeclaration(x.expr);
    return {};
  }
  const bool isSecond = builtin.word == Word::right_half || builtin.word == Word::lower_half;
  const int64_t offset = isSecond ? extent / 2 : 0;
  auto type = tk::TileType::get(tile.getContext(), ofColumns ? tile.getRows() : extent / 2,
                                ofColumns ? extent / 2 : tile.getCols(), tile.getElementType(),
                                tile.getSpace(), tile.getLayout());
  llvm::SmallVector<int64_t, 2> offsets{ofColumns ? 0 : offset, ofColumns ? offset : 0};
  return builtin.builder.create<tk::SliceOp>(builtin.locate(), type, x.value, offsets);
}

/// concat_cols(a, b) and concat_rows(a, b)
mlir::Value tkc::importConcat(BuiltinCall &builtin) {
  Operand a = builtin.importTile(builtin.operands[0]), b = builtin.importTile(builtin.operands[1]);
  if (!a || !b || !builtin.checkElements(b, a))
    return {};
  const bool byColumns = builtin.word == Word::concat_cols;
  auto first = cast<tk::TileType>(a.type()), second = cast<tk::TileType>(b.type());
  auto noteBoth = [&]() -> mlir::Value {
    builtin.noteDeclaration(a.expr);
    builtin.noteDeclaration(b.expr);
    return {};
  };
  const int64_t kept = byColumns ? first.getRows() : first.getCols();
  const int64_t other = byColumns ? second.getRows() : second.getCols();
  if (kept != other) {
    builtin.error(builtin.expr, Message::concat_sizes)
        << builtin.name() << unsigned(byColumns) << unsigned(kept) << unsigned(other)
        << a.expr->getSourceRange() << b.expr->getSourceRange();
    return noteBoth();
  }
  if (first.getLayout() != second.getLayout()) {
    builtin.error(b.expr, Message::layouts_differ)
        << builtin.name() << tk::stringifyLayout(first.getLayout())
        << tk::stringifyLayout(second.getLayout()) << b.expr->getSourceRange();
    noteBoth();
    builtin.noteWrap(b.expr, Message::note_swap_layout, "swap_layout");
    return {};
  }
  auto type =
      tk::TileType::get(first.getContext(), byColumns ? kept : first.getRows() + second.getRows(),
                        byColumns ? first.getCols() + second.getCols() : kept,
                        first.getElementType(), first.getSpace(), first.getLayout());
  return builtin.builder.create<tk::ConcatOp>(builtin.locate(), type,
                                              byColumns ? tk::Along::Columns : tk::Along::Rows,
                                              mlir::ValueRange{a.value, b.value});
}

/// A tile whose columns are told apart: each row lies in one quad of threads.
static Operand importTileInRows(BuiltinCall &builtin, const Expr *expr) {
  Operand x = builtin.importTile(expr);
  if (!x || cast<tk::TileType>(x.type()).getLayout() == tk::Layout::Row)
    return x;
  builtin.error(x.expr, Message::layout_row)
      << builtin.name() << spell(x.type()) << x.expr->getSourceRange();
  builtin.noteDeclaration(x.expr);
  builtin.noteWrap(x.expr, Message::note_swap_layout, "swap_layout");
  return {};
}

/// even_cols(x) and odd_cols(x)
mlir::Value tkc::importDeinterleave(BuiltinCall &builtin) {
  Operand x = importTileInRows(builtin, builtin.operands[0]);
  if (!x)
    return {};
  auto tile = cast<tk::TileType>(x.type());
  if (tile.getCols() % 32) {
    builtin.error(x.expr, Message::half_size)
        << builtin.name() << 1u << unsigned(tile.getCols()) << x.expr->getSourceRange();
    builtin.noteDeclaration(x.expr);
    return {};
  }
  return builtin.builder.create<tk::DeinterleaveOp>(builtin.locate(), x.value,
                                                    builtin.word == Word::odd_cols);
}

/// interleave_cols(a, b)
mlir::Value tkc::importInterleave(BuiltinCall &builtin) {
  Operand a = importTileInRows(builtin, builtin.operands[0]);
  Operand b = a ? builtin.importTile(builtin.operands[1]) : Operand();
  if (!b || !builtin.checkBeside(b, a, /*sameElement=*/true))
    return {};
  return builtin.builder.create<tk::InterleaveOp>(builtin.locate(), a.value, b.value);
}

/// swap_pairs(x)
mlir::Value tkc::importSwapPairs(BuiltinCall &builtin) {
  Operand x = importTileInRows(builtin, builtin.operands[0]);
  return x ? builtin.builder.create<tk::SwapPairsOp>(builtin.locate(), x.value).getResult()
           : mlir::Value();
}

/// transpose(x), of a tile or a vector
mlir::Value tkc::importTranspose(BuiltinCall &builtin) {
  Operand x = builtin.importRegisters(builtin.operands[0]);
  if (!x)
    return {};
  mlir::Type type;
  if (auto tile = dyn_cast<tk::TileType>(x.type()))
    type = tk::TileType::get(tile.getContext(), tile.getCols(), tile.getRows(),
                             tile.getElementType(), tile.getSpace(), tile.getLayout());
  else if (auto vector = cast<tk::TileVectorType>(x.type()))
    type = tk::TileVectorType::get(
        vector.getContext(), vector.getLength(), vector.getElementType(), vector.getSpace(),
        vector.getOrientation() == tk::Orientation::Column ? tk::Orientation::Row
                                                           : tk::Orientation::Column);
  if (!builtin.checkDestination(type))
    return {};
  return builtin.builder.create<tk::TransposeOp>(builtin.locate(), type, x.value);
}

/// swap_layout(x)
mlir::Value tkc::importSwapLayout(BuiltinCall &builtin) {
  Operand x = builtin.importTile(builtin.operands[0]);
  if (!x)
    return {};
  auto tile = cast<tk::TileType>(x.type());
  auto type = tk::TileType::get(
      tile.getContext(), tile.getRows(), tile.getCols(), tile.getElementType(), tile.getSpace(),
      tile.getLayout() == tk::Layout::Row ? tk::Layout::Col : tk::Layout::Row);
  if (!builtin.checkDestination(type))
    return {};
  return builtin.builder.create<tk::SwapLayoutOp>(builtin.locate(), x.value);
}
