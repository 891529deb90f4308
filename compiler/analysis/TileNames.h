//===- TileNames.h - Which variable of the user a tile value carries on ---===//
//
// A variable that is updated becomes many SSA values: the accumulator before a
// loop, in it, after each MMA, after the loop. Messages, reasons and the
// emitted names want the variable.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_TILENAMES_H
#define TKC_ANALYSIS_TILENAMES_H

#include "mlir/IR/Operation.h"
#include <string>

namespace tkc {

/// The operand whose registers the result of an MMA takes over; null for other operations.
mlir::Value getTiedOperand(mlir::Operation *op);

/// The value whose variable `value` carries on, null where the variable begins.
mlir::Value getPredecessor(mlir::Value value);

/// The user's name of a tile: its own, or that of the variable it carries on; empty if it has none.
llvm::StringRef findTileName(mlir::Value value);

/// The same for messages: "'acc'", or "a tile".
std::string quoteTileName(mlir::Value value);

/// Where the variable that `value` carries on is declared.
mlir::Location getDeclaration(mlir::Value value);

/// The last line on which `value` is used, 0 if unknown.
unsigned getLastLine(mlir::Value value);

} // namespace tkc

#endif // TKC_ANALYSIS_TILENAMES_H
