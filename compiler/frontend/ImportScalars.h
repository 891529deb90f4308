//===- ImportScalars.h - Scalar expressions to arith ----------------------===//
//
// Scalars are i32, f32 and i1. Whatever Clang can compute becomes a constant, so
// template parameters and constexpr variables leave no trace in the IR.
//
// Methods return null or nothing after an error that they reported.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_IMPORTSCALARS_H
#define TKC_FRONTEND_IMPORTSCALARS_H

#include "frontend/Environment.h"

namespace tkc {

class BuiltinImporter;
class FunctionImporter;
class ObjectImporter;
class TensorImporter;

class ScalarImporter : Importer {
public:
  ScalarImporter(ImportContext &context, Environment &environment, ObjectImporter &objects,
                 FunctionImporter &functions, TensorImporter &tensors, BuiltinImporter &builtins)
      : Importer(context), environment(environment), objects(objects), functions(functions),
        tensors(tensors), builtins(builtins) {}

  /// The value of a scalar expression.
  mlir::Value importScalar(const clang::Expr *expr);
  /// The value of an `int` expression that Clang can compute.
  std::optional<int64_t> evaluate(const clang::Expr *expr) const;
  /// The same, also where it depends on variables of unrolled loops and on arguments.
  std::optional<int64_t> importConstant(const clang::Expr *expr);

  mlir::Value convert(mlir::Value value, mlir::Type to, mlir::Location loc);
  /// The result of a binary operator of C++; null, and an error at `place`, if the language has it
  /// not.
  mlir::Value combine(clang::BinaryOperatorKind kind, mlir::Value left, mlir::Value right,
                      const clang::Expr *place);

private:
  // ImportExpressions.cpp.
  mlir::Value importCast(const clang::CastExpr *cast, mlir::Type to);
  mlir::Value importCall(const clang::CallExpr *call);
  mlir::Value importBuiltinCall(const clang::CallExpr *call);
  mlir::Value importCeilDiv(const clang::CallExpr *call);

  // ImportOperators.cpp.
  mlir::Value importUnary(const clang::UnaryOperator *unary);
  mlir::Value importBinary(const clang::BinaryOperator *binary);
  mlir::Value importLogical(const clang::BinaryOperator *binary);
  mlir::Value importConditional(const clang::ConditionalOperator *conditional);
  /// `result`, whose operator remembers which of its operands are template parameters.
  mlir::Value withNames(mlir::Value result, llvm::ArrayRef<const clang::Expr *> operands);
  /// Imports an operand that C++ evaluates only if `condition` equals `when`. Ops that must not run
  /// otherwise are moved into an `scf.if`.
  mlir::Value importGuarded(const clang::Expr *expr, mlir::Value condition, bool when);

  Environment &environment;
  ObjectImporter &objects;
  FunctionImporter &functions;
  TensorImporter &tensors;
  BuiltinImporter &builtins;
};

} // namespace tkc

#endif // TKC_FRONTEND_IMPORTSCALARS_H
