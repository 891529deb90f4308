//===- ScalarMath.cpp - Arithmetic as the language header does it ---------===//
#include "frontend/ScalarMath.h"

#include "frontend/ClangAst.h"

using namespace tkc;
namespace arith = mlir::arith;

static bool isFloat(mlir::Value value) { return isa<mlir::FloatType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Elements and numbers
//===----------------------------------------------------------------------===//

mlir::Type ScalarMath::numberOf(mlir::Type element) {
  if (isa<mlir::FloatType>(element))
    return mlir::FloatType::getF32(element.getContext());
  return mlir::IntegerType::get(element.getContext(), 32);
}

mlir::Value ScalarMath::toNumber(Value element) {
  mlir::Type from = element.getType(), to = numberOf(from);
  if (from == to)
    return element;
  if (from.isTF32())
    return builder.create<tk::ConvertOp>(loc, to, element);
  if (isFloat(element))
    return builder.create<arith::ExtFOp>(loc, to, element);
  if (from.isInteger(1))
    return builder.create<arith::ExtUIOp>(loc, to, element);
  return builder.create<arith::ExtSIOp>(loc, to, element);
}

mlir::Value ScalarMath::toFloat(Value number) {
  number = toNumber(number);
  if (isFloat(number))
    return number;
  mlir::IntegerAttr constant;
  if (mlir::matchPattern(number, mlir::m_Constant(&constant)))
    return constantAsElement(constant, builder.getF32Type());
  return builder.create<arith::SIToFPOp>(loc, builder.getF32Type(), number);
}

mlir::Value ScalarMath::toElement(Value number, mlir::Type element) {
  number = toNumber(number);
  if (number.getType() == element)
    return number;
  mlir::TypedAttr constant;
  if (mlir::matchPattern(number, mlir::m_Constant(&constant)))
    return constantAsElement(constant, element);
  if (isa<mlir::FloatType>(element)) {
    number = toFloat(number);
    if (element.isF32())
      return number;
    if (element.isTF32())
      return builder.create<tk::ConvertOp>(loc, element, number);
    return builder.create<arith::TruncFOp>(loc, element, number);
  }
  if (isFloat(number))
    number = builder.create<arith::FPToSIOp>(loc, builder.getI32Type(), number);
  if (element.isInteger(32))
    return number;
  const unsigned bits = element.getIntOrFloatBitWidth();
  auto limit = [&](const llvm::APInt &value) {
    return this->number(int32_t(value.getSExtValue()));
  };
  number = min(number, limit(llvm::APInt::getSignedMaxValue(bits)));
  number = max(number, limit(llvm::APInt::getSignedMinValue(bits)));
  return builder.create<arith::TruncIOp>(loc, element, number);
}

/// Rounds to nearest even; the formats of 8 bits stop at their largest number.
static llvm::APFloat roundTo(llvm::APFloat value, mlir::FloatType element) {
  const llvm::fltSemantics &semantics = element.getFloatSemantics();
  const bool isNaN = value.isNaN(), isNegative = value.isNegative();
  bool inexact;
  value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &inexact);
  if (element.getWidth() == 8 && !isNaN && !value.isFinite())
    return llvm::APFloat::getLargest(semantics, isNegative);
  return value;
}

mlir::Value ScalarMath::constantAsElement(mlir::TypedAttr number, mlir::Type element) {
  llvm::APFloat value(0.0f);
  if (auto integer = dyn_cast<mlir::IntegerAttr>(number))
    value.convertFromAPInt(integer.getValue(), /*IsSigned=*/true,
                           llvm::APFloat::rmNearestTiesToEven);
  else
    value = cast<mlir::FloatAttr>(number).getValue();
  if (auto type = dyn_cast<mlir::FloatType>(element))
    return constants(mlir::FloatAttr::get(element, roundTo(value, type)), loc);

  const unsigned bits = element.getIntOrFloatBitWidth();
  llvm::APSInt result(bits, /*isUnsigned=*/false);
  if (auto integer = dyn_cast<mlir::IntegerAttr>(number)) {
    result = integer.getValue().truncSSat(bits);
  } else {
    bool exact; // stops at the limits; NaN becomes 0
    value.convertToInteger(result, llvm::APFloat::rmTowardZero, &exact);
  }
  return constants(mlir::IntegerAttr::get(element, result), loc);
}

mlir::Value ScalarMath::number(float value) {
  return constants(builder.getF32FloatAttr(value), loc);
}

mlir::Value ScalarMath::number(int32_t value) {
  return constants(builder.getI32IntegerAttr(value), loc);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

std::pair<mlir::Value, mlir::Value> ScalarMath::unify(Value a, Value b) {
  a = toNumber(a), b = toNumber(b);
  if (isFloat(a) != isFloat(b))
    a = toFloat(a), b = toFloat(b);
  return {a, b};
}

/// One operation for floats and another one for integers, on operands of one type.
template <typename OfFloats, typename OfIntegers>
mlir::Value ScalarMath::combine(Value a, Value b) {
  std::tie(a, b) = unify(a, b);
  if (isFloat(a))
    return builder.create<OfFloats>(loc, a, b);
  return builder.create<OfIntegers>(loc, a, b);
}

mlir::Value ScalarMath::add(Value a, Value b) {
  return combine<arith::AddFOp, arith::AddIOp>(a, b);
}
mlir::Value ScalarMath::sub(Value a, Value b) {
  return combine<arith::SubFOp, arith::SubIOp>(a, b);
}
mlir::Value ScalarMath::mul(Value a, Value b) {
  return combine<arith::MulFOp, arith::MulIOp>(a, b);
}
mlir::Value ScalarMath::div(Value a, Value b) {
  return combine<arith::DivFOp, arith::DivSIOp>(a, b);
}
mlir::Value ScalarMath::max(Value a, Value b) {
  return combine<arith::MaxNumFOp, arith::MaxSIOp>(a, b);
}
mlir::Value ScalarMath::min(Value a, Value b) {
  return combine<arith::MinNumFOp, arith::MinSIOp>(a, b);
}

mlir::Value ScalarMath::neg(Value a) {
  a = toNumber(a);
  if (isFloat(a))
    return builder.create<arith::NegFOp>(loc, a);
  return builder.create<arith::SubIOp>(loc, number(0), a);
}

mlir::Value ScalarMath::isNotZero(Value a) {
  a = toNumber(a);
  if (isFloat(a)) // a NaN is not 0
    return builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNE, a, number(0.0f));
  return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, a, number(0));
}

mlir::Value ScalarMath::select(Value condition, Value a, Value b) {
  a = toNumber(a);
  return builder.create<arith::SelectOp>(loc, condition, a, toElement(b, a.getType()));
}
