//===- TransferPlaces.cpp - Where loads and stores go ---------------------===//
#include "frontend/TransferPlaces.h"

#include "dialect/tk/TkOffsetOp.h"
#include "frontend/ImportObjects.h"
#include "frontend/ImportScalars.h"
#include "frontend/ImportTensors.h"
#include "frontend/SharedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace clang;
using namespace tkc;

/// The numbers in braces of a place.
static const CXXConstructExpr *placeOf(const Expr *expr, Vocabulary &language) {
  auto *construct = dyn_cast<CXXConstructExpr>(expr);
  return construct && language.find(construct->getType()) == Word::place ? construct : nullptr;
}

/// The numbers of an array that a place begins with, of pages.
static bool importPages(BuiltinCall &builtin, const Expr *array, Indices &indices) {
  std::optional<Object> pages = builtin.objects.importObject(array->IgnoreParenImpCasts());
  if (!pages)
    return false;
  auto *type = builtin.ast.getAsConstantArrayType(pages->type);
  for (unsigned page = 0; page < type->getZExtSize(); ++page)
    indices.push_back(
        builtin.environment.read({type->getElementType(), pages->first + page}, array));
  return !llvm::is_contained(indices, mlir::Value());
}

static bool isArray(const Expr *index) {
  return index->getType().getNonReferenceType()->isConstantArrayType();
}

static bool isElements(const Expr *index, Vocabulary &language) {
  return language.find(index->getType()) == Word::elements;
}

/// A number of which the value is surely a multiple: 8 of `i * 16 + 8`.
static int64_t knownMultiple(mlir::Value value) {
  if (std::optional<int64_t> constant = Constants::valueOf(value))
    return std::abs(*constant);
  mlir::Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return 1;
  const int64_t left = knownMultiple(op->getOperand(0)), right = knownMultiple(op->getOperand(1));
  if (isa<mlir::arith::MulIOp>(op))
    return left * right;
  return isa<mlir::arith::AddIOp, mlir::arith::SubIOp>(op) ? std::gcd(left, right) : 1;
}

/// TMA copies rows from a multiple of 16 bytes on. False, and an error, if that is not sure.
static bool checkFirstColumn(BuiltinCall &builtin, const Expr *index, mlir::Value first,
                             mlir::Type element) {
  auto offset = first.getDefiningOp<tk::OffsetOp>();
  const int64_t least = 128 / tk::getStorageBits(element);
  if (!offset || knownMultiple(offset.getElements()) % least == 0)
    return true;
  builtin.error(index, Message::column_not_aligned)
      << unsigned(least) << spell(element) << index->getSourceRange();
  return false;
}

/// elements(i)
static mlir::Value importElements(BuiltinCall &builtin, const Expr *index) {
  auto *made = dyn_cast<CXXConstructExpr>(peel(index));
  while (made && made->getConstructor()->isCopyOrMoveConstructor())
    made = dyn_cast<CXXConstructExpr>(peel(made->getArg(0)));
  if (!made) {
    builtin.error(index, Message::place_not_direct) << index->getSourceRange();
    return {};
  }
  mlir::Value number = builtin.scalars.importScalar(made->getArg(0));
  if (!number)
    return {};
  return builtin.builder.create<tk::OffsetOp>(builtin.locate(index), number.getType(), number);
}

static bool importIndices(BuiltinCall &builtin, const CXXConstructExpr *place, Indices &indices) {
  for (const Expr *index : place->arguments())
    if (isArray(index)) {
      if (!importPages(builtin, index, indices))
        return false;
    } else if (isElements(index, builtin.language)) {
      indices.push_back(importElements(builtin, index));
    } else {
      indices.push_back(builtin.scalars.importScalar(index));
    }
  return !llvm::is_contained(indices, mlir::Value());
}

mlir::Value tkc::importTensorAt(BuiltinCall &builtin, const Expr *tensorExpr, const Expr *placeExpr,
                                bool forTile, Indices &indices) {
  mlir::Value tensor = builtin.tensors.importTensor(tensorExpr);
  if (!tensor)
    return {};
  const int64_t rank = cast<tk::GlobalType>(tensor.getType()).getRank();
  if (forTile && rank < 2) {
    builtin.error(tensorExpr, Message::tensor_rank) << tensorExpr->getSourceRange();
    builtin.noteDeclaration(tensorExpr);
    return {};
  }
  const CXXConstructExpr *place = placeOf(peel(placeExpr), builtin.language);
  if (!place) {
    builtin.error(placeExpr, Message::place_not_direct) << placeExpr->getSourceRange();
    return {};
  }
  if (place->getNumArgs() != rank) {
    builtin.error(placeExpr->getBeginLoc(), Message::index_count)
        << unsigned(rank) << place->getNumArgs() << placeExpr->getSourceRange();
    builtin.noteDeclaration(tensorExpr);
    return {};
  }
  const bool isLoad = llvm::is_contained(
      {Word::loaded, Word::load_as, Word::load_into, Word::loaded_vector, Word::load_vector_into},
      builtin.word);
  if (const Expr *first = place->getArg(0); isArray(first) && !(isLoad && forTile)) {
    builtin.error(first, Message::pages_not_loaded) << first->getSourceRange();
    return {};
  }
  for (const Expr *index : place->arguments())
    if (isElements(index, builtin.language) && !isLoad) {
      builtin.error(index, Message::elements_not_loaded) << index->getSourceRange();
      return {};
    }
  if (!importIndices(builtin, place, indices) ||
      !checkFirstColumn(builtin, place->getArg(place->getNumArgs() - 1), indices.back(),
                        cast<tk::GlobalType>(tensor.getType()).getElementType()))
    return {};
  return tensor;
}

bool tkc::importPart(BuiltinCall &builtin, const Expr *placeExpr, tk::ElementsInterface whole,
                     const Expr *wholeExpr, mlir::Type part, Indices &indices) {
  // Along each dimension: how many parts there are.
  llvm::SmallVector<int64_t, 2> parts;
  auto add = [&](int64_t extent, int64_t taken) {
    parts.push_back(extent % taken ? 0 : extent / taken);
  };
  if (auto tile = dyn_cast<tk::TileType>(part)) {
    auto source = cast<tk::TileType>(whole);
    add(source.getRows(), tile.getRows());
    add(source.getCols(), tile.getCols());
  } else {
    add(cast<tk::TileVectorType>(whole).getLength(), cast<tk::TileVectorType>(part).getLength());
  }
  if (llvm::is_contained(parts, 0)) {
    builtin.error(wholeExpr, Message::no_whole_part)
        << spell(part) << spell(whole) << wholeExpr->getSourceRange();
    builtin.noteDeclaration(wholeExpr);
    return false;
  }
  const bool isWhole = llvm::all_of(parts, [](int64_t count) { return count == 1; });
  if (!placeExpr) {
    if (!isWhole)
      indices.append(parts.size(), builtin.constant(0, builtin.locate(wholeExpr)));
    return true;
  }
  const CXXConstructExpr *place = placeOf(peel(placeExpr), builtin.language);
  if (!place) {
    builtin.error(placeExpr, Message::place_not_direct) << placeExpr->getSourceRange();
    return false;
  }
  if (place->getNumArgs() != parts.size()) {
    builtin.error(placeExpr->getBeginLoc(), Message::part_index_count)
        << unsigned(parts.size() == 1) << unsigned(parts.size()) << place->getNumArgs()
        << placeExpr->getSourceRange();
    return false;
  }
  if (!importIndices(builtin, place, indices))
    return false;
  bool isFirst = true;
  for (auto [index, count, expr] : llvm::zip(indices, parts, place->arguments())) {
    std::optional<int64_t> number = Constants::valueOf(index);
    isFirst &= number == 0;
    if (!number || (*number >= 0 && *number < count))
      continue;
    builtin.error(expr, Message::part_outside)
        << llvm::Twine(*number).str() << unsigned(count) << spell(part) << spell(whole)
        << expr->getSourceRange();
    builtin.noteDeclaration(wholeExpr);
    return false;
  }
  if (isWhole && isFirst)
    indices.clear();
  return true;
}

bool tkc::checkSharedMove(BuiltinCall &builtin, tk::ElementsInterface registers,
                          const Operand &shared) {
  if (isShared(registers)) {
    const Expr *place = builtin.destination ? builtin.destination : builtin.expr;
    builtin.error(place, Message::shared_to_shared) << place->getSourceRange();
    builtin.noteDeclaration(place);
    return false;
  }
  if (isa<tk::TileType>(registers) == isa<tk::TileType>(shared.type()))
    return true;
  builtin.error(shared.expr, Message::move_kinds)
      << unsigned(registers.isVector()) << shared.expr->getSourceRange();
  builtin.noteDeclaration(shared.expr);
  return false;
}

tk::ElementsInterface tkc::inRows(tk::ElementsInterface type) {
  auto tile = dyn_cast<tk::TileType>(type);
  if (!tile || tile.getLayout() != tk::Layout::Col)
    return type;
  return tk::TileType::get(type.getContext(), tile.getRows(), tile.getCols(), tile.getElementType(),
                           tk::Space::Register, tk::Layout::Row);
}

mlir::Value tkc::importRowNumbers(BuiltinCall &builtin, const Expr *expr,
                                  tk::ElementsInterface moved, bool isScatter) {
  Operand index = builtin.importVector(expr);
  if (!index)
    return {};
  auto vector = cast<tk::TileVectorType>(index.type());
  if (!isa<mlir::IntegerType>(vector.getElementType())) {
    builtin.error(index.expr, Message::gather_index)
        << spell(vector.getElementType()) << unsigned(isScatter) << index.expr->getSourceRange();
    builtin.noteDeclaration(index.expr);
    return {};
  }
  auto tile = dyn_cast<tk::TileType>(moved);
  auto wanted =
      tile ? tk::TileVectorType::get(moved.getContext(), tile.getRows(), vector.getElementType(),
                                     tk::Space::Register, tk::Orientation::Column)
           : cast<tk::TileVectorType>(moved.withElementType(vector.getElementType()));
  if (vector != wanted) {
    builtin.error(index.expr, Message::gather_shape)
        << unsigned(!tile) << spell(wanted) << spell(vector) << unsigned(isScatter)
        << index.expr->getSourceRange();
    builtin.noteDeclaration(index.expr);
    return {};
  }
  return builtin.convert(index.value, builtin.builder.getI32Type(), builtin.locate());
}

std::optional<tk::Combine> tkc::combinationOf(Word word) {
  switch (word) {
  case Word::store_add:
  case Word::scatter_add:
    return tk::Combine::Add;
  case Word::store_max:
  case Word::scatter_max:
    return tk::Combine::Max;
  case Word::store_min:
  case Word::scatter_min:
    return tk::Combine::Min;
  default:
    return std::nullopt;
  }
}

std::optional<tk::CachePolicy> tkc::importCachePolicy(BuiltinCall &builtin, const Expr *expr,
                                                      bool isStore) {
  std::optional<int64_t> number = builtin.scalars.importConstant(expr);
  std::optional<tk::CachePolicy> policy =
      number ? tk::symbolizeCachePolicy(uint32_t(*number)) : std::nullopt;
  if (!policy)
    builtin.error(expr, Message::policy_not_constant)
        << unsigned(isStore) << expr->getSourceRange();
  return policy;
}

bool tkc::checkCombined(BuiltinCall &builtin, mlir::Value tensor) {
  mlir::Type element = cast<tk::GlobalType>(tensor.getType()).getElementType();
  if (tk::getStorageBits(element) > 8 || !combinationOf(builtin.word))
    return true;
  builtin.error(builtin.destination, Message::combined_bytes)
      << spell(element) << builtin.destination->getSourceRange();
  builtin.noteDeclaration(builtin.destination);
  return false;
}
