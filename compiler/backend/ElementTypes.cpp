//===- ElementTypes.cpp - The element types of tiles in the runtime -------===//
#include "backend/ElementTypes.h"

#include "dialect/tk/Tk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tkc::backend;

const ElementType *tkc::backend::elementType(Type type) {
  static constexpr ElementType bf16{"bf16", "TK_BF16", "float"}, f16{"f16", "TK_F16", "float"},
      f32{"float", "TK_F32", "float"}, tf32{"tf32", "TK_F32", "float"},
      e4m3{"e4m3", "TK_E4M3", "float"}, e5m2{"e5m2", "TK_E5M2", "float"},
      int8{"int8", "TK_I8", "int"}, int32{"int", "TK_I32", "int"};
  if (type.isBF16())
    return &bf16;
  if (type.isF16())
    return &f16;
  if (type.isF32())
    return &f32;
  if (type.isTF32())
    return &tf32;
  if (isa<Float8E4M3FNType>(type))
    return &e4m3;
  if (isa<Float8E5M2Type>(type))
    return &e5m2;
  if (type.isInteger(8))
    return &int8;
  if (type.isInteger(32))
    return &int32;
  return nullptr;
}

bool tkc::backend::isNarrow(Type type) {
  const ElementType *element = elementType(type);
  return element && element->name != element->number;
}

bool tkc::backend::isElementConversion(Operation *op) {
  bool converts = op && isa<arith::ExtFOp, arith::ExtSIOp, arith::TruncFOp, arith::TruncIOp,
                            arith::FPToSIOp, arith::SIToFPOp, tkc::tk::ConvertOp>(
                            op); // f32 to tf32 and back: arith has no such op
  return converts && elementType(op->getOperand(0).getType()) &&
         elementType(op->getResult(0).getType());
}
