//===- ElementLambda.h - Lambdas over elements ----------------------------===//
//
// A lambda is entered like any function, in the body of a tk.map. Its
// captures were evaluated before; its result depends on one element alone,
// so it has no loops, changes nothing outside, and sees no tiles.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_ELEMENTLAMBDA_H
#define TKC_FRONTEND_ELEMENTLAMBDA_H

#include "frontend/BuiltinCall.h"

namespace tkc {

class ElementLambda {
public:
  static bool isLambda(const clang::Expr *expr);
  /// The lambda that an operand is, with its captures. Nothing after an error, which was reported.
  static std::optional<ElementLambda> import(BuiltinCall &builtin, const clang::Expr *expr);

  unsigned countParameters() const;
  /// Its result, in the body of a map; null after an error.
  mlir::Value apply(BuiltinCall &builtin, llvm::ArrayRef<mlir::Value> arguments) const;
  /// The same of a row and a column, as a condition.
  mlir::Value applyPredicate(BuiltinCall &builtin, mlir::ValueRange at, ScalarMath &math) const;

private:
  ElementLambda(const clang::Expr *expr, Object closure) : expr(expr), closure(closure) {}

  const clang::Expr *expr;
  Object closure;
};

} // namespace tkc

#endif // TKC_FRONTEND_ELEMENTLAMBDA_H
