//===- ImportFunctions.h - Functions, entered where they are called -------===//
//
// There are no calls in the IR: the statements of a function are imported at the
// place of the call, with its parameters bound to the arguments. A parameter that
// is a reference is one more name for the argument, so nothing is copied back.
// Member functions, constructors, operators and lambdas are functions.
//
// Methods return null, nothing or false after an error that they reported.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_IMPORTFUNCTIONS_H
#define TKC_FRONTEND_IMPORTFUNCTIONS_H

#include "frontend/Environment.h"

namespace tkc {

class ObjectImporter;
class ScalarImporter;
class StatementImporter;

class FunctionImporter : Importer {
public:
  FunctionImporter(ImportContext &context, Environment &environment, ScalarImporter &scalars,
                   ObjectImporter &objects, StatementImporter &statements)
      : Importer(context), environment(environment), scalars(scalars), objects(objects),
        statements(statements) {}

  /// The result of a function: its values, or the object that its reference refers to.
  struct Returned {
    Contents contents;
    std::optional<Object> object;
  };

  /// True for a function that is no word of the language and has a body.
  bool isInlined(const clang::Decl *callee) const;
  std::optional<Returned> importCall(const clang::CallExpr *call);
  std::optional<Returned> enter(const clang::FunctionDecl *function,
                                llvm::ArrayRef<const clang::Expr *> arguments,
                                std::optional<Object> self, clang::SourceLocation place);
  /// The result of `lambda(arguments...)` for an element, in the body of an elementwise op.
  mlir::Value applyLambda(const clang::Expr *lambda, Object closure,
                          llvm::ArrayRef<mlir::Value> arguments);

  // Of the function that is being imported.
  bool importReturn(const clang::ReturnStmt *statement);
  /// Whether a loop of its own is around the statement.
  bool isInLoop() const;
  bool isEntered() const { return !calls.empty(); }
  /// The object of `this`; nothing outside of member functions.
  std::optional<Object> self() const;
  /// The same of all the functions around as well.
  llvm::SmallVector<Object> selves() const;

private:
  /// A function that is being imported at a place where it is called.
  struct Call {
    const clang::FunctionDecl *function;
    clang::SourceLocation place;
    std::optional<Object> self;    // `*this`
    std::optional<Object> result;  // what `return` writes, unless it is a reference
    std::optional<Object> referee; // what a returned reference refers to
    unsigned loops;                // around the call
  };

  bool mayEnter(const clang::FunctionDecl *function, clang::SourceLocation place);
  bool bindParameter(const clang::ParmVarDecl *parameter, const clang::Expr *argument);
  std::optional<Returned> importBody(const clang::FunctionDecl *function,
                                     std::optional<Object> self, clang::SourceLocation place);
  bool importInitializers(const clang::CXXConstructorDecl *constructor, Object self);

  Environment &environment;
  ScalarImporter &scalars;
  ObjectImporter &objects;
  StatementImporter &statements;
  /// The calls that are being imported, outermost first.
  llvm::SmallVector<Call> calls;
  /// Functions that an error was reported in: it is not said again at the next call.
  llvm::DenseSet<const clang::FunctionDecl *> wrong;
};

} // namespace tkc

#endif // TKC_FRONTEND_IMPORTFUNCTIONS_H
