//===- TkElementOp.h - One element of a tensor, as a scalar ---------------===//
#ifndef TKC_DIALECT_TK_TKELEMENTOP_H
#define TKC_DIALECT_TK_TKELEMENTOP_H

#include "dialect/tk/Tk.h"

#define GET_OP_CLASSES
#include "dialect/tk/TkElementOp.h.inc"

#endif // TKC_DIALECT_TK_TKELEMENTOP_H
