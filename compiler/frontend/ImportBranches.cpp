//===- ImportBranches.cpp - if, and what leaves a block early -------------===//
//
// `if` becomes an scf.if that yields every slot whose value its branches differ
// in. There are no jumps in the IR: where one branch ends with `continue` or
// `return`, the statements after the `if` belong to the other one.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportStatements.h"

#include "frontend/GuardedOps.h"
#include "frontend/ImportFunctions.h"
#include "frontend/ImportScalars.h"
#include "frontend/SharedValues.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The first `continue` or `return` that would leave the block that `statement` stands in.
static const Stmt *firstLeaving(const Stmt *statement) {
  if (!statement || isa<Expr, DeclStmt, ForStmt, CXXForRangeStmt, WhileStmt, DoStmt>(statement))
    return nullptr;
  if (isa<ContinueStmt, ReturnStmt>(statement))
    return statement;
  for (const Stmt *child : statement->children())
    if (const Stmt *leaving = firstLeaving(child))
      return leaving;
  return nullptr;
}

/// True if nothing after `statement` runs.
static bool alwaysLeaves(const Stmt *statement) {
  if (!statement)
    return false;
  if (isa<ContinueStmt, ReturnStmt>(statement))
    return true;
  if (auto *block = dyn_cast<CompoundStmt>(statement))
    return llvm::any_of(block->body(), alwaysLeaves);
  if (auto *branch = dyn_cast<IfStmt>(statement))
    return alwaysLeaves(branch->getThen()) && alwaysLeaves(branch->getElse());
  return false;
}

bool StatementImporter::importSequence(Statements statements) {
  bool ok = true;
  while (!statements.empty()) {
    const Stmt *statement = statements.front();
    statements = statements.drop_front();
    if (isa<ContinueStmt>(statement)) {
      if (functions.isInLoop())
        return ok; // what follows never runs
      return refuse(statement);
    }
    if (auto *returning = dyn_cast<ReturnStmt>(statement))
      return functions.importReturn(returning) && ok;
    if (!firstLeaving(statement)) {
      ok &= importStatement(statement);
      continue;
    }
    if (auto *branch = dyn_cast<IfStmt>(statement)) {
      if (!position.mayNest(statement->getBeginLoc()) ||
          !position.countWork(statement->getBeginLoc()))
        return false;
      llvm::SaveAndRestore deeper(position.nesting, position.nesting + 1);
      return importIf(branch, statements) && ok;
    }
    auto *block = dyn_cast<CompoundStmt>(statement);
    if (!block)
      return importStatement(statement) && ok; // says what is wrong with it
    llvm::SmallVector<const Stmt *> flat(block->body());
    if (!alwaysLeaves(block))
      llvm::append_range(flat, statements);
    return position.countWork(statement->getBeginLoc()) && importSequence(flat) && ok;
  }
  return ok;
}

//===----------------------------------------------------------------------===//
// if
//===----------------------------------------------------------------------===//

bool StatementImporter::importIf(const IfStmt *branch, Statements rest) {
  if (branch->getInit())
    return refuse(branch->getInit());
  if (branch->getConditionVariable())
    return refuse(branch->getConditionVariable());
  if (branch->isConsteval())
    return refuse(branch);
  const Stmt *then = branch->getThen(), *otherwise = branch->getElse();
  auto followed = [&](const Stmt *first) {
    llvm::SmallVector<const Stmt *> statements;
    if (first)
      statements.push_back(first);
    if (!alwaysLeaves(first))
      llvm::append_range(statements, rest);
    return statements;
  };
  // A condition known here is decided: only the branch that runs is lowered.
  std::optional<int64_t> decided = scalars.evaluate(branch->getCond());
  mlir::Value condition;
  if (!decided) {
    condition = scalars.importScalar(branch->getCond());
    if (!condition)
      return false;
    decided = Constants::valueOf(condition);
  }
  if (decided) {
    written.noteDiscarded(branch, *decided ? otherwise : then);
    return importSequence(followed(*decided ? then : otherwise));
  }

  // A lone `return` after the `if` may stand in both branches, but not everything.
  const bool isShort = rest.empty() || (rest.size() == 1 && isa<ReturnStmt>(rest.front()));
  if (!isShort && !alwaysLeaves(then) && !alwaysLeaves(otherwise)) {
    const Stmt *leaving = firstLeaving(branch);
    error(leaving->getBeginLoc(), Message::leaves_sometimes)
        << (isa<ReturnStmt>(leaving) ? "return" : "continue");
    error(branch->getIfLoc(), Message::note_sometimes);
    return false;
  }
  return importBranches(
      condition, branch->getIfLoc(), [&] { return importSequence(followed(then)); },
      [&] { return importSequence(followed(otherwise)); });
}

bool StatementImporter::importBranches(mlir::Value condition, SourceLocation place,
                                       llvm::function_ref<bool()> whenTrue,
                                       llvm::function_ref<bool()> whenFalse) {
  mlir::Location loc = locate(place);
  if (environment.inLambda())
    return selectBranches(condition, loc, whenTrue, whenFalse);
  auto op = builder.create<mlir::scf::IfOp>(loc, condition, /*withElseRegion=*/true);
  const llvm::SmallVector<mlir::Value> before = environment.currentValues();
  bool ok = true;
  auto importBranch = [&](mlir::Block *block, llvm::function_ref<bool()> import) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(block->getTerminator());
    ok &= import();
    environment.truncate(before.size());
    llvm::SmallVector<mlir::Value> after = environment.currentValues();
    environment.restore(before);
    return after;
  };
  llvm::SmallVector<mlir::Value> afterTrue = importBranch(op.thenBlock(), whenTrue);
  llvm::SmallVector<mlir::Value> afterFalse = importBranch(op.elseBlock(), whenFalse);
  if (!ok)
    return false;

  // A slot that has a value after one branch only has none.
  llvm::SmallVector<unsigned> yielded;
  llvm::SmallVector<mlir::Value> resultsTrue, resultsFalse;
  llvm::SmallVector<mlir::Type> resultTypes;
  for (unsigned slot = 0; slot < before.size(); ++slot) {
    const mlir::Value after = afterTrue[slot] ? afterTrue[slot] : afterFalse[slot];
    if (after && afterTrue[slot] != afterFalse[slot] && isShared(after.getType()) &&
        picksWarpgroup(condition))
      // One warpgroup writes the memory, and the others go on with it.
      if (auto joined = joinWrites(before[slot], afterTrue[slot], afterFalse[slot])) {
        yielded.push_back(slot);
        resultsTrue.push_back(joined->first);
        resultsFalse.push_back(joined->second);
        resultTypes.push_back(after.getType());
        continue;
      }
    if (afterTrue[slot] == afterFalse[slot] || !afterTrue[slot] || !afterFalse[slot]) {
      environment[slot].value =
          afterTrue[slot] == afterFalse[slot] ? afterTrue[slot] : mlir::Value();
      continue;
    }
    if (isShared(afterTrue[slot].getType())) {
      environment[slot].value = {};
      environment[slot].lost = place;
      continue;
    }
    yielded.push_back(slot);
    resultsTrue.push_back(afterTrue[slot]);
    resultsFalse.push_back(afterFalse[slot]);
    resultTypes.push_back(afterTrue[slot].getType());
  }
  auto isEmpty = [](mlir::Block *block) { return block->without_terminator().empty(); };
  mlir::Region *whenHeld = &op.getThenRegion(), *otherwise = &op.getElseRegion();
  if (yielded.empty() && isEmpty(op.thenBlock()) && !isEmpty(op.elseBlock())) {
    // `if (a) continue;` reads better as `if (!a)` around what follows.
    condition = folded(builder.create<mlir::arith::XOrIOp>(
        loc, condition, constant(builder.getBoolAttr(true), loc)));
    std::swap(whenHeld, otherwise);
  }
  const bool hasElse = !yielded.empty() || !isEmpty(&otherwise->front());
  auto result = builder.create<mlir::scf::IfOp>(loc, resultTypes, condition, hasElse);
  auto move = [&](mlir::Region &from, mlir::Region &to, mlir::ValueRange results) {
    to.takeBody(from);
    if (yielded.empty())
      return;
    to.front().getTerminator()->erase();
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&to.front());
    builder.create<mlir::scf::YieldOp>(loc, results);
  };
  move(*whenHeld, result.getThenRegion(), resultsTrue);
  if (hasElse)
    move(*otherwise, result.getElseRegion(), resultsFalse);
  op.erase();
  for (auto [slot, value] : llvm::zip(yielded, result.getResults()))
    environment[slot].value = value;
  return true;
}

bool StatementImporter::selectBranches(mlir::Value condition, mlir::Location loc,
                                       llvm::function_ref<bool()> whenTrue,
                                       llvm::function_ref<bool()> whenFalse) {
  const llvm::SmallVector<mlir::Value> before = environment.currentValues();
  bool ok = true;
  auto importBranch = [&](bool when, llvm::function_ref<bool()> import) {
    mlir::Operation *last = lastOp(builder);
    ok &= import();
    guardDivisors(opsSince(last, builder), condition, when, builder, constants);
    environment.truncate(before.size());
    llvm::SmallVector<mlir::Value> after = environment.currentValues();
    environment.restore(before);
    return after;
  };
  llvm::SmallVector<mlir::Value> afterTrue = importBranch(true, whenTrue);
  llvm::SmallVector<mlir::Value> afterFalse = importBranch(false, whenFalse);
  if (!ok)
    return false;
  for (auto [index, a] : llvm::enumerate(afterTrue)) {
    mlir::Value b = afterFalse[index];
    Slot &slot = environment[index];
    if (a == b)
      slot.value = a;
    else if (a && b)
      slot.value = builder.create<mlir::arith::SelectOp>(loc, condition, a, b);
    else
      slot.value = {};
  }
  return true;
}
