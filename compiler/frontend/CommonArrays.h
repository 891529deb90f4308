//===- CommonArrays.h - Shared tiles that warpgroups choose by their numbers ===//
#ifndef TKC_FRONTEND_COMMONARRAYS_H
#define TKC_FRONTEND_COMMONARRAYS_H

#include "frontend/ObjectLayout.h"

#include "dialect/tk/Tk.h"

namespace tkc {

class Vocabulary;

/// An element of an array that is one shared tile, or vector, in parts.
struct CommonElement {
  Object whole;      ///< one slot, whose value has `wholeType`
  mlir::Value index; ///< of the element
  tk::ElementsInterface wholeType, type;
};

/// True for an array of shared tiles, or vectors, that is indexed by the number of a warpgroup and
/// in another way, and that is only written by `store`.
bool isCommonArray(const clang::VarDecl *variable, Vocabulary &language);

/// True for an array of which the number of a warpgroup, or warp, chooses an element that is only
/// read.
bool isChosenByNumber(const clang::VarDecl *variable, Vocabulary &language);

/// The type of all elements of an array: their rows, or those of vectors, follow one another.
tk::ElementsInterface getCommonType(tk::ElementsInterface element, int64_t count);

/// The place of a part of an element, in parts of this type, as one of the whole. An empty place
/// is the element.
void placeInWhole(mlir::OpBuilder &builder, mlir::Location loc, const CommonElement &element,
                  mlir::Type part, llvm::SmallVectorImpl<mlir::Value> &indices);

} // namespace tkc

#endif // TKC_FRONTEND_COMMONARRAYS_H
