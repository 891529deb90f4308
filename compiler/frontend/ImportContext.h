//===- ImportContext.h - State that all importers of a kernel share --------===//
//
// The importers of a kernel (ImportKernel.h) have different state, but they read one
// AST, build one IR and report errors alike.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_IMPORTCONTEXT_H
#define TKC_FRONTEND_IMPORTCONTEXT_H

#include "frontend/ClangExpressions.h"
#include "frontend/Constants.h"
#include "frontend/ImportPosition.h"
#include "frontend/ImportTypes.h"
#include "frontend/Messages.h"
#include "frontend/ObjectLayout.h"
#include "frontend/ParameterNames.h"

namespace tkc {

struct ImportContext {
  ImportContext(clang::ASTContext &ast, Vocabulary &language, mlir::MLIRContext &context)
      : ast(ast), language(language), types(context, ast, language), layout(ast, language, types),
        parameters(language), builder(&context), constants(builder),
        position(ast.getDiagnostics()) {}

  clang::ASTContext &ast;
  Vocabulary &language;
  TypeImporter types;
  ObjectLayout layout;
  ParameterNames parameters;
  mlir::OpBuilder builder;
  Constants constants;
  ImportPosition position;
};

/// The context at hand: each importer of a part of the language is one.
class Importer {
public:
  explicit Importer(ImportContext &context)
      : context(context), ast(context.ast), language(context.language), types(context.types),
        layout(context.layout), builder(context.builder), constants(context.constants),
        position(context.position) {}

  mlir::Location locate(clang::SourceLocation place);
  mlir::Location locate(clang::SourceLocation place, const clang::NamedDecl *name);

  clang::DiagnosticBuilder error(clang::SourceLocation place, Message message) {
    return report(ast.getDiagnostics(), place, message);
  }
  /// Where the variable that an expression names is declared.
  void noteDeclaration(const clang::Expr *expr);

  // RefuseUnsupported.cpp: C++ that the language has not, by name. False.
  bool refuse(const clang::Stmt *statement);
  bool refuse(const clang::Decl *decl);
  bool refuseType(const clang::ValueDecl *decl);

  mlir::Value constant(mlir::TypedAttr value, mlir::Location loc) {
    return constants.get(value, loc);
  }
  mlir::Value constant(int32_t value, mlir::Location loc) { return constants.get(value, loc); }
  mlir::Value folded(mlir::Value result) { return constants.fold(result); }

  ImportContext &context;
  clang::ASTContext &ast;
  Vocabulary &language;
  const TypeImporter &types;
  ObjectLayout &layout;
  mlir::OpBuilder &builder;
  Constants &constants;
  ImportPosition &position;
};

} // namespace tkc

#endif // TKC_FRONTEND_IMPORTCONTEXT_H
