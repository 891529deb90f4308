//===- ImportBuiltins.h - Calls of builtins to ops of the tk dialect ------===//
//
// Finds the importer of a builtin (Builtins.def) and calls it.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_IMPORTBUILTINS_H
#define TKC_FRONTEND_IMPORTBUILTINS_H

#include "frontend/Environment.h"
#include "frontend/ScalarMath.h"

namespace tkc {

class FunctionImporter;
class ObjectImporter;
class ScalarImporter;
class ScopeImporter;
class TensorImporter;

/// The variables, and the importers of other parts of a kernel, that builtins need.
struct BuiltinSurroundings {
  Environment &environment;
  ScalarImporter &scalars;
  TensorImporter &tensors;
  ObjectImporter &objects;
  FunctionImporter &functions;
  ScopeImporter &scope;
};

class BuiltinImporter : Importer, BuiltinSurroundings {
public:
  BuiltinImporter(ImportContext &context, BuiltinSurroundings surroundings)
      : Importer(context), BuiltinSurroundings(surroundings) {}

  /// The value of an expression that is a tile or a vector; null after an error.
  mlir::Value importValue(const clang::Expr *expr);
  /// A call of a builtin as a statement; false after an error.
  bool importStatement(const clang::CallExpr *call);
  /// A call of a function of numbers in scalar code; nothing if `word` is none.
  std::optional<mlir::Value> importNumberCall(const clang::CallExpr *call, Word word);
  /// A number, as f32 or i32; a literal may be a double.
  mlir::Value importNumber(const clang::Expr *expr);

  ScalarMath mathAt(mlir::Location loc);

private:
  friend class BuiltinCall;
  mlir::Value build(const clang::Expr *expr, Word word);
  mlir::Value readVariable(const clang::Expr *expr);
};

} // namespace tkc

#endif // TKC_FRONTEND_IMPORTBUILTINS_H
