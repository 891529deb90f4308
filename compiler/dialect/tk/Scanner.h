//===- Scanner.h - Operations of a loop body that scanner warps do --------===//
#ifndef TKC_DIALECT_TK_SCANNER_H
#define TKC_DIALECT_TK_SCANNER_H

#include "dialect/tk/Tk.h"

namespace tkc::tk {

/// Of work on vectors that depends on loads and scalars alone: warps beside the one that loads do
/// it ahead of the consumers. tk-distribute decides.
inline constexpr llvm::StringLiteral scannerAttrName = "tk.scanner";

/// The warp that does it, of several that share one loop's work; 0 where the attribute has no
/// number.
inline int64_t getScannerWarp(mlir::Operation *op) {
  auto number = op->getAttrOfType<mlir::IntegerAttr>(scannerAttrName);
  return number ? number.getInt() : 0;
}

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
