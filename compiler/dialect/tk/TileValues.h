//===- TileValues.h - Operations that touch tiles -------------------------===//
#ifndef TKC_DIALECT_TK_TILEVALUES_H
#define TKC_DIALECT_TK_TILEVALUES_H

#include "dialect/tk/Tk.h"

namespace tkc {

/// True for tiles and vectors, in registers or in shared memory.
bool isTile(mlir::Type type);
/// True for those in shared memory.
bool isShared(mlir::Type type);

/// True if the operation touches tiles: has one as operand or result, or contains such an
/// operation.
bool touchesTiles(mlir::Operation *op);

} // namespace tkc

#endif // TKC_DIALECT_TK_TILEVALUES_H
