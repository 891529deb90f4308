//===- ElementTypes.cpp - The element types of tiles in the runtime -------===//
#include "backend/ElementTypes.h"

using namespace tkc::backend;

const ElementType *tkc::backend::elementType(mlir::Type type) {
  static constexpr ElementType bf16{"bf16", "TK_BF16"}, f16{"f16", "TK_F16"},
      f32{"float", "TK_F32"};
  if (type.isBF16())
    return &bf16;
  if (type.isF16())
    return &f16;
  if (type.isF32())
    return &f32;
  return nullptr;
}
