//===- UnnamedValues.h - Names for values that the user gave none ---------===//
//
// An intermediate result is called what it is: `row_sums`, `difference`,
// `x_columns_32`, `zeros`. A name such as `tile_7` would send the reader to the line
// that makes it, each time.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_UNNAMEDVALUES_H
#define TKC_BACKEND_UNNAMEDVALUES_H

#include "mlir/IR/Operation.h"

#include <string>

namespace tkc::backend {

/// A register tile or vector. `sourceName` is the emitted name of the first operand of the op that
/// makes it, empty if that has none.
std::string nameTileByContent(mlir::Value value, llvm::StringRef sourceName);

/// An element of a tile or vector that is itself an expression.
llvm::StringRef nameElement(mlir::Value value);

/// A scalar, by its use or else by the operation that computes it.
std::string nameScalar(mlir::Value value);

} // namespace tkc::backend

#endif // TKC_BACKEND_UNNAMEDVALUES_H
