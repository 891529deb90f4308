//===- ImportStatements.cpp - Declarations, assignments, if ---------------===//
#include "frontend/ImportKernel.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Which variables a statement assigns
//===----------------------------------------------------------------------===//

/// The variables that `statement` assigns: by an assignment, an increment, or as an argument bound
/// to a reference that is not const.
void KernelImporter::collectAssigned(const Stmt *statement, Variables &assigned) {
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
  if (auto *call = dyn_cast<CXXOperatorCallExpr>(statement); call && call->isAssignmentOp())
    add(call->getArg(0));
  else if (auto *call = dyn_cast<CallExpr>(statement))
    if (const FunctionDecl *callee = call->getDirectCallee())
      for (auto [parameter, argument] : llvm::zip(callee->parameters(), call->arguments())) {
        QualType type = parameter->getType();
        if (type->isLValueReferenceType() && !type->getPointeeType().isConstQualified())
          add(argument);
      }
  for (const Stmt *child : statement->children())
    collectAssigned(child, assigned);
}

KernelImporter::Variables
KernelImporter::assignedVariables(llvm::ArrayRef<const Stmt *> statements) {
  Variables assigned;
  for (const Stmt *statement : statements)
    collectAssigned(statement, assigned);
  assigned.remove_if([&](const ValueDecl *variable) { return !values.lookup(variable); });
  return assigned;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Far more than anybody writes; passes may recurse that deep.
static constexpr unsigned deepestNesting = 64;

bool KernelImporter::importStatement(const Stmt *statement) {
  if (isa<NullStmt>(statement))
    return true;
  if (auto *expr = dyn_cast<Expr>(statement))
    return importExpressionStatement(expr);
  if (auto *declarations = dyn_cast<DeclStmt>(statement)) {
    bool ok = true;
    for (const Decl *decl : declarations->decls())
      ok &= importDeclaration(decl);
    return ok;
  }
  if (nesting == deepestNesting) {
    error(statement->getBeginLoc(), Message::nested_too_deep) << deepestNesting;
    return false;
  }
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
  bool ok = true;
  for (const Stmt *statement : block->body())
    ok &= importStatement(statement);
  return ok;
}

bool KernelImporter::importExpressionStatement(const Expr *expr) {
  expr = expr->IgnoreUnlessSpelledInSource();
  if (auto *compound = dyn_cast<CompoundAssignOperator>(expr))
    return importCompoundAssignment(compound);
  if (auto *binary = dyn_cast<BinaryOperator>(expr); binary && binary->isAssignmentOp())
    return importAssignment(binary->getLHS(), binary->getRHS());
  if (auto *unary = dyn_cast<UnaryOperator>(expr); unary && unary->isIncrementDecrementOp())
    return importIncrement(unary);
  if (auto *call = dyn_cast<CXXOperatorCallExpr>(expr)) {
    if (call->getOperator() == OO_Equal && types.isTile(call->getArg(0)->getType()))
      return importAssignment(call->getArg(0), call->getArg(1));
    return refuse(expr);
  }
  if (auto *call = dyn_cast<CallExpr>(expr))
    return importTileCall(call);
  return refuse(expr);
}

//===----------------------------------------------------------------------===//
// Declarations and assignments
//===----------------------------------------------------------------------===//

bool KernelImporter::importDeclaration(const Decl *decl) {
  if (isa<StaticAssertDecl, TypedefNameDecl, EmptyDecl>(decl))
    return true;
  auto *variable = dyn_cast<VarDecl>(decl);
  if (!variable || isa<DecompositionDecl>(variable))
    return refuse(decl);
  if (!importVariable(variable)) {
    broken.insert(variable);
    return false;
  }
  return true;
}

bool KernelImporter::importVariable(const VarDecl *variable) {
  if (variable->isStaticLocal() || variable->getTLSKind() != VarDecl::TLS_None)
    return refuse(variable);
  QualType type = variable->getType();
  const Expr *init = variable->getInit();
  if (types.isTile(type) && !type->isReferenceType()) {
    if (!types.tile(type, variable->getLocation()))
      return false;
    // `rt<float, 64, 64> acc;` calls the constructor without arguments: no value yet.
    auto *construct = dyn_cast_or_null<CXXConstructExpr>(init);
    if (!init || (construct && construct->getConstructor()->isDefaultConstructor())) {
      values[variable] = {};
      return true;
    }
    mlir::Value tile = importTile(init);
    if (tile)
      assign(variable, tile);
    // A tile that is filled where it is declared has no better place than its name.
    if (auto fill = tile ? tile.getDefiningOp<tk::FillOp>() : tk::FillOp())
      fill->setLoc(locate(variable->getLocation(), variable));
    return bool(tile);
  }
  if (!types.scalar(type))
    return refuseType(variable);
  if (!init) {
    values[variable] = {};
    return true;
  }
  mlir::Value value = importScalar(init);
  if (value)
    assign(variable, value);
  return bool(value);
}

bool KernelImporter::importAssignment(const Expr *target, const Expr *source) {
  const ValueDecl *variable = variableOf(target);
  if (!variable || (!values.contains(variable) && !broken.contains(variable)))
    return refuse(target);
  mlir::Value value = types.isTile(target->getType()) ? importTile(source) : importScalar(source);
  if (value)
    assign(variable, value);
  return bool(value);
}

bool KernelImporter::importCompoundAssignment(const CompoundAssignOperator *assignment) {
  const ValueDecl *variable = variableOf(assignment->getLHS());
  if (!variable)
    return refuse(assignment->getLHS());
  mlir::Value left = read(variable, assignment->getLHS());
  mlir::Value right = importScalar(assignment->getRHS());
  mlir::Type computation = types.scalar(assignment->getComputationResultType());
  if (!computation) {
    error(assignment->getExprLoc(), Message::scalar_type)
        << assignment->getComputationResultType() << assignment->getSourceRange();
    return false;
  }
  if (!left || !right)
    return false;
  mlir::Location loc = locate(assignment->getOperatorLoc());
  mlir::Value value = combine(BinaryOperator::getOpForCompoundAssignment(assignment->getOpcode()),
                              convert(left, computation, loc), right, assignment);
  if (!value)
    return false;
  assign(variable, convert(value, types.scalar(variable->getType()), loc));
  return true;
}

bool KernelImporter::importIncrement(const UnaryOperator *increment) {
  const ValueDecl *variable = variableOf(increment->getSubExpr());
  if (!variable || !increment->getType()->isSpecificBuiltinType(BuiltinType::Int))
    return refuse(increment);
  mlir::Value before = read(variable, increment->getSubExpr());
  if (!before)
    return false;
  mlir::Location loc = locate(increment->getOperatorLoc());
  mlir::Value one = constant(1, loc);
  mlir::Value after;
  if (increment->isIncrementOp())
    after = builder.create<mlir::arith::AddIOp>(loc, before, one);
  else
    after = builder.create<mlir::arith::SubIOp>(loc, before, one);
  assign(variable, after);
  return true;
}

//===----------------------------------------------------------------------===//
// if
//===----------------------------------------------------------------------===//

bool KernelImporter::importIf(const IfStmt *branch) {
  if (branch->getInit())
    return refuse(branch->getInit());
  if (branch->getConditionVariable())
    return refuse(branch->getConditionVariable());
  if (branch->isConsteval())
    return refuse(branch);
  const Stmt *otherwise = branch->getElse();
  // What Clang can decide is decided: only the branch that runs is lowered.
  if (std::optional<int64_t> decided = evaluate(branch->getCond())) {
    const Stmt *taken = *decided ? branch->getThen() : otherwise;
    return !taken || importStatement(taken);
  }
  mlir::Value condition = importScalar(branch->getCond());
  if (!condition)
    return false;

  llvm::SmallVector<const Stmt *> bodies = {branch->getThen()};
  if (otherwise)
    bodies.push_back(otherwise);
  Variables assigned = assignedVariables(bodies);
  llvm::SmallVector<mlir::Type> resultTypes;
  for (const ValueDecl *variable : assigned)
    resultTypes.push_back(values[variable].getType());

  mlir::Location loc = locate(branch->getIfLoc());
  const bool hasElse = otherwise || !assigned.empty();
  auto op = builder.create<mlir::scf::IfOp>(loc, resultTypes, condition, hasElse);
  auto outside = values;
  bool ok = true;
  auto importBranch = [&](mlir::Block *block, const Stmt *body) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(block);
    if (body)
      ok &= importStatement(body);
    llvm::SmallVector<mlir::Value> results;
    for (const ValueDecl *variable : assigned)
      results.push_back(values[variable]);
    if (!assigned.empty())
      builder.create<mlir::scf::YieldOp>(loc, results);
    values = outside;
  };
  importBranch(op.thenBlock(), branch->getThen());
  if (hasElse)
    importBranch(op.elseBlock(), otherwise);
  for (auto [variable, result] : llvm::zip(assigned, op.getResults()))
    values[variable] = result;
  return ok;
}
