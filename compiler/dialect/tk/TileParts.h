//===- TileParts.h - What tk.concat and hopper.concat share ---------------===//
#ifndef TKC_DIALECT_TK_TILEPARTS_H
#define TKC_DIALECT_TK_TILEPARTS_H

#include "dialect/tk/Tk.h"

namespace tkc::tk {

/// The operands are of the result's kind, agree with it in the extent that is kept, and make up the
/// other one.
mlir::LogicalResult verifyConcat(mlir::Operation *op, Along along);

} // namespace tkc::tk

#endif // TKC_DIALECT_TK_TILEPARTS_H
