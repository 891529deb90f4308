//===- TileSpaceFormat.h - How ops over a tile space are written ----------===//
//
// `(%m, %n) in (%m_tiles, %n_tiles) swizzle 8 { ... }`, the same for tk.grid and
// for the loop it becomes, hopper.tile_loop.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_DIALECT_TK_TILESPACEFORMAT_H
#define TKC_DIALECT_TK_TILESPACEFORMAT_H

#include "mlir/IR/OpImplementation.h"

namespace tkc::tk {

/// Operands are the extents, the attribute of the given name the swizzle (0 when there is none),
/// and the one region's arguments the point.
mlir::ParseResult parseTileSpace(mlir::OpAsmParser &parser, mlir::OperationState &result,
                                 mlir::StringAttr swizzleName);
void printTileSpace(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::StringAttr swizzleName);

} // namespace tkc::tk

#endif // TKC_DIALECT_TK_TILESPACEFORMAT_H
