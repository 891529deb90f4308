//===- ImportChanges.cpp - Which variables a statement may change ---------===//
//
// A loop must know what it carries before its body is imported. Whatever the body
// names other than to read it may change; what did not is taken out afterwards.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportLoops.h"

#include "frontend/ImportFunctions.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;
using namespace tkc;

void LoopImporter::collectAssigned(const Stmt *statement, Variables &assigned) {
  if (!statement)
    return;
  auto add = [&](const Expr *target) {
    if (auto *reference = dyn_cast<DeclRefExpr>(target->IgnoreParenImpCasts()))
      assigned.insert(reference->getDecl());
  };
  if (auto *binary = dyn_cast<BinaryOperator>(statement); binary && binary->isAssignmentOp())
    add(binary->getLHS());
  if (auto *unary = dyn_cast<UnaryOperator>(statement); unary && unary->isIncrementDecrementOp())
    add(unary->getSubExpr());
  if (auto *call = dyn_cast<CallExpr>(statement))
    if (const FunctionDecl *callee = call->getDirectCallee())
      for (auto [parameter, argument] : llvm::zip(callee->parameters(), call->arguments())) {
        QualType type = parameter->getType();
        if (type->isLValueReferenceType() && !type->getPointeeType().isConstQualified())
          add(argument);
      }
  for (const Stmt *child : statement->children())
    collectAssigned(child, assigned);
}

namespace {
/// Collects the variables that a statement names other than to read them.
class Names {
public:
  explicit Names(const ASTContext &ast) : ast(ast) {}

  void visit(const Stmt *statement);

  llvm::SmallSetVector<const ValueDecl *, 16> variables;
  bool thisObject = false;

private:
  void visitClosure(QualType type);
  void visitRead(const Expr *expr);

  const ASTContext &ast;
  llvm::SmallPtrSet<const Stmt *, 8> lambdas;
};
} // namespace

/// Whoever calls a lambda changes the variables that it captured by reference.
void Names::visitClosure(QualType type) {
  auto *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!record || !record->isLambda())
    return;
  const CXXMethodDecl *method = record->getLambdaCallOperator();
  if (const Stmt *body = method ? method->getBody() : nullptr; body && lambdas.insert(body).second)
    visit(body);
}

/// The indices in `a[i].b`, but not `a`.
void Names::visitRead(const Expr *expr) {
  while (true) {
    expr = expr->IgnoreParens();
    if (auto *member = dyn_cast<MemberExpr>(expr)) {
      expr = member->getBase();
    } else if (auto *subscript = dyn_cast<ArraySubscriptExpr>(expr)) {
      visit(subscript->getIdx());
      expr = subscript->getBase()->IgnoreParenImpCasts();
    } else {
      break;
    }
  }
  visitClosure(expr->getType());
  if (!isa<DeclRefExpr, CXXThisExpr>(expr))
    visit(expr);
}

void Names::visit(const Stmt *statement) {
  if (!statement)
    return;
  if (auto *cast = dyn_cast<ImplicitCastExpr>(statement))
    if (cast->getCastKind() == CK_LValueToRValue ||
        (cast->getCastKind() == CK_NoOp && cast->getType().isConstQualified() && cast->isGLValue()))
      return visitRead(cast->getSubExpr());
  if (auto *reference = dyn_cast<DeclRefExpr>(statement)) {
    const ValueDecl *decl = reference->getDecl();
    if (auto *binding = dyn_cast<BindingDecl>(decl))
      decl = cast<ValueDecl>(binding->getDecomposedDecl());
    if (!isa<FunctionDecl>(decl))
      variables.insert(decl);
    return visitClosure(decl->getType());
  }
  if (auto *call = dyn_cast<CallExpr>(statement))
    if (auto *method = dyn_cast_or_null<CXXMethodDecl>(call->getCalleeDecl()))
      visitClosure(ast.getRecordType(method->getParent()));
  if (isa<CXXThisExpr>(statement))
    thisObject = true;
  if (auto *lambda = dyn_cast<LambdaExpr>(statement))
    visitClosure(lambda->getType());
  for (const Stmt *child : statement->children())
    visit(child);
}

llvm::SmallVector<unsigned> LoopImporter::slotsThatMayChange(const Stmt *statement) {
  Names names(ast);
  names.visit(statement);
  llvm::SmallVector<unsigned> changing;
  auto add = [&](Object object) {
    for (unsigned i = 0, count = environment.countOf(object); i < count; ++i)
      if (object.first + i < environment.size() && environment[object.first + i].value)
        changing.push_back(object.first + i);
  };
  for (const ValueDecl *variable : names.variables)
    if (std::optional<Object> known = environment.find(variable);
        known && !variable->getType().isConstQualified())
      add(*known);
  if (names.thisObject)
    for (Object self : functions.selves()) // a lambda may have captured that of any
      add(self);
  llvm::sort(changing);
  changing.erase(llvm::unique(changing), changing.end());
  // A tensor never changes.
  llvm::erase_if(changing, [&](unsigned slot) {
    return isa<tk::GlobalType>(environment[slot].value.getType());
  });
  return changing;
}
