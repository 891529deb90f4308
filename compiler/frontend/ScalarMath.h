//===- ScalarMath.h - Arithmetic as the language header does it -----------===//
//
// Elements are kept in narrow types and calculated with as numbers: float, or int
// for integers. This is the one place that knows how an element becomes a number
// and back (runtime/language/numbers.h), and what each function of the language
// computes. Elementwise builtins, lambdas and scalar code share it.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_SCALARMATH_H
#define TKC_FRONTEND_SCALARMATH_H

#include "frontend/Vocabulary.h"

#include "mlir/IR/Builders.h"

#include <functional>

namespace tkc {

/// Numbers (f32 or i32) in, a number out.
class ScalarMath {
public:
  using Value = mlir::Value;
  /// Gives the one op that holds a constant.
  using Constants = std::function<Value(mlir::TypedAttr, mlir::Location)>;

  ScalarMath(mlir::OpBuilder &builder, mlir::Location loc, Constants constants)
      : builder(builder), loc(loc), constants(std::move(constants)) {}

  /// The type in which elements of this type are calculated: f32 or i32.
  static mlir::Type numberOf(mlir::Type element);

  /// An element, or a `bool`, as a number.
  Value toNumber(Value element);
  /// A number as an element: rounded to nearest even; to an integer towards zero, stopping at the
  /// type's limits, NaN to 0; fp8 stops at its largest number.
  Value toElement(Value number, mlir::Type element);
  Value toFloat(Value number);

  // C++'s usual conversions first: of a float and an int, the int becomes a float.
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  /// The larger or smaller one; of a NaN and a number, the number.
  Value max(Value a, Value b);
  Value min(Value a, Value b);
  /// Rounded once, in float; of three integers, in int.
  Value fma(Value a, Value b, Value c);
  Value neg(Value a);
  Value abs(Value a);
  /// `condition ? a : b`; the result has the type of `a`.
  Value select(Value condition, Value a, Value b);
  Value isNotZero(Value a);

  /// A function of float alone: `call<mlir::math::ExpOp>(x)`.
  template <typename Op> Value call(Value x) { return builder.create<Op>(loc, toFloat(x)); }

  Value number(float value);
  Value number(int32_t value);

  mlir::OpBuilder &builder;
  const mlir::Location loc;

private:
  std::pair<Value, Value> unify(Value a, Value b);
  template <typename OfFloats, typename OfIntegers> Value combine(Value a, Value b);
  Value constantAsElement(mlir::TypedAttr number, mlir::Type element);

  Constants constants;
};

/// A function of the language on numbers, which builtins apply to each element.
using NumberFunction = mlir::Value (*)(ScalarMath &math, llvm::ArrayRef<mlir::Value> numbers);

/// The function that a word stands for, null if it is none; `add`, `exp`, `gelu` and so on.
NumberFunction findNumberFunction(Word word);

} // namespace tkc

#endif // TKC_FRONTEND_SCALARMATH_H
