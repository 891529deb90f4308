//===- ClangExpressions.cpp - Questions about Clang's expressions ---------===//
#include "frontend/ClangExpressions.h"

using namespace clang;

llvm::StringRef tkc::getName(const NamedDecl *decl) {
  const IdentifierInfo *name = decl->getIdentifier();
  return name ? name->getName() : llvm::StringRef();
}

const ValueDecl *tkc::variableOf(const Expr *expr) {
  auto *reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts());
  return reference ? reference->getDecl() : nullptr;
}

const Expr *tkc::stepThrough(const Expr *expr) {
  if (auto *full = dyn_cast<FullExpr>(expr))
    return full->getSubExpr();
  if (auto *bound = dyn_cast<CXXBindTemporaryExpr>(expr))
    return bound->getSubExpr();
  if (auto *argument = dyn_cast<CXXDefaultArgExpr>(expr))
    return argument->getExpr();
  if (auto *init = dyn_cast<CXXDefaultInitExpr>(expr))
    return init->getExpr();
  if (auto *parameter = dyn_cast<SubstNonTypeTemplateParmExpr>(expr))
    return parameter->getReplacement();
  if (auto *cast = dyn_cast<CastExpr>(expr))
    if (cast->getCastKind() == CK_NoOp || cast->getCastKind() == CK_LValueToRValue ||
        cast->getCastKind() == CK_ConstructorConversion ||
        cast->getCastKind() == CK_UserDefinedConversion)
      return cast->getSubExpr();
  return expr->IgnoreParens();
}

const Expr *tkc::peel(const Expr *expr) {
  while (true) {
    const Expr *inner = stepThrough(expr);
    if (auto *temporary = dyn_cast<MaterializeTemporaryExpr>(inner))
      inner = temporary->getSubExpr();
    if (auto *construct = dyn_cast<CXXConstructExpr>(inner);
        construct && construct->getConstructor()->isCopyOrMoveConstructor() &&
        construct->getConstructor()->isTrivial() && construct->getNumArgs() == 1)
      inner = construct->getArg(0);
    if (inner == expr)
      return expr;
    expr = inner;
  }
}

bool tkc::isPlainAssignment(const Expr *expr) {
  auto *call = dyn_cast<CXXOperatorCallExpr>(expr);
  auto *method = call ? dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee()) : nullptr;
  return method && (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator()) &&
         method->isDefaulted();
}
