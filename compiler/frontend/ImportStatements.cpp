//===- ImportStatements.cpp - Declarations and assignments ----------------===//
#include "frontend/ImportStatements.h"

#include "frontend/ImportBuiltins.h"
#include "frontend/ImportFunctions.h"
#include "frontend/ImportLoops.h"
#include "frontend/ImportObjects.h"
#include "frontend/ImportScalars.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

bool StatementImporter::importStatement(const Stmt *statement) {
  if (isa<NullStmt>(statement))
    return true;
  if (!position.countWork(statement->getBeginLoc()))
    return false;
  position.statement = statement->getBeginLoc();
  if (auto *expr = dyn_cast<Expr>(statement)) {
    const unsigned mark = environment.size();
    bool ok = importExpressionStatement(expr);
    environment.truncate(mark);
    return ok;
  }
  if (auto *declarations = dyn_cast<DeclStmt>(statement)) {
    bool ok = true;
    for (const Decl *decl : declarations->decls()) {
      position.statement = decl->getLocation();
      ok &= importDeclaration(decl);
    }
    return ok;
  }
  if (!position.mayNest(statement->getBeginLoc()))
    return false;
  llvm::SaveAndRestore deeper(position.nesting, position.nesting + 1);
  if (auto *block = dyn_cast<CompoundStmt>(statement))
    return importBlock(block);
  if (auto *loop = dyn_cast<CXXForRangeStmt>(statement))
    return loops.importRangeFor(loop);
  if (auto *loop = dyn_cast<ForStmt>(statement))
    return loops.importFor(loop);
  if (auto *branch = dyn_cast<IfStmt>(statement))
    return importIf(branch);
  return refuse(statement);
}

bool StatementImporter::importBlock(const CompoundStmt *block) {
  const unsigned mark = environment.size();
  bool ok = importSequence(Statements(block->body_begin(), block->size()));
  environment.truncate(mark);
  return ok;
}

bool StatementImporter::importExpressionStatement(const Expr *expr) {
  expr = expr->IgnoreUnlessSpelledInSource();
  if (auto *compound = dyn_cast<CompoundAssignOperator>(expr))
    return importCompoundAssignment(compound);
  if (auto *binary = dyn_cast<BinaryOperator>(expr)) {
    if (binary->isAssignmentOp())
      return importAssignment(binary->getLHS(), binary->getRHS());
    if (binary->isCommaOp())
      return importExpressionStatement(binary->getLHS()) &&
             importExpressionStatement(binary->getRHS());
  }
  if (auto *unary = dyn_cast<UnaryOperator>(expr); unary && unary->isIncrementDecrementOp())
    return importIncrement(unary);
  // `(void)x;` says that a variable is not used.
  if (auto *cast = dyn_cast<CastExpr>(expr); cast && cast->getCastKind() == CK_ToVoid)
    return isa<DeclRefExpr>(cast->getSubExpr()->IgnoreParens()) ||
           importExpressionStatement(cast->getSubExpr());
  if (isPlainAssignment(expr)) {
    auto *call = cast<CXXOperatorCallExpr>(expr);
    return importAssignment(call->getArg(0), call->getArg(1));
  }
  if (auto *call = dyn_cast<CallExpr>(expr)) {
    if (functions.isInlined(call->getCalleeDecl()))
      return functions.importCall(call).has_value();
    return builtins.importStatement(call);
  }
  return refuse(expr);
}

//===----------------------------------------------------------------------===//
// Declarations and assignments
//===----------------------------------------------------------------------===//

bool StatementImporter::importDeclaration(const Decl *decl) {
  // Clang has answered these.
  if (isa<StaticAssertDecl, TypedefNameDecl, EmptyDecl, UsingDecl, UsingShadowDecl,
          UsingDirectiveDecl, UsingEnumDecl, NamespaceAliasDecl, TagDecl>(decl))
    return true;
  auto *variable = dyn_cast<VarDecl>(decl);
  if (!variable)
    return refuse(decl);
  if (!importVariable(variable)) {
    environment.setBroken(variable);
    return false;
  }
  return true;
}

bool StatementImporter::importVariable(const VarDecl *variable) {
  const bool isConstant = variable->isConstexpr() && variable->isStaticLocal();
  if ((variable->isStaticLocal() && !isConstant) || variable->getTLSKind() != VarDecl::TLS_None ||
      variable->hasExternalStorage())
    return refuse(variable);
  QualType type = variable->getType();
  const Expr *init = variable->getInit();
  if (type->isReferenceType()) {
    std::optional<Object> object = init ? objects.importObject(init) : std::nullopt;
    if (object)
      environment.declare(variable, *object);
    return object.has_value();
  }
  if (!types.isValue(type) && !type->isConstantArrayType() &&
      (!type->isRecordType() || language.find(type)))
    return refuseType(variable);
  std::optional<Object> object = environment.declare(variable);
  if (!object)
    return false;
  if (init && !objects.importInto(*object, init))
    return false;
  // A tile that is filled where it is declared has no better place than its name.
  mlir::Value value = types.isTile(type) ? environment[object->first].value : mlir::Value();
  if (auto fill = value ? value.getDefiningOp<tk::FillOp>() : tk::FillOp())
    fill->setLoc(locate(variable->getLocation(), variable));
  return true;
}

bool StatementImporter::importAssignment(const Expr *target, const Expr *source) {
  std::optional<Object> object = objects.importObject(target);
  if (!object || !environment.mayChange(*object, target))
    return false;
  std::optional<Contents> contents = objects.importContents(source);
  if (!contents)
    return false;
  for (auto [index, value] : llvm::enumerate(*contents)) {
    Object part{layout.typeOf(object->type, index), object->first + unsigned(index)};
    if (value)
      environment.write(part, value);
    else
      environment[part.first].value = {};
  }
  return true;
}

bool StatementImporter::importCompoundAssignment(const CompoundAssignOperator *assignment) {
  mlir::Value right = scalars.importScalar(assignment->getRHS());
  std::optional<Object> target = objects.importObject(assignment->getLHS());
  mlir::Value left = target ? environment.read(*target, assignment->getLHS()) : mlir::Value();
  mlir::Type computation = types.scalar(assignment->getComputationResultType());
  if (!computation) {
    error(assignment->getExprLoc(), Message::scalar_type)
        << assignment->getComputationResultType() << assignment->getSourceRange();
    return false;
  }
  if (!left || !right || !environment.mayChange(*target, assignment->getLHS()))
    return false;
  mlir::Location loc = locate(assignment->getOperatorLoc());
  mlir::Value value =
      scalars.combine(BinaryOperator::getOpForCompoundAssignment(assignment->getOpcode()),
                      scalars.convert(left, computation, loc), right, assignment);
  if (!value)
    return false;
  environment.write(*target,
                    scalars.convert(value, types.scalar(assignment->getLHS()->getType()), loc));
  return true;
}

bool StatementImporter::importIncrement(const UnaryOperator *increment) {
  mlir::Type type = types.scalar(increment->getType());
  if (!type || type.isInteger(1))
    return refuse(increment);
  std::optional<Object> target = objects.importObject(increment->getSubExpr());
  mlir::Value before = target ? environment.read(*target, increment->getSubExpr()) : mlir::Value();
  if (!before || !environment.mayChange(*target, increment->getSubExpr()))
    return false;
  mlir::Location loc = locate(increment->getOperatorLoc());
  mlir::Value one =
      isa<mlir::FloatType>(type) ? constant(builder.getF32FloatAttr(1.0f), loc) : constant(1, loc);
  mlir::Value after =
      scalars.combine(increment->isIncrementOp() ? BO_Add : BO_Sub, before, one, increment);
  environment.write(*target, after);
  return true;
}
