//===- ImportTileCalls.cpp - Tiles, and the verbs on them -----------------===//
//
// A tile is an SSA value. A verb whose destination is an argument, `mma_AB(acc,
// a, b)`, gives that variable a new value.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;

static std::string shapeOf(int64_t rows, int64_t cols) {
  return (llvm::Twine(rows) + " x " + llvm::Twine(cols)).str();
}

//===----------------------------------------------------------------------===//
// Tile expressions
//===----------------------------------------------------------------------===//

mlir::Value KernelImporter::importTile(const Expr *expr) {
  expr = peel(expr);
  if (auto *conditional = dyn_cast<ConditionalOperator>(expr)) {
    Contents contents;
    return importChoice(conditional, contents) ? contents.front() : mlir::Value();
  }
  if (expr->isGLValue()) {
    std::optional<Object> object = importObject(expr);
    return object ? read(*object, expr) : mlir::Value();
  }
  if (auto *call = dyn_cast<CallExpr>(expr); call && isInlined(call->getCalleeDecl())) {
    std::optional<Returned> returned = importCall(call);
    return returned ? returned->contents.front() : mlir::Value();
  }
  if (auto *construct = dyn_cast<CXXConstructExpr>(expr)) {
    std::optional<Word> word = language.findCallee(construct);
    if (word == Word::fill)
      return importFill(construct);
    if (word == Word::loaded)
      if (auto *call = dyn_cast<CallExpr>(peel(construct->getArg(0))))
        if (language.findCallee(call) == Word::load)
          if (tk::TileType type = types.tile(construct->getType(), construct->getExprLoc()))
            return importLoad(call, call->getArg(0), call->getArg(1), type);
  }
  refuse(expr);
  return {};
}

mlir::Value KernelImporter::importFill(const CXXConstructExpr *construct) {
  tk::TileType type = types.tile(construct->getType(), construct->getExprLoc());
  mlir::Value value = type ? importScalar(construct->getArg(0)) : mlir::Value();
  if (!value)
    return {};
  mlir::Location loc = locate(construct->getExprLoc());
  auto element = cast<mlir::FloatType>(type.getElementType());
  mlir::FloatAttr number;
  if (value.getType() != element && mlir::matchPattern(value, mlir::m_Constant(&number))) {
    bool inexact;
    llvm::APFloat rounded = number.getValue();
    rounded.convert(element.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    value = constant(mlir::FloatAttr::get(element, rounded), loc);
  } else if (value.getType() != element) {
    value = builder.create<mlir::arith::TruncFOp>(loc, element, value);
  }
  return builder.create<tk::FillOp>(loc, type, value);
}

//===----------------------------------------------------------------------===//
// Tensors and places
//===----------------------------------------------------------------------===//

mlir::Value KernelImporter::importTensor(const Expr *expr) {
  std::optional<Object> object = importObject(peel(expr));
  return object ? read(*object, expr) : mlir::Value();
}

bool KernelImporter::hasTileRank(mlir::Value tensor, const Expr *expr) {
  if (cast<tk::GlobalType>(tensor.getType()).getRank() >= 2)
    return true;
  error(expr->getExprLoc(), Message::tensor_rank) << expr->getSourceRange();
  noteDeclaration(expr);
  return false;
}

bool KernelImporter::importPlace(const Expr *expr, int64_t rank, const Expr *tensor,
                                 llvm::SmallVectorImpl<mlir::Value> &indices) {
  auto *construct = dyn_cast<CXXConstructExpr>(peel(expr));
  if (!construct || language.find(construct->getType()) != Word::place)
    return refuse(expr);
  if (construct->getNumArgs() != rank) {
    error(expr->getBeginLoc(), Message::index_count)
        << unsigned(rank) << construct->getNumArgs() << expr->getSourceRange();
    noteDeclaration(tensor);
    return false;
  }
  for (const Expr *index : construct->arguments())
    indices.push_back(importScalar(index));
  return !llvm::is_contained(indices, mlir::Value());
}

//===----------------------------------------------------------------------===//
// Verbs
//===----------------------------------------------------------------------===//

bool KernelImporter::importTileCall(const CallExpr *call) {
  std::optional<Word> word = language.findCallee(call);
  if (!word)
    return refuse(call);
  switch (*word) {
  case Word::load_into:
    return importLoadInto(call);
  case Word::store:
    return importStore(call);
  case Word::mma_AB:
    return importMma(call, tk::MmaForm::AB);
  case Word::mma_ABt:
    return importMma(call, tk::MmaForm::ABt);
  case Word::mma_AtB:
    return importMma(call, tk::MmaForm::AtB);
  case Word::mma_AtBt:
    return importMma(call, tk::MmaForm::AtBt);
  default:
    error(call->getExprLoc(), Message::result_unused)
        << call->getDirectCallee()->getNameAsString() << call->getSourceRange();
    return false;
  }
}

mlir::Value KernelImporter::importLoad(const CallExpr *call, const Expr *tensor, const Expr *place,
                                       tk::TileType type) {
  mlir::Value source = importTensor(tensor);
  if (!source || !hasTileRank(source, tensor))
    return {};
  auto sourceType = cast<tk::GlobalType>(source.getType());
  if (!type.isShared()) {
    error(call->getExprLoc(), Message::load_to_registers) << call->getSourceRange();
    return {};
  }
  if (sourceType.getElementType() != type.getElementType()) {
    error(call->getExprLoc(), Message::load_converts)
        << llvm::Twine(sourceType.getElementType().isBF16() ? "bf16" : "float").str()
        << llvm::Twine(type.getElementType().isBF16() ? "bf16" : "float").str()
        << call->getSourceRange();
    noteDeclaration(tensor);
    return {};
  }
  llvm::SmallVector<mlir::Value> indices;
  if (!importPlace(place, sourceType.getRank(), tensor, indices))
    return {};
  return builder.create<tk::LoadOp>(locate(call->getExprLoc()), type, source, indices);
}

bool KernelImporter::importLoadInto(const CallExpr *call) {
  const Expr *target = call->getArg(0);
  tk::TileType type = types.tile(target->getType(), target->getExprLoc());
  mlir::Value tile =
      type ? importLoad(call, call->getArg(1), call->getArg(2), type) : mlir::Value();
  return tile && assignTo(target, tile);
}

bool KernelImporter::importStore(const CallExpr *call) {
  mlir::Value tensor = importTensor(call->getArg(0));
  if (!tensor || !hasTileRank(tensor, call->getArg(0)))
    return false;
  llvm::SmallVector<mlir::Value> indices;
  int64_t rank = cast<tk::GlobalType>(tensor.getType()).getRank();
  bool ok = importPlace(call->getArg(1), rank, call->getArg(0), indices);
  mlir::Value value = importTile(call->getArg(2));
  if (!ok || !value)
    return false;
  if (!cast<tk::TileType>(value.getType()).isRegister()) {
    error(call->getArg(2)->getExprLoc(), Message::store_shared)
        << call->getArg(2)->getSourceRange();
    noteDeclaration(call->getArg(2));
    return false;
  }
  builder.create<tk::StoreOp>(locate(call->getExprLoc()), tensor, indices, value);
  return true;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

bool KernelImporter::importMma(const CallExpr *call, tk::MmaForm form) {
  mlir::Value acc = importTile(call->getArg(0));
  mlir::Value a = importTile(call->getArg(1));
  mlir::Value b = importTile(call->getArg(2));
  if (!acc || !a || !b)
    return false;
  if (!checkMma(call, form, cast<tk::TileType>(acc.getType()), cast<tk::TileType>(a.getType()),
                cast<tk::TileType>(b.getType())))
    return false;
  return assignTo(call->getArg(0), builder.create<tk::MmaOp>(locate(call->getExprLoc()),
                                                             acc.getType(), form, acc, a, b));
}

/// What is wrong on any machine: sizes that do not fit together, sums that are not float.
bool KernelImporter::checkMma(const CallExpr *call, tk::MmaForm form, tk::TileType acc,
                              tk::TileType a, tk::TileType b) {
  const Expr *accExpr = call->getArg(0), *aExpr = call->getArg(1), *bExpr = call->getArg(2);
  const bool aTransposed = form == tk::MmaForm::AtB || form == tk::MmaForm::AtBt;
  const bool bTransposed = form == tk::MmaForm::ABt || form == tk::MmaForm::AtBt;
  int64_t rows = aTransposed ? a.getCols() : a.getRows();
  int64_t inner = aTransposed ? a.getRows() : a.getCols();
  int64_t otherInner = bTransposed ? b.getCols() : b.getRows();
  int64_t cols = bTransposed ? b.getRows() : b.getCols();

  if (!acc.isRegister() || !acc.getElementType().isF32()) {
    error(accExpr->getExprLoc(), Message::accumulator_type)
        << accExpr->getType() << accExpr->getSourceRange();
    noteDeclaration(accExpr);
    return false;
  }
  if (a.getElementType() != b.getElementType()) {
    error(call->getExprLoc(), Message::mma_elements)
        << aExpr->getSourceRange() << bExpr->getSourceRange();
    noteDeclaration(aExpr);
    noteDeclaration(bExpr);
    return false;
  }
  if (inner != otherInner) {
    error(call->getExprLoc(), Message::mma_inner)
        << (aTransposed ? "transposed " : "") << shapeOf(rows, inner)
        << (bTransposed ? "transposed " : "") << shapeOf(otherInner, cols) << unsigned(inner)
        << unsigned(otherInner) << aExpr->getSourceRange() << bExpr->getSourceRange();
    noteDeclaration(aExpr);
    noteDeclaration(bExpr);
    // Often the other form is meant.
    if (inner == cols && acc.getRows() == rows && acc.getCols() == otherInner)
      error(call->getExprLoc(), Message::note_other_form)
          << (aTransposed ? (bTransposed ? "mma_AtB" : "mma_AtBt")
                          : (bTransposed ? "mma_AB" : "mma_ABt"));
    return false;
  }
  if (acc.getRows() != rows || acc.getCols() != cols) {
    error(accExpr->getExprLoc(), Message::mma_result)
        << shapeOf(rows, cols) << shapeOf(acc.getRows(), acc.getCols()) << accExpr->getSourceRange()
        << aExpr->getSourceRange() << bExpr->getSourceRange();
    noteDeclaration(accExpr);
    return false;
  }
  return true;
}
