//===- ImportTensors.cpp - Parts and extents of tensors -------------------===//
//
// Sequences that follow one another in a tensor are parts of it. A part is a tensor
// like others, of which one dimension has been cut down.
//
// A part lies within its tensor whatever its bounds are: they are cut down, too,
// since TMA is told of the part alone and would go beyond the tensor.
//
//===----------------------------------------------------------------------===//
#include "dialect/tk/TkPartOp.h"
#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;
namespace arith = mlir::arith;

mlir::Value KernelImporter::importTensor(const Expr *expr) {
  expr = peel(expr);
  if (auto *call = dyn_cast<CXXMemberCallExpr>(expr)) {
    std::optional<Word> word = language.findCallee(call);
    if (word == Word::part_of_rows || word == Word::part_of_cols)
      return importTensorPart(call, word == Word::part_of_rows ? 1 : 0);
  }
  std::optional<Object> object = importObject(expr);
  return object ? read(*object, expr) : mlir::Value();
}

mlir::Value KernelImporter::importExtent(const CallExpr *call, int64_t fromLast) {
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

mlir::Value KernelImporter::importTensorPart(const CXXMemberCallExpr *call, int64_t fromLast) {
  mlir::Location loc = locate(call->getExprLoc());
  mlir::Value tensor = importTensor(call->getImplicitObjectArgument());
  mlir::Value first = importScalar(call->getArg(0)), last = importScalar(call->getArg(1));
  if (!tensor || !first || !last)
    return {};
  auto type = cast<tk::GlobalType>(tensor.getType());
  const int64_t dim = type.getRank() - 1 - fromLast;
  if (dim < 0) {
    error(call->getExprLoc(), Message::part_of_vector) << call->getSourceRange();
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

bool KernelImporter::checkPart(mlir::Value tensor, mlir::Type moved, bool isStored,
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
