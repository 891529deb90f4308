//===- ImportObjects.h - Variables, their parts, and what they hold -------===//
//
// An expression that names something in memory (an lvalue of C++) becomes an
// Object, a range of slots. An expression that computes a struct or an array gives
// one value for each slot.
//
// Methods return nothing or false after an error that they reported.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_IMPORTOBJECTS_H
#define TKC_FRONTEND_IMPORTOBJECTS_H

#include "frontend/CommonArrays.h"
#include "frontend/Environment.h"

namespace tkc {

class BuiltinImporter;
class FunctionImporter;
class ScalarImporter;
class ScopeImporter;
class StatementImporter;
class TensorImporter;

class ObjectImporter : Importer {
public:
  ObjectImporter(ImportContext &context, Environment &environment, ScalarImporter &scalars,
                 TensorImporter &tensors, FunctionImporter &functions,
                 StatementImporter &statements, ScopeImporter &scope, BuiltinImporter &builtins)
      : Importer(context), environment(environment), scalars(scalars), tensors(tensors),
        functions(functions), statements(statements), scope(scope), builtins(builtins) {}

  // ImportObjects.cpp.
  /// The object that an expression refers to: a variable, a part of one, or a temporary made for
  /// it.
  std::optional<Object> importObject(const clang::Expr *expr);
  /// The value of what an expression refers to, if that is one value.
  mlir::Value importVariable(const clang::Expr *expr);
  /// Gives what `target` refers to a new value: the destination of a builtin.
  bool assign(const clang::Expr *target, mlir::Value value);

  // CommonArrays.cpp.
  /// The element of an array of shared tiles that is one tile in parts, if the expression is one.
  std::optional<CommonElement> findCommonElement(const clang::Expr *expr);
  /// The value of all its elements, and of the element itself.
  mlir::Value readWhole(const CommonElement &element, const clang::Expr *expr);
  mlir::Value readCommonElement(const CommonElement &element, const clang::Expr *expr);
  /// The element of an array of loaded tiles that the number of a worker chooses; null if this is
  /// none.
  mlir::Value readChosenElement(const clang::ArraySubscriptExpr *subscript);

  // ImportContents.cpp: what objects are initialised with.
  std::optional<Contents> importContents(const clang::Expr *expr);
  bool importInto(Object object, const clang::Expr *init);
  std::optional<Contents> importChoice(const clang::ConditionalOperator *conditional);

private:
  /// The element of `whole` with this number, all of whose rows follow one another.
  mlir::Value createRows(tk::ElementsInterface type, mlir::Value whole, mlir::Value index,
                         mlir::Location loc);
  std::optional<Object> importElement(const clang::ArraySubscriptExpr *subscript);
  std::optional<Object> importMember(const clang::MemberExpr *member);
  std::optional<Object> importResult(const clang::CallExpr *call);
  std::optional<Object> importName(const clang::ValueDecl *variable, const clang::Expr *place);
  std::optional<Object> createTemporary(const clang::Expr *expr);

  bool importElements(Object object, const clang::InitListExpr *list);
  bool importConstructor(Object object, const clang::CXXConstructExpr *construct);
  bool importClosure(Object object, const clang::LambdaExpr *lambda);
  bool fillWithZeros(Object object, mlir::Location loc);

  Environment &environment;
  ScalarImporter &scalars;
  TensorImporter &tensors;
  FunctionImporter &functions;
  StatementImporter &statements;
  ScopeImporter &scope;
  BuiltinImporter &builtins;
};

} // namespace tkc

#endif // TKC_FRONTEND_IMPORTOBJECTS_H
