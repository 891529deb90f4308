//===- ImportLoops.cpp - Pipelined and counted loops to scf.for -----------===//
//
// A loop carries the variables of its surroundings that its body assigns: they
// become iteration arguments, and its results are their values afterwards.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportLoops.h"

#include "dialect/tk/LoopArguments.h"
#include "frontend/ImportHints.h"

#include "frontend/ImportScalars.h"
#include "frontend/ImportStatements.h"
#include "frontend/SharedValues.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace tkc;

bool LoopImporter::importLoop(SourceLocation place, const ValueDecl *index, mlir::Value from,
                              mlir::Value to, mlir::Value step, const Stmt *body,
                              mlir::Attribute pipeline, mlir::Value downFrom) {
  mlir::Location loc = locate(place);
  if (environment.inLambda()) {
    error(index->getLocation(), Message::lambda_loop);
    return false;
  }
  const llvm::SmallVector<mlir::Value> before = environment.currentValues();
  prepareParts(body);
  const llvm::SmallVector<unsigned> candidates = slotsThatMayChange(body);
  llvm::SmallVector<mlir::Value> initial;
  for (unsigned slot : candidates)
    initial.push_back(environment[slot].value);

  auto loop = builder.create<mlir::scf::ForOp>(loc, from, to, step, initial);
  if (pipeline)
    loop->setAttr(tk::pipelineAttrName, pipeline);
  std::optional<Object> indexObject = environment.declare(index);
  for (auto [slot, argument] : llvm::zip(candidates, loop.getRegionIterArgs())) {
    const ValueDecl *variable = environment[slot].variable;
    if (variable && !getName(variable).empty())
      argument.setLoc(mlir::NameLoc::get(builder.getStringAttr(environment.nameOf(slot)),
                                         locate(variable->getLocation())));
    environment[slot].value = argument;
  }

  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    mlir::Value number = loop.getInductionVar();
    mlir::Location indexLoc = locate(index->getLocation(), index);
    if (downFrom)
      number = builder.create<mlir::arith::SubIOp>(indexLoc, downFrom, number);
    else
      number.setLoc(indexLoc);
    environment[indexObject->first].value = number;
    llvm::SaveAndRestore deeper(position.loops, position.loops + 1);
    if (!statements.importSequence(body)) {
      environment.restore(before);
      return false;
    }
    if (environment[indexObject->first].value != number) {
      error(index->getLocation(), Message::for_changes) << index;
      return false;
    }
    llvm::SmallVector<mlir::Value> next;
    // Shared memory that a branch has replaced is nothing to carry on with; it is lost below.
    for (auto [slot, argument] : llvm::zip(candidates, loop.getRegionIterArgs()))
      next.push_back(environment[slot].value ? environment[slot].value : argument);
    if (!candidates.empty()) {
      builder.setInsertionPointToEnd(loop.getBody());
      builder.create<mlir::scf::YieldOp>(loc, next);
    }
  }

  // Objects that no iteration changed are not carried; shared memory cannot be.
  llvm::BitVector isKept(candidates.size()), isChanged(candidates.size());
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    isChanged[i] = environment[candidates[i]].value != argument;
    isKept[i] = isChanged[i] && (!isShared(argument.getType()) ||
                                 hasWrittenParts(loop, argument, environment[candidates[i]].value));
    const Slot &slot = environment[candidates[i]];
    const bool isRead = llvm::any_of(
        argument.getUsers(), [](mlir::Operation *user) { return !isa<mlir::scf::YieldOp>(user); });
    if (isChanged[i] && !isKept[i] && isRead && before[candidates[i]]) {
      error(place, Message::shared_carried) << environment.spellingOf(candidates[i]);
      if (slot.variable)
        error(slot.variable->getLocation(), Message::note_declared) << slot.variable;
      return false;
    }
  }
  environment.restore(before);
  if (!isKept.all())
    loop = tk::keepArguments(loop, isKept);
  unsigned result = 0;
  for (auto [i, slot] : llvm::enumerate(candidates)) {
    if (isKept[i]) {
      environment[slot].value = loop.getResult(result++);
    } else if (isChanged[i]) {
      environment[slot].value = {};
      if (before[slot])
        environment[slot].lost = place;
    }
  }
  return true;
}

bool LoopImporter::importRangeFor(const CXXForRangeStmt *loop) {
  if (loop->getInit())
    return refuse(loop->getInit());
  const Expr *range = loop->getRangeInit()->IgnoreUnlessSpelledInSource();
  std::optional<Word> word = language.find(range->getType());
  if (word == Word::pipeline_range)
    return importPipeline(loop, range);
  if (word == Word::constant_range)
    return importConstantRange(loop, range);
  if (range->getType()->isConstantArrayType())
    return importOverArray(loop);
  error(loop->getForLoc(), word == Word::grid_space ? Message::grid_inside : Message::range_for)
      << range->getSourceRange();
  return false;
}

bool LoopImporter::importPipeline(const CXXForRangeStmt *loop, const Expr *range) {
  std::optional<llvm::SmallVector<Hint>> hints = HintImporter(context, scalars).importHints(range);
  if (!hints)
    return false;
  int64_t stages = 0;
  bool overlap = true;
  mlir::BoolAttr pingpongWarpgroups;
  for (const Hint &hint : *hints) {
    if (hint.word == Word::stages)
      stages = hint.values[0];
    else if (hint.word == Word::overlap)
      overlap = hint.values[0] != 0;
    else
      pingpongWarpgroups = builder.getBoolAttr(hint.values[0] != 0);
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
  mlir::Value to = scalars.importScalar(cast<CallExpr>(range)->getArg(0));
  if (!to)
    return false;
  return importLoop(
      loop->getForLoc(), index, from, to, step, loop->getBody(),
      tk::PipelineAttr::get(builder.getContext(), stages, overlap, pingpongWarpgroups));
}

/// The constant by which a `for` loop changes its variable: negative where it goes down; 0 if there
/// is none.
int64_t LoopImporter::importStep(const Expr *change, const VarDecl *index) {
  if (auto *unary = dyn_cast_or_null<UnaryOperator>(change))
    if (unary->isIncrementDecrementOp() && variableOf(unary->getSubExpr()) == index)
      return unary->isIncrementOp() ? 1 : -1;
  auto *compound = dyn_cast_or_null<CompoundAssignOperator>(change);
  if (!compound || variableOf(compound->getLHS()) != index ||
      (compound->getOpcode() != BO_AddAssign && compound->getOpcode() != BO_SubAssign))
    return 0;
  const int64_t step = scalars.importConstant(compound->getRHS()).value_or(0);
  return compound->getOpcode() == BO_AddAssign ? step : -step;
}

/// `for (int i = from; i < to; i += step)`, or down with `i > to` and `i -= step`, the forms that
/// run a known number of times. It is counted before it starts, so the body may change neither `i`
/// nor what `to` is computed from.
bool LoopImporter::importFor(const ForStmt *loop) {
  auto irregular = [&](SourceLocation place) {
    error(place.isValid() ? place : loop->getForLoc(), Message::irregular_for);
    return false;
  };
  auto *init = dyn_cast_or_null<DeclStmt>(loop->getInit());
  auto *index = init && init->isSingleDecl() ? dyn_cast<VarDecl>(init->getSingleDecl()) : nullptr;
  if (!index || !index->getInit() || !index->getType()->isSpecificBuiltinType(BuiltinType::Int))
    return irregular(init ? init->getBeginLoc() : loop->getForLoc());

  auto *condition = dyn_cast_or_null<BinaryOperator>(loop->getCond());
  if (!condition || variableOf(condition->getLHS()) != index || !condition->isRelationalOp())
    return irregular(loop->getCond() ? loop->getCond()->getExprLoc() : loop->getForLoc());
  const bool goesDown = condition->getOpcode() == BO_GT || condition->getOpcode() == BO_GE;
  const bool reachesEnd = condition->getOpcode() == BO_LE || condition->getOpcode() == BO_GE;

  const int64_t step = importStep(loop->getInc(), index);
  if (goesDown ? step >= 0 : step <= 0)
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
  mlir::Value from = scalars.importScalar(index->getInit());
  mlir::Value to = scalars.importScalar(condition->getRHS());
  if (!from || !to)
    return false;
  std::optional<int64_t> first = Constants::valueOf(from), end = Constants::valueOf(to);
  if (goesDown && first && end && !llvm::isInt<32>(*first - *end + reachesEnd)) {
    error(condition->getOperatorLoc(), Message::for_distance) << condition->getSourceRange();
    return false;
  }
  mlir::Location endLoc = locate(condition->getOperatorLoc());
  if (goesDown) // scf.for counts up: to the distance between start and end
    to = folded(builder.create<mlir::arith::SubIOp>(endLoc, from, to));
  if (reachesEnd)
    to = folded(builder.create<mlir::arith::AddIOp>(endLoc, to, constant(1, loc)));
  return importLoop(loop->getForLoc(), index, goesDown ? constant(0, loc) : from, to,
                    constant(std::abs(step), loc), loop->getBody(), {},
                    goesDown ? from : mlir::Value());
}
