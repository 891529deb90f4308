//===- ImportTensors.cpp - Parts and extents of tensors -------------------===//
#include "frontend/ImportTensors.h"

#include "dialect/tk/TkElementOp.h"
#include "dialect/tk/TkPartOp.h"
#include "frontend/ImportObjects.h"

#include "frontend/ImportScalars.h"
#include "frontend/SharedValues.h"

using namespace clang;
using namespace tkc;
namespace arith = mlir::arith;

mlir::Value TensorImporter::importTensor(const Expr *expr) {
  expr = peel(expr);
  if (auto *call = dyn_cast<CXXMemberCallExpr>(expr)) {
    std::optional<Word> word = language.findCallee(call);
    if (word == Word::part_of_rows || word == Word::part_of_cols)
      return importPart(call, word == Word::part_of_rows ? 1 : 0);
  }
  return objects.importVariable(expr);
}

mlir::Value TensorImporter::importExtent(const CallExpr *call, int64_t fromLast) {
  mlir::Location loc = locate(call->getExprLoc());
  mlir::Value tensor = importTensor(cast<CXXMemberCallExpr>(call)->getImplicitObjectArgument());
  if (!tensor)
    return {};
  const int64_t dim = cast<tk::GlobalType>(tensor.getType()).getRank() - 1 - fromLast;
  if (dim < 0)
    return constant(1, loc);
  auto part = tensor.getDefiningOp<tk::PartOp>();
  if (part && int64_t(part.getDim()) == dim)
    return builder.create<arith::SubIOp>(loc, part.getLast(), part.getFirst());
  return builder.create<tk::ExtentOp>(loc, builder.getI32Type(), part ? part.getSource() : tensor,
                                      dim);
}

/// Scale.at(m, k)
mlir::Value TensorImporter::importElement(const CXXMemberCallExpr *call) {
  mlir::Value tensor = importTensor(call->getImplicitObjectArgument());
  if (!tensor)
    return {};
  auto type = mlir::cast<tk::GlobalType>(tensor.getType());
  if (call->getNumArgs() != type.getRank()) {
    error(call->getExprLoc(), Message::index_count)
        << unsigned(type.getRank()) << call->getNumArgs() << call->getSourceRange();
    noteDeclaration(call->getImplicitObjectArgument());
    return {};
  }
  if (type.getInFragments()) {
    error(call->getExprLoc(), Message::fragments_access) << 1 << call->getSourceRange();
    return {};
  }
  if (position.loops == 0) {
    error(call->getExprLoc(), Message::element_outside_grid) << call->getSourceRange();
    return {};
  }
  llvm::SmallVector<mlir::Value> indices;
  for (const Expr *index : call->arguments())
    indices.push_back(scalars.importScalar(index));
  if (llvm::is_contained(indices, mlir::Value()))
    return {};
  const bool isFloat = mlir::isa<mlir::FloatType>(type.getElementType());
  return builder.create<tk::ElementOp>(
      locate(call->getExprLoc()), isFloat ? mlir::Type(builder.getF32Type()) : builder.getI32Type(),
      tensor, indices);
}

std::optional<mlir::Value> TensorImporter::importNumber(const CallExpr *call, Word word) {
  switch (word) {
  case Word::element:
    return importElement(cast<CXXMemberCallExpr>(call));
  case Word::cols:
    return importExtent(call, 0);
  case Word::rows:
    return importExtent(call, 1);
  case Word::depth:
    return importExtent(call, 2);
  case Word::batch:
    return importExtent(call, 3);
  default:
    return std::nullopt;
  }
}

mlir::Value TensorImporter::importPart(const CXXMemberCallExpr *call, int64_t fromLast) {
  mlir::Location loc = locate(call->getExprLoc());
  mlir::Value tensor = importTensor(call->getImplicitObjectArgument());
  mlir::Value first = scalars.importScalar(call->getArg(0)),
              last = scalars.importScalar(call->getArg(1));
  if (!tensor || !first || !last)
    return {};
  auto type = cast<tk::GlobalType>(tensor.getType());
  const int64_t dim = type.getRank() - 1 - fromLast;
  if (dim < 0) {
    error(call->getExprLoc(), Message::part_of_vector) << call->getSourceRange();
    return {};
  }
  if (type.getInFragments()) {
    error(call->getExprLoc(), Message::fragments_access) << 0 << call->getSourceRange();
    return {};
  }
  if (tensor.getDefiningOp<tk::PartOp>()) {
    error(call->getExprLoc(), Message::part_of_part) << call->getSourceRange();
    return {};
  }
  mlir::Value extent = builder.create<tk::ExtentOp>(loc, builder.getI32Type(), tensor, dim);
  last = builder.create<arith::MinSIOp>(loc, last, extent);
  last = builder.create<arith::MaxSIOp>(loc, last, constant(0, loc));
  first = builder.create<arith::MaxSIOp>(loc, first, constant(0, loc));
  first = builder.create<arith::MinSIOp>(loc, first, last);
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[dim] = mlir::ShapedType::kDynamic;
  return builder.create<tk::PartOp>(
      loc, tk::GlobalType::get(type.getContext(), shape, type.getElementType()), tensor, first,
      last, dim);
}

bool TensorImporter::checkPart(mlir::Value tensor, mlir::Type moved, bool isStored,
                               const Expr *place) {
  auto part = tensor.getDefiningOp<tk::PartOp>();
  if (!part)
    return true;
  auto type = cast<tk::GlobalType>(tensor.getType());
  const bool ofCols = int64_t(part.getDim()) == type.getRank() - 1;
  // Threads store vectors one element at a time; all else is TMA's.
  if (isStored && isa<tk::TileVectorType>(moved) && !isShared(moved))
    return true;
  std::optional<Message> message;
  const int64_t cols = type.getShape().back(), bits = tk::getStorageBits(type.getElementType());
  if (ofCols)
    message = Message::part_of_cols_moved;
  else if (type.getRank() > 3)
    message = Message::part_dimensions;
  else if (isStored && (mlir::ShapedType::isDynamic(cols) || cols * bits % 128 != 0))
    message = Message::part_tail_columns;
  if (message)
    error(place->getExprLoc(), *message) << unsigned(isStored) << place->getSourceRange();
  return !message;
}
