//===- ImportLoops.h - Loops ----------------------------------------------===//
//
// Pipelined and counted loops become scf.for. Loops whose number of steps is a
// constant are written out, step by step, or run side by side (ImportScopes.h).
//
// Methods return false after an error that they reported.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_IMPORTLOOPS_H
#define TKC_FRONTEND_IMPORTLOOPS_H

#include "frontend/Environment.h"

namespace tkc {

class FunctionImporter;
class ObjectImporter;
class ScalarImporter;
class ScopeImporter;
class StatementImporter;

class LoopImporter : Importer {
public:
  LoopImporter(ImportContext &context, Environment &environment, ScalarImporter &scalars,
               ObjectImporter &objects, FunctionImporter &functions, StatementImporter &statements,
               ScopeImporter &scope)
      : Importer(context), environment(environment), scalars(scalars), objects(objects),
        functions(functions), statements(statements), scope(scope) {}

  bool importRangeFor(const clang::CXXForRangeStmt *loop);
  bool importFor(const clang::ForStmt *loop);

private:
  // ImportLoops.cpp: loops that become scf.for.
  bool importPipeline(const clang::CXXForRangeStmt *loop, const clang::Expr *range);
  int64_t importStep(const clang::Expr *change, const clang::VarDecl *index);
  /// With `downFrom`, the variable is `downFrom` minus the loop's counter.
  bool importLoop(clang::SourceLocation place, const clang::ValueDecl *index, mlir::Value from,
                  mlir::Value to, mlir::Value step, const clang::Stmt *body,
                  mlir::Attribute pipeline, mlir::Value downFrom = {});

  // ImportConstantLoops.cpp: loops whose number of steps is known.
  bool importConstantRange(const clang::CXXForRangeStmt *loop, const clang::Expr *range);
  bool importUnrolled(const clang::CXXForRangeStmt *loop, int64_t count);
  bool importOverArray(const clang::CXXForRangeStmt *loop);

  // ImportChanges.cpp: which variables a statement may change.
  using Variables = llvm::SetVector<const clang::ValueDecl *>;
  /// Adds the variables that `statement` assigns: by an assignment, an increment, or as an argument
  /// bound to a reference that is not const.
  static void collectAssigned(const clang::Stmt *statement, Variables &assigned);
  /// The slots with a value that `statement` may give another one, in order; some it may not.
  llvm::SmallVector<unsigned> slotsThatMayChange(const clang::Stmt *statement);

  // ImportWrittenParts.cpp: shared tiles that a loop does nothing to but store parts of them.
  /// Gives those without a value their memory, which the loop then carries.
  void prepareParts(const clang::Stmt *body);
  /// Whether a loop that carries `carried` has only stored parts to what became `yielded`, and has
  /// stored all parts if there was no value before.
  static bool hasWrittenParts(mlir::scf::ForOp loop, mlir::BlockArgument carried,
                              mlir::Value yielded);

  Environment &environment;
  ScalarImporter &scalars;
  ObjectImporter &objects;
  FunctionImporter &functions;
  StatementImporter &statements;
  ScopeImporter &scope;
};

} // namespace tkc

#endif // TKC_FRONTEND_IMPORTLOOPS_H
