//===- TkPartOp.cpp - A part of a tensor ------------------------------------===//
#include "dialect/tk/TkPartOp.h"

using namespace mlir;
using namespace tkc::tk;

#define GET_OP_CLASSES
#include "dialect/tk/TkPartOp.cpp.inc"

LogicalResult PartOp::verify() {
  GlobalType source = getSource().getType();
  int64_t rank = source.getRank(), dim = getDim();
  if (dim < 0 || dim >= rank || dim < rank - 2)
    return emitOpError("cuts one of a tensor's last two dimensions, not number ")
           << dim << " of " << rank;
  SmallVector<int64_t> shape(source.getShape());
  shape[dim] = ShapedType::kDynamic;
  auto wanted = GlobalType::get(getContext(), shape, source.getElementType());
  if (getResult().getType() != wanted)
    return emitOpError("gives ") << wanted << ", not " << getResult().getType();
  return success();
}

Value tkc::tk::getWholeTensor(Value tensor) {
  while (auto part = tensor.getDefiningOp<PartOp>())
    tensor = part.getSource();
  return tensor;
}
