//===- TkChoiceOp.cpp - A function that chooses among kernels -------------===//
#include "dialect/tk/TkChoiceOp.h"

using namespace mlir;
using namespace tkc::tk;

#define GET_OP_CLASSES
#include "dialect/tk/TkChoiceOp.cpp.inc"

LogicalResult ChoiceOp::verify() {
  if (getKernels().size() < 2)
    return emitOpError("a choice is among two kernels or more, this one has ")
           << getKernels().size();
  return success();
}

LogicalResult ChoiceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FunctionOpInterface first;
  for (auto name : getKernels().getAsRange<FlatSymbolRefAttr>()) {
    auto kernel = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, name);
    if (!kernel)
      return emitOpError("there is no kernel ") << name;
    if (!first)
      first = kernel;
    if (kernel.getArgumentTypes() != first.getArgumentTypes())
      return emitOpError("kernel ") << name << " takes other arguments than the first one";
  }
  return success();
}
