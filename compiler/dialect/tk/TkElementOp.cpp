//===- TkElementOp.cpp - One element of a tensor, as a scalar -------------===//
#include "dialect/tk/TkElementOp.h"

using namespace mlir;
using namespace tkc::tk;

#define GET_OP_CLASSES
#include "dialect/tk/TkElementOp.cpp.inc"

LogicalResult ElementOp::verify() {
  GlobalType tensor = getSource().getType();
  if (int64_t(getIndices().size()) != tensor.getRank())
    return emitOpError("a tensor of ")
           << tensor.getRank() << " dimensions needs as many indices, these are "
           << getIndices().size();
  bool isFloat = isa<FloatType>(tensor.getElementType());
  if (isFloat != getResult().getType().isF32())
    return emitOpError("an element of ")
           << tensor.getElementType() << " is no " << getResult().getType();
  return success();
}
