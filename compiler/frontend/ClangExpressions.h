//===- ClangExpressions.h - Questions about Clang's expressions -----------===//
#ifndef TKC_FRONTEND_CLANGEXPRESSIONS_H
#define TKC_FRONTEND_CLANGEXPRESSIONS_H

#include "frontend/ClangAst.h"

namespace tkc {

/// Empty for declarations without a name, or with an operator's.
llvm::StringRef getName(const clang::NamedDecl *decl);

/// The variable that an expression names, if it does.
const clang::ValueDecl *variableOf(const clang::Expr *expr);

/// The operand of an expression that keeps type and value: parentheses, casts in name only, the use
/// of a default. The expression itself if it is none.
const clang::Expr *stepThrough(const clang::Expr *expr);

/// The expression without what makes no difference to its value: parentheses, copies, casts that
/// keep the type.
const clang::Expr *peel(const clang::Expr *expr);

/// True for the assignment that C++ writes for a type by itself: all parts are copied.
bool isPlainAssignment(const clang::Expr *expr);

} // namespace tkc

#endif // TKC_FRONTEND_CLANGEXPRESSIONS_H
