//===- NumberFunctions.cpp - Computations of the functions of a number ----===//
//
// One row per function, the same formula as in runtime/language/functions.h,
// arithmetic.h and scalars.h.
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

template <mlir::Value (ScalarMath::*operation)(mlir::Value, mlir::Value)>
mlir::Value combine(ScalarMath &math, Numbers x) {
  return (math.*operation)(x[0], x[1]);
}

// One step per line: in which order C++ evaluates arguments is not promised, and the ops must stand
// in the same order whoever compiled this.

mlir::Value rcp(ScalarMath &math, Numbers x) {
  mlir::Value divisor = math.toFloat(x[0]);
  return math.div(math.number(1.0f), divisor);
}

/// To the 11 bits of the GPU's instruction: without it, tanh is a score of instructions and a
/// branch.
mlir::Value tanh(ScalarMath &math, Numbers x) {
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

mlir::Value gelu(ScalarMath &math, Numbers x) {
  mlir::Value scaled = math.mul(x[0], math.number(0.70710678118654752440f));
  mlir::Value error = math.call<math::ErfOp>(scaled);
  return halfOfOnePlus(math, x[0], error);
}

mlir::Value geluTanh(ScalarMath &math, Numbers x) {
  mlir::Value cube = math.mul(math.number(0.044715f), x[0]);
  cube = math.mul(cube, x[0]);
  cube = math.mul(cube, x[0]);
  mlir::Value sum = math.add(x[0], cube);
  mlir::Value scaled = math.mul(math.number(0.79788456080286535588f), sum);
  mlir::Value saturated = math.call<math::TanhOp>(scaled);
  return halfOfOnePlus(math, x[0], saturated);
}

mlir::Value silu(ScalarMath &math, Numbers x) {
  mlir::Value opposite = math.neg(x[0]);
  mlir::Value decay = math.call<math::ExpOp>(opposite);
  mlir::Value share = math.div(math.number(1.0f), math.add(math.number(1.0f), decay));
  return math.mul(x[0], share);
}
} // namespace

static const NumberFunction functions[] = {
    {Word::exp, 1, call<math::ExpOp>},
    {Word::exp2, 1, call<math::Exp2Op>},
    {Word::log, 1, call<math::LogOp>},
    {Word::log2, 1, call<math::Log2Op>},
    {Word::sqrt, 1, call<math::SqrtOp>},
    {Word::rsqrt, 1, call<math::RsqrtOp>},
    {Word::tanh, 1, tanh},
    {Word::sin, 1, call<math::SinOp>},
    {Word::cos, 1, call<math::CosOp>},
    {Word::erf, 1, call<math::ErfOp>},
    {Word::floor, 1, call<math::FloorOp>},
    {Word::gelu, 1, gelu},
    {Word::gelu_tanh, 1, geluTanh},
    {Word::silu, 1, silu},
    {Word::relu, 1, [](ScalarMath &math, Numbers x) { return math.max(x[0], math.number(0)); }},
    {Word::abs, 1, [](ScalarMath &math, Numbers x) { return math.abs(x[0]); }},
    {Word::neg, 1, [](ScalarMath &math, Numbers x) { return math.neg(x[0]); }},
    {Word::rcp, 1, rcp},
    {Word::add, 2, combine<&ScalarMath::add>},
    {Word::sub, 2, combine<&ScalarMath::sub>},
    {Word::mul, 2, combine<&ScalarMath::mul>},
    {Word::div, 2, combine<&ScalarMath::div>},
    {Word::max, 2, combine<&ScalarMath::max>},
    {Word::min, 2, combine<&ScalarMath::min>},
    {Word::fma, 3, [](ScalarMath &math, Numbers x) { return math.fma(x[0], x[1], x[2]); }},
};

const NumberFunction *tkc::findNumberFunction(Word word) {
  const NumberFunction *found =
      llvm::find_if(functions, [&](const NumberFunction &row) { return row.word == word; });
  return found == std::end(functions) ? nullptr : found;
}
