//===- SourceNames.h - The user's name and line of a value ----------------===//
#ifndef TKC_DIALECT_TK_SOURCENAMES_H
#define TKC_DIALECT_TK_SOURCENAMES_H

#include "mlir/IR/Value.h"

namespace tkc {

/// The user's name in a location: of the outermost NameLoc, empty where there is none.
llvm::StringRef getSourceName(mlir::Location loc);
inline llvm::StringRef getSourceName(mlir::Value value) { return getSourceName(value.getLoc()); }

/// The line of a location in the user's file, 0 where it has none.
unsigned getSourceLine(mlir::Location loc);

/// The same place under another name.
mlir::Location getNamedLoc(llvm::StringRef name, mlir::Location loc);

/// The same place without a name.
mlir::Location getUnnamedLoc(mlir::Location loc);

} // namespace tkc

#endif // TKC_DIALECT_TK_SOURCENAMES_H
