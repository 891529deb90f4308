//===- Scanner.h - Operations of a loop body that scanner warps do --------===//
#ifndef TKC_DIALECT_TK_SCANNER_H
#define TKC_DIALECT_TK_SCANNER_H

#include "dialect/tk/Tk.h"

namespace tkc::tk {

/// Of work on vectors that depends on loads and scalars alone: warps beside the one that loads do
/// it ahead of the consumers. tk-distribute decides.
inline constexpr llvm::StringLiteral scannerAttrName = "tk.scanner";

inline bool isScanners(mlir::Operation *op) { return op && op->hasAttr(scannerAttrName); }

/// True if scanner warps do a part of the work inside `op`, or all of it.
inline bool holdsScanners(mlir::Operation *op) {
  return op
      ->walk([](mlir::Operation *inner) {
        return isScanners(inner) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace tkc::tk

#endif // TKC_DIALECT_TK_SCANNER_H
