//===- ElementTypes.h - The element types of tiles in the runtime ---------===//
#ifndef TKC_BACKEND_ELEMENTTYPES_H
#define TKC_BACKEND_ELEMENTTYPES_H

#include "mlir/IR/Operation.h"

namespace tkc::backend {

struct ElementType {
  llvm::StringRef name;   // in device code: tk::bf16
  llvm::StringRef dtype;  // in the C interface: TK_BF16
  llvm::StringRef number; // what elements are computed with: float or int
};

/// None for a type the runtime does not know.
const ElementType *elementType(mlir::Type type);

/// Whether elements of this type are computed with as those of a wider one.
bool isNarrow(mlir::Type type);

/// Whether `op` does nothing but make an element of one type from one of another.
bool isElementConversion(mlir::Operation *op);

} // namespace tkc::backend

#endif // TKC_BACKEND_ELEMENTTYPES_H
