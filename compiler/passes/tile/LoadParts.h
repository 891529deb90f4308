//===- LoadParts.h - Loads that bring a part of a tile --------------------===//
#ifndef TKC_PASSES_LOADPARTS_H
#define TKC_PASSES_LOADPARTS_H

#include "llvm/ADT/StringRef.h"

namespace tkc {

/// Marks a load of some columns of a tile, which lands and is given back apart from the others.
inline constexpr llvm::StringLiteral isPartAttrName = "tk.is_part";

} // namespace tkc

#endif // TKC_PASSES_LOADPARTS_H
