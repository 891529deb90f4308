//===- RefuseUnsupported.cpp - C++ that the language has not, by name -----===//
//
// Clang accepts all of C++; a kernel is a small part of it. C++ that a kernel cannot
// hold is refused where it stands, under the name its author knows it by, with
// what to write instead where there is something.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportContext.h"

using namespace clang;
using namespace tkc;

namespace {
struct Refusal {
  Message message = Message::unsupported;
  llvm::StringRef name;
};
} // namespace

static Refusal refusalOf(const Stmt *statement) {
  switch (statement->getStmtClass()) {
  case Stmt::WhileStmtClass:
    return {Message::unsupported_loop, "while"};
  case Stmt::DoStmtClass:
    return {Message::unsupported_loop, "do"};
  case Stmt::GotoStmtClass:
  case Stmt::IndirectGotoStmtClass:
    return {Message::unsupported, "goto"};
  case Stmt::LabelStmtClass:
    return {Message::unsupported_plain, "a label"};
  case Stmt::SwitchStmtClass:
    return {Message::unsupported_switch, "switch"};
  case Stmt::BreakStmtClass:
    return {Message::unsupported, "break"};
  case Stmt::ContinueStmtClass:
    return {Message::unsupported, "continue"};
  case Stmt::ReturnStmtClass:
    return {Message::unsupported, "return"};
  case Stmt::CXXTryStmtClass:
    return {Message::unsupported, "try"};
  case Stmt::CXXThrowExprClass:
    return {Message::unsupported, "throw"};
  case Stmt::CXXNewExprClass:
    return {Message::unsupported, "new"};
  case Stmt::CXXDeleteExprClass:
    return {Message::unsupported, "delete"};
  case Stmt::GCCAsmStmtClass:
  case Stmt::MSAsmStmtClass:
    return {Message::unsupported, "asm"};
  case Stmt::AttributedStmtClass:
    return {Message::unsupported_plain, "an attribute on a statement"};
  case Stmt::LambdaExprClass:
    return {Message::unsupported_plain, "a lambda here"};
  case Stmt::StringLiteralClass:
    return {Message::unsupported_plain, "a string"};
  case Stmt::ArraySubscriptExprClass:
  case Stmt::MemberExprClass:
    return {Message::unsupported_plain, "a pointer"};
  case Stmt::StmtExprClass:
    return {Message::unsupported_plain, "a statement inside an expression"};
  case Stmt::DeclStmtClass:
    return {Message::unsupported_plain, "a declaration here"};
  case Stmt::CXXReinterpretCastExprClass:
    return {Message::unsupported, "reinterpret_cast"};
  case Stmt::CXXConstCastExprClass:
    return {Message::unsupported, "const_cast"};
  case Stmt::CXXDynamicCastExprClass:
    return {Message::unsupported, "dynamic_cast"};
  case Stmt::CoreturnStmtClass:
  case Stmt::CoawaitExprClass:
  case Stmt::CoyieldExprClass:
    return {Message::unsupported_plain, "a coroutine"};
  default:
    return {Message::unsupported_plain,
            isa<Expr>(statement) ? "this expression" : "this statement"};
  }
}

bool Importer::refuse(const Stmt *statement) {
  // A constructor of the language's own: a conversion, a load, a vector.
  if (auto *construct = dyn_cast<CXXConstructExpr>(statement);
      construct && language.isInHeader(construct->getConstructor())) {
    error(construct->getExprLoc(), Message::word_not_yet)
        << construct->getConstructor()->getParent()->getName() << construct->getSourceRange();
    return false;
  }
  if (auto *expr = dyn_cast<Expr>(statement))
    statement = expr->IgnoreUnlessSpelledInSource();
  if (auto *binary = dyn_cast<BinaryOperator>(statement); binary && binary->isAssignmentOp()) {
    error(binary->getOperatorLoc(), Message::assignment_inside) << binary->getSourceRange();
    return false;
  }
  if (auto *unary = dyn_cast<UnaryOperator>(statement)) {
    if (unary->isIncrementDecrementOp()) {
      error(unary->getOperatorLoc(), Message::assignment_inside) << unary->getSourceRange();
      return false;
    }
    if (unary->getOpcode() == UO_AddrOf || unary->getOpcode() == UO_Deref) {
      error(unary->getOperatorLoc(), Message::unsupported_plain)
          << "a pointer" << unary->getSourceRange();
      return false;
    }
  }
  if (auto *call = dyn_cast<CallExpr>(statement)) {
    auto *callee = dyn_cast_or_null<NamedDecl>(call->getCalleeDecl());
    auto isGather = [&](const Expr *argument) {
      return language.find(argument->getType()) == Word::gathered_at;
    };
    auto isLoad = [&](const Expr *argument) {
      std::optional<Word> word = language.find(argument->getType());
      return word == Word::tile_at || word == Word::shared_at || isGather(argument);
    };
    if (auto *op = dyn_cast<CXXOperatorCallExpr>(call);
        op && llvm::any_of(op->arguments(), isLoad)) {
      const Expr *load = *llvm::find_if(op->arguments(), isLoad);
      error(load->getBeginLoc(), Message::load_as_operand)
          << unsigned(isGather(load)) << load->getSourceRange();
    } else if (callee && language.isInHeader(callee) && !language.find(callee)) {
      error(call->getExprLoc(), Message::word_not_yet)
          << callee->getNameAsString() << call->getSourceRange();
    } else if (auto *op = dyn_cast<CXXOperatorCallExpr>(call)) {
      error(op->getOperatorLoc(), Message::unsupported_operator)
          << getOperatorSpelling(op->getOperator()) << op->getSourceRange();
    } else if (callee && language.find(callee)) {
      error(call->getExprLoc(), Message::word_elsewhere)
          << callee->getNameAsString() << call->getSourceRange();
    } else if (callee) {
      error(call->getExprLoc(), Message::function_without_body)
          << callee->getNameAsString() << call->getSourceRange();
      if (callee->getLocation().isValid())
        error(callee->getLocation(), Message::note_declared) << callee;
    } else {
      error(call->getExprLoc(), Message::unsupported_plain)
          << "a call through a pointer" << call->getSourceRange();
    }
    return false;
  }
  Refusal refusal = refusalOf(statement);
  auto *expr = dyn_cast<Expr>(statement);
  error(expr ? expr->getExprLoc() : statement->getBeginLoc(), refusal.message)
      << refusal.name << (expr ? expr->getSourceRange() : SourceRange());
  return false;
}

bool Importer::refuse(const Decl *decl) {
  llvm::StringRef name = "this declaration";
  if (auto *variable = dyn_cast<VarDecl>(decl))
    name = variable->getTLSKind() != VarDecl::TLS_None ? "a thread_local variable"
           : variable->isStaticLocal()                 ? "a static variable"
           : variable->hasExternalStorage()            ? "an extern variable"
                                                       : "a variable in a condition";
  else if (isa<FunctionDecl>(decl))
    name = decl->getLexicalDeclContext()->isFunctionOrMethod() ? "a function inside a kernel"
                                                               : "a kernel with '...'";
  error(decl->getLocation(), Message::unsupported_plain) << name;
  return false;
}

bool Importer::refuseType(const ValueDecl *decl) {
  QualType type = decl->getType();
  SourceLocation place = decl->getLocation();
  std::optional<Word> word = language.find(type);
  if (word == Word::tile_at || word == Word::shared_at || word == Word::gathered_at)
    error(place, Message::load_needs_tile) << getName(decl) << unsigned(word == Word::gathered_at);
  else if (isa<ParmVarDecl>(decl) && language.isKernel(cast<FunctionDecl>(decl->getDeclContext())))
    error(place, Message::parameter_type) << decl << type;
  else if (type->isFunctionPointerType() || type->isMemberPointerType())
    error(place, Message::unsupported_plain)
        << (type->isMemberPointerType() ? "a pointer to a member" : "a function pointer");
  else if (type->isPointerType())
    error(place, Message::unsupported_plain) << "a pointer";
  else if (type->isArrayType())
    error(place, Message::unsupported_plain) << "an array whose size is not known";
  else
    error(place, Message::variable_type) << decl << type;
  return false;
}
