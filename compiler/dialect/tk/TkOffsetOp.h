//===- TkOffsetOp.h - An index that counts elements -----------------------===//
#ifndef TKC_DIALECT_TK_TKOFFSETOP_H
#define TKC_DIALECT_TK_TKOFFSETOP_H

#include "dialect/tk/Tk.h"

#define GET_OP_CLASSES
#include "dialect/tk/TkOffsetOp.h.inc"

#endif // TKC_DIALECT_TK_TKOFFSETOP_H
