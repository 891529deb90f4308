//===- TkOffsetOp.cpp - An index that counts elements ---------------------===//
#include "dialect/tk/TkOffsetOp.h"

using namespace mlir;
using namespace tkc::tk;

#define GET_OP_CLASSES
#include "dialect/tk/TkOffsetOp.cpp.inc"
