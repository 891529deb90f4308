//===- SharedValues.h - Shared memory as values ---------------------------===//
//
// A tile in shared memory is a value of the bytes that it was written to: the
// memory is a tk.alloc, and each write gives the tile's next value.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_SHAREDVALUES_H
#define TKC_FRONTEND_SHAREDVALUES_H

#include "dialect/tk/Tk.h"

#include "mlir/IR/Builders.h"

namespace tkc {

/// True for tiles and vectors in shared memory.
bool isShared(mlir::Type type);

/// The type in registers of what a tile or vector of this type holds.
mlir::Type inRegisters(mlir::Type type);

/// Shared memory that holds nothing yet, once for each tile of the grid.
mlir::Value createAlloc(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

/// True for shared memory that the kernel writes itself, at whatever point of a loop.
bool isWrittenMemory(mlir::Value shared);

} // namespace tkc

#endif // TKC_FRONTEND_SHAREDVALUES_H
