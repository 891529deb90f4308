//===- Shape.h - The extents that a kernel runs at ------------------------===//
#ifndef TKC_RUN_SHAPE_H
#define TKC_RUN_SHAPE_H

#include "run/Signature.h"

#include "llvm/Support/Error.h"

namespace tkc::run {

/// An extent for each Size of a signature.
using Shape = std::vector<int64_t>;

/// The extents of a tensor argument.
std::vector<int64_t> extentsOf(const Argument &tensor, const Shape &shape);

/// "A=129x65,B=65x257,C=129x257": what parseShape reads.
std::string toString(const Signature &signature, const Shape &shape);

/// Reads the extents of some tensors; the others follow from them. The error says which extents do
/// not fit to each other or to the kernel, or which are missing.
llvm::Expected<Shape> parseShape(const Signature &signature, llvm::StringRef text);

/// Where kernels go wrong: all extents 1, all one below, on and above a tile, and three tiles; then
/// each extent in turn alone at 1, and alone at four, five and six tiles, so that rings are filled
/// again.
std::vector<Shape> defaultShapes(const Signature &signature);

} // namespace tkc::run

#endif // TKC_RUN_SHAPE_H
