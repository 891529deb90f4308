//===- ImportStatements.cpp - Declarations and assignments ----------------===//
#include "frontend/BuiltinImporter.h"
#include "frontend/ImportKernel.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Far more than anybody writes; passes may recurse that deep.
static constexpr unsigned deepestNesting = 64;
/// And far more than a kernel of the machine's size has.
static constexpr unsigned mostWork = 100'000;

bool KernelImporter::countWork(SourceLocation place) {
  if (++work == mostWork)
    error(place, Message::too_much_work) << mostWork;
  return work < mostWork;
}

bool KernelImporter::nest(SourceLocation place) {
  if (nesting == deepestNesting)
    error(place, Message::nested_too_deep) << deepestNesting;
  return nesting < deepestNesting;
}

bool KernelImporter::importStatement(const Stmt *statement) {
  if (isa<NullStmt>(statement))
    return true;
  if (!countWork(statement->getBeginLoc()))
    return false;
  statementPlace = statement->getBeginLoc();
  if (auto *expr = dyn_cast<Expr>(statement)) {
    const unsigned mark = slots.size();
    bool ok = importExpressionStatement(expr);
    slots.truncate(mark);
    return ok;
  }
  if (auto *declarations = dyn_cast<DeclStmt>(statement)) {
    bool ok = true;
    for (const Decl *decl : declarations->decls()) {
      statementPlace = decl->getLocation();
      ok &= importDeclaration(decl);
    }
    return ok;
  }
  if (!nest(statement->getBeginLoc()))
    return false;
  llvm::SaveAndRestore deeper(nesting, nesting + 1);
  if (auto *block = dyn_cast<CompoundStmt>(statement))
    return importStatements(block);
  if (auto *loop = dyn_cast<CXXForRangeStmt>(statement))
    return importRangeFor(loop);
  if (auto *loop = dyn_cast<ForStmt>(statement))
    return importFor(loop);
  if (auto *branch = dyn_cast<IfStmt>(statement))
    return importIf(branch);
  return refuse(statement);
}

bool KernelImporter::importStatements(const CompoundStmt *block) {
  const unsigned mark = slots.size();
  bool ok = importSequence(Statements(block->body_begin(), block->size()));
  slots.truncate(mark);
  return ok;
}

bool KernelImporter::isPlainAssignment(const Expr *expr) {
  auto *call = dyn_cast<CXXOperatorCallExpr>(expr);
  auto *method = call ? dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee()) : nullptr;
  return method && (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator()) &&
         method->isDefaulted();
}

bool KernelImporter::importExpressionStatement(const Expr *expr) {
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
    if (isInlined(call->getCalleeDecl()))
      return importCall(call).has_value();
    std::optional<Word> word = language.findCallee(call);
    if (!scope.variable && word && BuiltinImporter::isStore(*word))
      storesOutside.push_back(call->getExprLoc());
    return importTileCall(call);
  }
  return refuse(expr);
}

//===----------------------------------------------------------------------===//
// Declarations and assignments
//===----------------------------------------------------------------------===//

bool KernelImporter::importDeclaration(const Decl *decl) {
  // Clang has answered these.
  if (isa<StaticAssertDecl, TypedefNameDecl, EmptyDecl, UsingDecl, UsingShadowDecl,
          UsingDirectiveDecl, UsingEnumDecl, NamespaceAliasDecl, TagDecl>(decl))
    return true;
  auto *variable = dyn_cast<VarDecl>(decl);
  if (!variable)
    return refuse(decl);
  if (!importVariable(variable)) {
    broken.insert(variable);
    return false;
  }
  return true;
}

bool KernelImporter::importVariable(const VarDecl *variable) {
  const bool isConstant = variable->isConstexpr() && variable->isStaticLocal();
  if ((variable->isStaticLocal() && !isConstant) || variable->getTLSKind() != VarDecl::TLS_None ||
      variable->hasExternalStorage())
    return refuse(variable);
  QualType type = variable->getType();
  const Expr *init = variable->getInit();
  if (type->isReferenceType()) {
    std::optional<Object> object = init ? importObject(init) : std::nullopt;
    if (object)
      objects[variable] = *object;
    broken.erase(variable);
    return object.has_value();
  }
  if (!types.isValue(type) && !type->isConstantArrayType() &&
      (!type->isRecordType() || language.find(type)))
    return refuseType(variable);
  std::optional<Object> object = declare(variable);
  if (!object)
    return false;
  if (init && !importInto(*object, init))
    return false;
  // A tile that is filled where it is declared has no better place than its name.
  mlir::Value value = types.isTile(type) ? slots[object->first].value : mlir::Value();
  if (auto fill = value ? value.getDefiningOp<tk::FillOp>() : tk::FillOp())
    fill->setLoc(locate(variable->getLocation(), variable));
  return true;
}

bool KernelImporter::mayChange(Object object, const Expr *place) {
  if (!inLambda() || object.first >= *lambdaMark)
    return true;
  error(place->getExprLoc(), Message::lambda_assigns)
      << spellingOf(object.first) << place->getSourceRange();
  noteDeclaration(place);
  return false;
}

bool KernelImporter::importAssignment(const Expr *target, const Expr *source) {
  std::optional<Object> object = importObject(target);
  if (!object || !mayChange(*object, target))
    return false;
  Contents contents;
  if (!importContents(source, contents))
    return false;
  for (auto [index, value] : llvm::enumerate(contents)) {
    Object part{layout.typeOf(object->type, index), object->first + unsigned(index)};
    if (value)
      write(part, value);
    else
      slots[part.first].value = {};
  }
  return true;
}

bool KernelImporter::importCompoundAssignment(const CompoundAssignOperator *assignment) {
  mlir::Value right = importScalar(assignment->getRHS());
  std::optional<Object> target = importObject(assignment->getLHS());
  mlir::Value left = target ? read(*target, assignment->getLHS()) : mlir::Value();
  mlir::Type computation = types.scalar(assignment->getComputationResultType());
  if (!computation) {
    error(assignment->getExprLoc(), Message::scalar_type)
        << assignment->getComputationResultType() << assignment->getSourceRange();
    return false;
  }
  if (!left || !right || !mayChange(*target, assignment->getLHS()))
    return false;
  mlir::Location loc = locate(assignment->getOperatorLoc());
  mlir::Value value = combine(BinaryOperator::getOpForCompoundAssignment(assignment->getOpcode()),
                              convert(left, computation, loc), right, assignment);
  if (!value)
    return false;
  write(*target, convert(value, types.scalar(assignment->getLHS()->getType()), loc));
  return true;
}

bool KernelImporter::importIncrement(const UnaryOperator *increment) {
  mlir::Type type = types.scalar(increment->getType());
  if (!type || type.isInteger(1))
    return refuse(increment);
  std::optional<Object> target = importObject(increment->getSubExpr());
  mlir::Value before = target ? read(*target, increment->getSubExpr()) : mlir::Value();
  if (!before || !mayChange(*target, increment->getSubExpr()))
    return false;
  mlir::Location loc = locate(increment->getOperatorLoc());
  mlir::Value one =
      isa<mlir::FloatType>(type) ? constant(builder.getF32FloatAttr(1.0f), loc) : constant(1, loc);
  mlir::Value after = combine(increment->isIncrementOp() ? BO_Add : BO_Sub, before, one, increment);
  write(*target, after);
  return true;
}
