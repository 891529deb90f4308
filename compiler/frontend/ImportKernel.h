//===- ImportKernel.h - A kernel's typed AST to the tk dialect ------------===//
//
// Clang has resolved names, types, templates and overloads; what is left is to
// turn variables into SSA values. The importer walks the statements once, in
// order, and keeps the current value of every variable. A loop or an `if` first
// looks up which variables its body assigns: those become iteration arguments
// and results of the scf operation.
//
// Methods return null or false after an error that they reported.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_IMPORTKERNEL_H
#define TKC_FRONTEND_IMPORTKERNEL_H

#include "frontend/ClangAst.h"
#include "frontend/ImportTypes.h"
#include "frontend/Instances.h"
#include "frontend/Messages.h"

namespace tkc {

class KernelImporter {
public:
  KernelImporter(clang::ASTContext &ast, Vocabulary &language, mlir::ModuleOp module);

  bool import(const Instance &instance);

private:
  using Variables = llvm::SetVector<const clang::ValueDecl *>;

  // ImportKernel.cpp: the kernel and its grid.
  bool importParameters(const clang::FunctionDecl *function, tk::KernelOp kernel);
  bool importBody(const clang::FunctionDecl *function);
  bool importGrid(const clang::CXXForRangeStmt *loop);

  // ImportStatements.cpp: declarations, assignments, branches.
  bool importStatement(const clang::Stmt *statement);
  bool importStatements(const clang::CompoundStmt *block);
  bool importExpressionStatement(const clang::Expr *expr);
  bool importDeclaration(const clang::Decl *decl);
  bool importVariable(const clang::VarDecl *variable);
  bool importAssignment(const clang::Expr *target, const clang::Expr *source);
  bool importCompoundAssignment(const clang::CompoundAssignOperator *assignment);
  bool importIncrement(const clang::UnaryOperator *increment);
  bool importIf(const clang::IfStmt *branch);
  /// Adds the variables that `statement` assigns: by an assignment, an increment, or as an argument
  /// bound to a reference that is not const.
  static void collectAssigned(const clang::Stmt *statement, Variables &assigned);
  /// The variables outside of `statements` that have a value and are assigned within, in order.
  Variables assignedVariables(llvm::ArrayRef<const clang::Stmt *> statements);

  // ImportLoops.cpp.
  bool importRangeFor(const clang::CXXForRangeStmt *loop);
  bool importPipeline(const clang::CXXForRangeStmt *loop, const clang::Expr *range);
  bool importFor(const clang::ForStmt *loop);
  bool importLoop(mlir::Location loc, const clang::ValueDecl *index, mlir::Value from,
                  mlir::Value to, mlir::Value step, const clang::Stmt *body,
                  mlir::Attribute pipeline);

  // ImportExpressions.cpp: scalars and constants.
  mlir::Value importScalar(const clang::Expr *expr);
  mlir::Value importCast(const clang::CastExpr *cast, mlir::Type to);
  mlir::Value importScalarCall(const clang::CallExpr *call);
  mlir::Value convert(mlir::Value value, mlir::Type to, mlir::Location loc);
  mlir::Value constant(mlir::TypedAttr value, mlir::Location loc);
  mlir::Value constant(int32_t value, mlir::Location loc);
  /// The value of an `int` expression that Clang can compute.
  std::optional<int64_t> evaluate(const clang::Expr *expr) const;

  // ImportOperators.cpp.
  mlir::Value importUnary(const clang::UnaryOperator *unary);
  mlir::Value importBinary(const clang::BinaryOperator *binary);
  mlir::Value importLogical(const clang::BinaryOperator *binary);
  mlir::Value importConditional(const clang::ConditionalOperator *conditional);
  mlir::Value combine(clang::BinaryOperatorKind kind, mlir::Value left, mlir::Value right,
                      const clang::Expr *place);
  /// Imports an operand that C++ evaluates only if `condition` equals `when`. Ops that must not run
  /// otherwise are moved into an `scf.if`.
  mlir::Value importGuarded(const clang::Expr *expr, mlir::Value condition, bool when);

  // ImportTileCalls.cpp: tiles and the verbs on them.
  mlir::Value importTile(const clang::Expr *expr);
  mlir::Value importFill(const clang::CXXConstructExpr *construct);
  mlir::Value importLoad(const clang::CallExpr *call, const clang::Expr *tensor,
                         const clang::Expr *place, tk::TileType type);
  bool importTileCall(const clang::CallExpr *call);
  bool importLoadInto(const clang::CallExpr *call);
  bool importStore(const clang::CallExpr *call);
  bool importMma(const clang::CallExpr *call, tk::MmaForm form);
  bool checkMma(const clang::CallExpr *call, tk::MmaForm form, tk::TileType acc, tk::TileType a,
                tk::TileType b);
  mlir::Value importTensor(const clang::Expr *expr);
  bool importPlace(const clang::Expr *expr, int64_t rank, const clang::Expr *tensor,
                   llvm::SmallVectorImpl<mlir::Value> &indices);
  bool hasTileRank(mlir::Value tensor, const clang::Expr *expr);

  // RefuseUnsupported.cpp: what the language has not, by name.
  bool refuse(const clang::Stmt *statement);
  bool refuse(const clang::Decl *decl);
  bool refuseType(const clang::ValueDecl *decl);

  // Variables.
  /// The variable that an expression names, if it does.
  static const clang::ValueDecl *variableOf(const clang::Expr *expr);
  mlir::Value read(const clang::ValueDecl *variable, const clang::Expr *place);
  void assign(const clang::ValueDecl *variable, mlir::Value value);
  void noteDeclaration(const clang::Expr *expr);

  // Places.
  mlir::Location locate(clang::SourceLocation place);
  mlir::Location locate(clang::SourceLocation place, const clang::NamedDecl *name);
  clang::DiagnosticBuilder error(clang::SourceLocation place, Message message) {
    return report(ast.getDiagnostics(), place, message);
  }

  clang::ASTContext &ast;
  Vocabulary &language;
  mlir::ModuleOp module;
  TypeImporter types;
  mlir::OpBuilder builder;

  /// The current value of every variable in scope; null while it has none.
  llvm::DenseMap<const clang::ValueDecl *, mlir::Value> values;
  /// Variables that an error was reported for: reading one says nothing more.
  llvm::DenseSet<const clang::ValueDecl *> broken;
  /// Constants stand at the top of the kernel, once each.
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  mlir::Operation *lastConstant = nullptr;
  mlir::Block *entry = nullptr;
  unsigned nesting = 0; // of loops, branches and blocks
};

} // namespace tkc

#endif // TKC_FRONTEND_IMPORTKERNEL_H
