//===- Reducer.h - Operations of a loop body that the reducer does --------===//
#ifndef TKC_DIALECT_TK_REDUCER_H
#define TKC_DIALECT_TK_REDUCER_H

#include "dialect/tk/Tk.h"

namespace tkc::tk {

/// Of an MMA whose result leaves the iteration, of the maps between, and of the stores that take
/// it: the reducer warpgroup does it, not the consumers. tk-distribute decides.
inline constexpr llvm::StringLiteral reducerAttrName = "tk.reducer";

/// An I64Attr of a kernel whose reducer is several warpgroups: they take alternate
/// iterations of the loop, and each does all of the marked work of its own. Without it the reducer
/// is one.
inline constexpr llvm::StringLiteral reducersAttrName = "tk.reducers";

inline int64_t getReducers(mlir::Operation *kernel) {
  auto count = kernel->getAttrOfType<mlir::IntegerAttr>(reducersAttrName);
  return count ? count.getInt() : 1;
}

inline bool isReducers(mlir::Operation *op) { return op && op->hasAttr(reducerAttrName); }

/// True if the reducer does a part of the work inside `op`, or all of it.
inline bool holdsReducers(mlir::Operation *op) {
  return op
      ->walk([](mlir::Operation *inner) {
        return isReducers(inner) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace tkc::tk

#endif // TKC_DIALECT_TK_REDUCER_H
