//===- ImportStatements.cpp - Loops, if, declarations, assignments --------===//
#include "frontend/ImportKernel.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Which variables a statement assigns
//===----------------------------------------------------------------------===//

/// The variables that `statement` assigns: by an assignment, an increment, or as an argument bound
/// to a reference that is not const.
static void collectAssigned(const Stmt *statement, llvm::SetVector<const ValueDecl *> &assigned) {
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
// Loops
//===----------------------------------------------------------------------===//

bool KernelImporter::importLoop(mlir::Location loc, const ValueDecl *index, mlir::Value from,
                                mlir::Value to, mlir::Value step, const Stmt *body,
                                mlir::Attribute pipeline) {
  Variables carried = assignedVariables(body);
  llvm::SmallVector<mlir::Value> initial;
  for (const ValueDecl *variable : carried)
    initial.push_back(values[variable]);

  auto outside = values;
  auto loop = builder.create<mlir::scf::ForOp>(loc, from, to, step, initial);
  if (pipeline)
    loop->setAttr(tk::pipelineAttrName, pipeline);
  loop.getInductionVar().setLoc(locate(index->getLocation(), index));
  values[index] = loop.getInductionVar();
  for (auto [variable, argument] : llvm::zip(carried, loop.getRegionIterArgs())) {
    argument.setLoc(locate(variable->getLocation(), variable));
    values[variable] = argument;
  }

  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  bool ok = importStatement(body);
  llvm::SmallVector<mlir::Value> next;
  for (const ValueDecl *variable : carried)
    next.push_back(values[variable]);
  if (!carried.empty())
    builder.create<mlir::scf::YieldOp>(loc, next);

  values = std::move(outside);
  for (auto [variable, result] : llvm::zip(carried, loop.getResults()))
    values[variable] = result;
  return ok;
}

bool KernelImporter::importRangeFor(const CXXForRangeStmt *loop) {
  if (loop->getInit())
    return refuse(loop->getInit());
  const Expr *range = loop->getRangeInit()->IgnoreUnlessSpelledInSource();
  std::optional<Word> word = language.find(range->getType());
  if (word == Word::pipeline_range)
    return importPipeline(loop, range);
  error(loop->getForLoc(), word == Word::grid_space ? Message::grid_inside : Message::range_for)
      << range->getSourceRange();
  return false;
}

bool KernelImporter::importPipeline(const CXXForRangeStmt *loop, const Expr *range) {
  int64_t stages = 0;
  while (language.findCallee(range) == Word::stages) {
    auto *hint = cast<CXXMemberCallExpr>(range);
    std::optional<int64_t> value = evaluate(hint->getArg(0));
    if (!value || *value < 1) {
      error(hint->getArg(0)->getExprLoc(), Message::hint_not_constant)
          << "stages" << hint->getArg(0)->getSourceRange();
      return false;
    }
    stages = *value;
    range = hint->getImplicitObjectArgument()->IgnoreUnlessSpelledInSource();
  }
  if (language.findCallee(range) != Word::pipeline) {
    error(range->getExprLoc(), Message::pipeline_not_direct) << range->getSourceRange();
    return false;
  }
  const VarDecl *index = loop->getLoopVariable();
  if (!index->getType()->isSpecificBuiltinType(BuiltinType::Int)) {
    error(index->getLocation(), Message::pipeline_variable) << index->getType();
    return false;
  }
  mlir::Location loc = locate(loop->getForLoc());
  mlir::Value from = constant(0, loc), step = constant(1, loc);
  mlir::Value to = importScalar(cast<CallExpr>(range)->getArg(0));
  if (!to)
    return false;
  return importLoop(loc, index, from, to, step, loop->getBody(),
                    tk::PipelineAttr::get(builder.getContext(), stages));
}

/// `for (int i = from; i < to; i += step)`, the form that runs a known number of times. It is
/// counted before it starts, so the body may change neither `i` nor what `to` is computed from.
bool KernelImporter::importFor(const ForStmt *loop) {
  auto irregular = [&](SourceLocation place) {
    error(place.isValid() ? place : loop->getForLoc(), Message::irregular_for);
    return false;
  };
  auto *init = dyn_cast_or_null<DeclStmt>(loop->getInit());
  auto *index = init && init->isSingleDecl() ? dyn_cast<VarDecl>(init->getSingleDecl()) : nullptr;
  if (!index || !index->getInit() || !index->getType()->isSpecificBuiltinType(BuiltinType::Int))
    return irregular(init ? init->getBeginLoc() : loop->getForLoc());

  auto *condition = dyn_cast_or_null<BinaryOperator>(loop->getCond());
  if (!condition || variableOf(condition->getLHS()) != index ||
      (condition->getOpcode() != BO_LT && condition->getOpcode() != BO_LE))
    return irregular(loop->getCond() ? loop->getCond()->getExprLoc() : loop->getForLoc());

  std::optional<int64_t> step;
  if (auto *unary = dyn_cast_or_null<UnaryOperator>(loop->getInc()))
    if (unary->isIncrementOp() && variableOf(unary->getSubExpr()) == index)
      step = 1;
  if (auto *compound = dyn_cast_or_null<CompoundAssignOperator>(loop->getInc()))
    if (compound->getOpcode() == BO_AddAssign && variableOf(compound->getLHS()) == index)
      step = evaluate(compound->getRHS());
  if (!step || *step < 1)
    return irregular(loop->getInc() ? loop->getInc()->getExprLoc() : loop->getForLoc());

  Variables changed;
  collectAssigned(loop->getBody(), changed);
  llvm::SmallVector<const Stmt *> counted = {condition->getLHS(), condition->getRHS()};
  while (!counted.empty()) {
    const Stmt *part = counted.pop_back_val();
    if (auto *reference = dyn_cast<DeclRefExpr>(part);
        reference && changed.contains(reference->getDecl())) {
      error(reference->getExprLoc(), Message::for_changes) << reference->getDecl();
      return false;
    }
    llvm::append_range(counted, part->children());
  }

  mlir::Location loc = locate(loop->getForLoc());
  mlir::Value from = importScalar(index->getInit());
  mlir::Value to = importScalar(condition->getRHS());
  if (!from || !to)
    return false;
  if (condition->getOpcode() == BO_LE)
    to = builder.create<mlir::arith::AddIOp>(locate(condition->getOperatorLoc()), to,
                                             constant(1, loc));
  return importLoop(loc, index, from, to, constant(*step, loc), loop->getBody(), {});
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
