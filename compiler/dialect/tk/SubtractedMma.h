//===- SubtractedMma.h - MMAs that subtract -------------------------------===//
//
// acc - A B is an MMA whose A the tensor cores negate as they read it (wgmma's
// imm-scale-a of -1). Nothing but that instruction differs, so it is a mark on the op
// and no op of its own: schedules, waits and registers are those of any MMA.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_DIALECT_TK_SUBTRACTEDMMA_H
#define TKC_DIALECT_TK_SUBTRACTEDMMA_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tkc::tk {

inline constexpr llvm::StringLiteral subtractedAttrName = "tk.subtracted";

inline bool isSubtracted(mlir::Operation *mma) { return mma->hasAttr(subtractedAttrName); }
inline void setSubtracted(mlir::Operation *mma) {
  mma->setAttr(subtractedAttrName, mlir::UnitAttr::get(mma->getContext()));
}

} // namespace tkc::tk

#endif // TKC_DIALECT_TK_SUBTRACTEDMMA_H
