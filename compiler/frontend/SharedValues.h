//===- SharedValues.h - Shared memory as values ---------------------------===//
//
// A tile in shared memory is a value of the bytes that it was written to: the
// memory is a tk.alloc, and each write gives the tile's next value.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_SHAREDVALUES_H
#define TKC_FRONTEND_SHAREDVALUES_H

#include "dialect/tk/TileValues.h"

#include "mlir/IR/Builders.h"

namespace tkc {

/// The type in registers of what a tile or vector of this type holds.
mlir::Type inRegisters(mlir::Type type);

/// Shared memory that holds nothing yet, once for each tile of the grid.
mlir::Value createAlloc(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

/// True for shared memory that the kernel writes itself, at whatever point of a loop.
bool isWrittenMemory(mlir::Value shared);

/// The shared memory before the writes of parts that end with `shared`, all in its block.
mlir::Value findBase(mlir::Value shared);

/// True for a condition that picks one warpgroup of a scope, or all but one: `w == 0`, `w != 0`.
bool picksWarpgroup(mlir::Value condition);

/// Shared memory after a branch that picks a warpgroup and writes parts of it: the values
/// that its sides yield. Nothing if one of them does something else to it. `before` is null if the
/// memory holds nothing yet.
std::optional<std::pair<mlir::Value, mlir::Value>>
joinWrites(mlir::Value before, mlir::Value whenTrue, mlir::Value whenFalse);

} // namespace tkc

#endif // TKC_FRONTEND_SHAREDVALUES_H
