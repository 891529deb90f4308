//===- ImportStatements.h - Declarations, assignments, branches -----------===//
//
// The importer walks the statements once, in order, as the program would run.
//
// Methods return false after an error that they reported.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_IMPORTSTATEMENTS_H
#define TKC_FRONTEND_IMPORTSTATEMENTS_H

#include "frontend/Environment.h"

namespace tkc {

class BuiltinImporter;
class FunctionImporter;
class LoopImporter;
class ObjectImporter;
class ScalarImporter;

class StatementImporter : Importer {
public:
  using Statements = llvm::ArrayRef<const clang::Stmt *>;

  StatementImporter(ImportContext &context, Environment &environment, WrittenValues &written,
                    ScalarImporter &scalars, ObjectImporter &objects, FunctionImporter &functions,
                    LoopImporter &loops, BuiltinImporter &builtins)
      : Importer(context), environment(environment), written(written), scalars(scalars),
        objects(objects), functions(functions), loops(loops), builtins(builtins) {}

  /// The statements of a block, with `continue` and `return` among them.
  bool importSequence(Statements statements);
  bool importExpressionStatement(const clang::Expr *expr);
  /// Imports the two branches of a decision. Slots that differ after them get the results of the
  /// `scf.if`.
  bool importBranches(mlir::Value condition, clang::SourceLocation place,
                      llvm::function_ref<bool()> whenTrue, llvm::function_ref<bool()> whenFalse);

private:
  // ImportStatements.cpp: declarations and assignments.
  bool importStatement(const clang::Stmt *statement);
  bool importBlock(const clang::CompoundStmt *block);
  bool importDeclaration(const clang::Decl *decl);
  bool importVariable(const clang::VarDecl *variable);
  bool importAssignment(const clang::Expr *target, const clang::Expr *source);
  bool importCompoundAssignment(const clang::CompoundAssignOperator *assignment);
  bool importIncrement(const clang::UnaryOperator *increment);

  // ImportBranches.cpp: if, and what leaves a block early.
  /// `if`, with the statements after it if one of its branches leaves the block.
  bool importIf(const clang::IfStmt *branch, Statements rest = {});
  /// Branches in a lambda over elements, where both are computed.
  bool selectBranches(mlir::Value condition, mlir::Location loc,
                      llvm::function_ref<bool()> whenTrue, llvm::function_ref<bool()> whenFalse);

  Environment &environment;
  WrittenValues &written;
  ScalarImporter &scalars;
  ObjectImporter &objects;
  FunctionImporter &functions;
  LoopImporter &loops;
  BuiltinImporter &builtins;
};

} // namespace tkc

#endif // TKC_FRONTEND_IMPORTSTATEMENTS_H
