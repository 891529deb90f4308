//===- NumberFunctions.cpp - Computations of the functions of a number ----===//
//
// The formulas of the rows TKC_FUNCTION of Builtins.def, the same as in
// runtime/language/functions.h, arithmetic.h and scalars.h.
//
//===----------------------------------------------------------------------===//
#include "frontend/ScalarMath.h"

#include "frontend/ClangAst.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace tkc;
namespace arith = mlir::arith;
namespace math = mlir::math;

mlir::Value ScalarMath::abs(Value a) {
  a = toNumber(a);
  if (isa<mlir::FloatType>(a.getType()))
    return builder.create<math::AbsFOp>(loc, a);
  return max(a, neg(a));
}

mlir::Value ScalarMath::fma(Value a, Value b, Value c) {
  a = toNumber(a), b = toNumber(b), c = toNumber(c);
  auto isInteger = [](Value value) { return value.getType().isInteger(32); };
  if (isInteger(a) && isInteger(b) && isInteger(c))
    return add(mul(a, b), c);
  a = toFloat(a), b = toFloat(b), c = toFloat(c);
  return builder.create<math::FmaOp>(loc, a, b, c);
}

namespace {
using Numbers = llvm::ArrayRef<mlir::Value>;

template <typename Op> mlir::Value call(ScalarMath &math, Numbers x) { return math.call<Op>(x[0]); }

template <mlir::Value (ScalarMath::*operation)(mlir::Value)>
mlir::Value unary(ScalarMath &math, Numbers x) {
  return (math.*operation)(x[0]);
}

template <mlir::Value (ScalarMath::*operation)(mlir::Value, mlir::Value)>
mlir::Value binary(ScalarMath &math, Numbers x) {
  return (math.*operation)(x[0], x[1]);
}

template <mlir::Value (ScalarMath::*operation)(mlir::Value, mlir::Value, mlir::Value)>
mlir::Value ternary(ScalarMath &math, Numbers x) {
  return (math.*operation)(x[0], x[1], x[2]);
}

// One step per line: in which order C++ evaluates arguments is not promised, and the ops must stand
// in the same order whoever compiled this.

mlir::Value rcpOf(ScalarMath &math, Numbers x) {
  mlir::Value divisor = math.toFloat(x[0]);
  return math.div(math.number(1.0f), divisor);
}

/// To the 11 bits of the GPU's instruction: without it, tanh is a score of instructions and a
/// branch.
mlir::Value tanhOf(ScalarMath &math, Numbers x) {
  mlir::Value result = math.call<math::TanhOp>(x[0]);
  auto approximate = mlir::arith::FastMathFlags::afn;
  result.getDefiningOp<math::TanhOp>().setFastmath(approximate);
  return result;
}

/// x / 2 * (1 + `inner`)
mlir::Value halfOfOnePlus(ScalarMath &math, mlir::Value x, mlir::Value inner) {
  mlir::Value half = math.mul(x, math.number(0.5f));
  mlir::Value sum = math.add(math.number(1.0f), inner);
  return math.mul(half, sum);
}

mlir::Value geluOf(ScalarMath &math, Numbers x) {
  mlir::Value scaled = math.mul(x[0], math.number(0.70710678118654752440f));
  mlir::Value error = math.call<math::ErfOp>(scaled);
  return halfOfOnePlus(math, x[0], error);
}

mlir::Value geluTanhOf(ScalarMath &math, Numbers x) {
  mlir::Value cube = math.mul(math.number(0.044715f), x[0]);
  cube = math.mul(cube, x[0]);
  cube = math.mul(cube, x[0]);
  mlir::Value sum = math.add(x[0], cube);
  mlir::Value scaled = math.mul(math.number(0.79788456080286535588f), sum);
  mlir::Value saturated = math.call<math::TanhOp>(scaled);
  return halfOfOnePlus(math, x[0], saturated);
}

mlir::Value siluOf(ScalarMath &math, Numbers x) {
  mlir::Value opposite = math.neg(x[0]);
  mlir::Value decay = math.call<math::ExpOp>(opposite);
  mlir::Value share = math.div(math.number(1.0f), math.add(math.number(1.0f), decay));
  return math.mul(x[0], share);
}

mlir::Value reluOf(ScalarMath &math, Numbers x) { return math.max(x[0], math.number(0)); }

/// Of integers.
template <typename Op> mlir::Value bits(ScalarMath &math, Numbers x) {
  mlir::Value a = math.toNumber(x[0]), b = math.toNumber(x[1]);
  return math.builder.create<Op>(math.loc, a, b);
}

mlir::Value notOf(ScalarMath &math, Numbers x) {
  mlir::Value a = math.toNumber(x[0]);
  return math.builder.create<arith::XOrIOp>(math.loc, a, math.number(-1));
}

/// The bits of a float as an integer, and of an integer as a float.
mlir::Value bitsAs(ScalarMath &math, Numbers x) {
  mlir::Type other = isa<mlir::FloatType>(x[0].getType()) ? mlir::Type(math.builder.getI32Type())
                                                          : math.builder.getF32Type();
  return math.builder.create<arith::BitcastOp>(math.loc, other, x[0]);
}
} // namespace

NumberFunction tkc::findNumberFunction(Word word) {
  switch (word) {
#define TKC_FUNCTION(name, formula)                                                                \
  case Word::name:                                                                                 \
    return formula;
#define TKC_BITS_AS(name, from, to)                                                                \
  case Word::name:                                                                                 \
    return bitsAs;
#include "frontend/Builtins.def"
  default:
    return nullptr;
  }
}
