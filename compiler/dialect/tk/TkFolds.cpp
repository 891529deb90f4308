//===- TkFolds.cpp - Folds of tk ops --------------------------------------===//
#include "dialect/tk/Tk.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tkc::tk;

OpFoldResult ExtentOp::fold(FoldAdaptor) {
  int64_t extent = getSource().getType().getShape()[getDim()];
  if (ShapedType::isDynamic(extent))
    return {};
  return IntegerAttr::get(getType(), extent);
}

// A number that an op folds to becomes an arith.constant.
Operation *TkDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                          Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

// The launcher launches nothing for empty tensors and refuses extents past 2^31 - 1.
void ExtentOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRange) {
  int64_t extent = getSource().getType().getShape()[getDim()];
  if (!ShapedType::isDynamic(extent))
    return setResultRange(getResult(), ConstantIntRanges::constant(APInt(32, extent)));
  setResultRange(getResult(),
                 ConstantIntRanges::fromSigned(APInt(32, 1), APInt::getSignedMaxValue(32)));
}
