//===- LoadParts.h - Loads that bring a part of a tile --------------------===//
#ifndef TKC_PASSES_LOADPARTS_H
#define TKC_PASSES_LOADPARTS_H

#include "dialect/tk/Tk.h"

namespace tkc {

/// Marks a load of some columns of a tile, which lands and is given back apart from the others.
inline constexpr llvm::StringLiteral isPartAttrName = "tk.is_part";

/// `type`, a tile or vector, with `columns` columns or elements.
mlir::Type withColumns(mlir::Type type, int64_t columns);

/// The load of `columns` columns from `first` on, so marked, before the builder's place.
tk::LoadOp loadPart(mlir::OpBuilder &builder, tk::LoadOp load, int64_t first, int64_t columns);

} // namespace tkc

#endif // TKC_PASSES_LOADPARTS_H
