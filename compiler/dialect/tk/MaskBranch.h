//===- MaskBranch.h - Branches of iterations in which a mask does nothing -===//
#ifndef TKC_DIALECT_TK_MASKBRANCH_H
#define TKC_DIALECT_TK_MASKBRANCH_H

#include "llvm/ADT/StringRef.h"

namespace tkc {

/// Marks a branch whose condition says that a mask hides an element of the tile: one side applies
/// the mask, the other one has the tile as it is.
inline constexpr llvm::StringLiteral masksTileAttrName = "tk.masks_tile";

} // namespace tkc

#endif // TKC_DIALECT_TK_MASKBRANCH_H
