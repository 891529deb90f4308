//===- TileParts.h - Shared code of the ops on parts of tiles -------------===//
#ifndef TKC_DIALECT_TK_TILEPARTS_H
#define TKC_DIALECT_TK_TILEPARTS_H

#include "dialect/tk/Tk.h"

namespace tkc::tk {

/// The operands are of the result's kind, agree with it in the extent that is kept, and make up the
/// other one.
mlir::LogicalResult verifyConcat(mlir::Operation *op, Along along);

/// A tile whose columns are pairs, a multiple of 32, and the tile of one part of each pair.
mlir::LogicalResult verifyPairs(mlir::Operation *op, ElementsInterface pairs,
                                ElementsInterface part);

} // namespace tkc::tk

#endif // TKC_DIALECT_TK_TILEPARTS_H
