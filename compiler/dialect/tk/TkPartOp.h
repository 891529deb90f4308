//===- TkPartOp.h - A part of a tensor --------------------------------------===//
#ifndef TKC_DIALECT_TK_TKPARTOP_H
#define TKC_DIALECT_TK_TKPARTOP_H

#include "dialect/tk/Tk.h"

#define GET_OP_CLASSES
#include "dialect/tk/TkPartOp.h.inc"

namespace tkc::tk {

/// The tensor that `tensor` is a part of, or itself.
mlir::Value getWholeTensor(mlir::Value tensor);

} // namespace tkc::tk

#endif // TKC_DIALECT_TK_TKPARTOP_H
