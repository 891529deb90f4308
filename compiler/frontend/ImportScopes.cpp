//===- ImportScopes.cpp - Loops over warpgroups and warps -----------------===//
#include "frontend/ImportScopes.h"

#include "frontend/GuardedOps.h"
#include "frontend/ImportStatements.h"

#include "frontend/SharedValues.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace tkc;

/// Where each step of a loop over warpgroups, all of `block` after `before`, does
/// nothing to a shared tile but write to parts of it, each its own or one of them in a branch: the
/// tile, otherwise null. Whether the parts are each one's own is for tk-verify-layouts to say.
static tk::AllocOp findWrittenInParts(mlir::Value old, mlir::Value value, mlir::Block *block,
                                      mlir::Operation *before) {
  auto isBehind = [&](mlir::Operation *op) {
    op = op ? block->findAncestorOpInBlock(*op) : nullptr;
    return op && (!before || before->isBeforeInBlock(op));
  };
  tk::AllocOp alloc = nullptr;
  mlir::Operation *follower = nullptr;
  while (true) {
    for (mlir::Operation *user : value.getUsers())
      if (user != follower && isBehind(user) &&
          !(isa_and_nonnull<mlir::scf::IfOp>(follower) && follower->isProperAncestor(user) &&
            isa<tk::WriteOp, mlir::scf::YieldOp>(user)))
        return {};
    if (value == old || value.getDefiningOp<tk::AllocOp>())
      return alloc;
    if (auto branch = value.getDefiningOp<mlir::scf::IfOp>()) {
      const unsigned number = cast<mlir::OpResult>(value).getResultNumber();
      mlir::Value written = branch.thenYield().getOperand(number),
                  kept = branch.elseYield().getOperand(number);
      if (!written.getDefiningOp() || !branch->isAncestor(written.getDefiningOp()))
        std::swap(written, kept);
      auto write = written.getDefiningOp<tk::WriteOp>();
      if (!write)
        return {};
      alloc = write.getAlloc();
      follower = branch;
      value = kept;
      continue;
    }
    auto write = value.getDefiningOp<tk::WriteOp>();
    if (!write || write.getIndices().empty())
      return {};
    alloc = write.getAlloc();
    follower = write;
    value = write.getDest();
  }
}

ScopeImporter::~ScopeImporter() {
  // After an error the op may be nowhere yet, but its number is used all over the kernel.
  if (op)
    op->getIndex().dropAllUses();
}

bool ScopeImporter::begin(const CXXForRangeStmt *loop, tk::EachWorker worker, int64_t count) {
  const bool isWarp = worker == tk::EachWorker::Warp;
  // A block has 8 warpgroups, and one of them loads.
  const int64_t most = isWarp ? 28 : 7;
  if (count < 1 || count > most || (isWarp && count % 4 != 0 && count > 4)) {
    error(loop->getRangeInit()->getExprLoc(), Message::scope_count)
        << isWarp << llvm::Twine(count).str();
    return false;
  }
  if (!op) {
    mlir::OpBuilder detached(builder.getContext());
    op = detached.create<tk::EachOp>(locate(loop->getForLoc()), worker,
                                     isWarp ? llvm::alignTo(count, 4) : count,
                                     /*alone=*/isWarp && count == 1);
    op->getBody().emplaceBlock().addArgument(
        builder.getI32Type(),
        locate(loop->getLoopVariable()->getLocation(), loop->getLoopVariable()));
    workers = count;
    firstLoop = loop->getForLoc();
  }
  if (!variable && op->getWorker() == worker && workers == count)
    return true;
  error(loop->getForLoc(), variable ? Message::scope_inside : Message::scope_differs);
  error(firstLoop, Message::note_scope);
  return false;
}

bool ScopeImporter::importScope(const CXXForRangeStmt *loop, tk::EachWorker worker, int64_t count) {
  if (!begin(loop, worker, count))
    return false;
  const VarDecl *loopVariable = loop->getLoopVariable();
  mlir::Location loc = locate(loop->getForLoc());
  const llvm::SmallVector<mlir::Value> before = environment.currentValues();
  mlir::Operation *last = lastOp(builder);
  Object object = *environment.declare(loopVariable);
  number = op->getIndex();
  if (count == 1) // a constant of its own: who writes 0 does not name the worker
    number = builder.create<mlir::arith::ConstantIntOp>(loc, 0, 32);
  else if (hasIdleWarps())
    number = builder.create<mlir::arith::MinSIOp>(locate(loopVariable->getLocation(), loopVariable),
                                                  number, constant(count - 1, loc));
  environment[object.first].value = number;
  {
    llvm::SaveAndRestore inScope(variable, loopVariable);
    llvm::SaveAndRestore deeper(position.loops, position.loops + 1);
    if (!statements.importSequence(loop->getBody()))
      return false;
  }
  environment.truncate(before.size());
  return checkChanges(loop, before, last);
}

bool ScopeImporter::checkChanges(const CXXForRangeStmt *loop, llvm::ArrayRef<mlir::Value> before,
                                 mlir::Operation *last) {
  bool ok = true;
  for (auto [index, value] : llvm::enumerate(before)) {
    const Slot &slot = environment[index];
    mlir::Value now = slot.value;
    if (now == value || slot.indexing == Slot::ByScope)
      continue;
    const bool mayHaveParts = !isOfWarps() && now && isShared(now.getType());
    tk::AllocOp alloc =
        mayHaveParts ? findWrittenInParts(value, now, builder.getInsertionBlock(), last) : nullptr;
    if (alloc) {
      alloc.setCommon(true);
      continue;
    }
    if (mayHaveParts)
      error(loop->getForLoc(), Message::scope_changes_tile) << environment.spellingOf(index);
    else
      error(loop->getForLoc(), Message::scope_changes)
          << environment.spellingOf(index) << isOfWarps() << llvm::Twine(workers).str();
    if (slot.variable)
      error(slot.variable->getLocation(), Message::note_declared) << slot.variable;
    ok = false;
  }
  return ok;
}

bool ScopeImporter::hasIdleWarps() const { return op && workers < int64_t(op.get().getCount()); }

mlir::Value ScopeImporter::createIsMeant(mlir::Location loc) {
  if (!hasIdleWarps())
    return {};
  mlir::Value end = constant(workers, loc);
  return builder.create<mlir::arith::CmpIOp>(loc, mlir::arith::CmpIPredicate::slt, op->getIndex(),
                                             end);
}

void ScopeImporter::noteStore(SourceLocation place) {
  if (!variable)
    storesOutside.push_back(place);
}

bool ScopeImporter::isOfScope(Object object) {
  for (unsigned slot = object.first, end = slot + environment.countOf(object); slot < end; ++slot)
    if (environment[slot].indexing == Slot::ByScope)
      return true;
  return false;
}

bool ScopeImporter::checkNotOfScope(Object object, const Expr *expr) {
  if (!op || variable || !isOfScope(object))
    return true;
  error(expr->getExprLoc(), Message::scope_copied) << isOfWarps() << expr->getSourceRange();
  noteDeclaration(expr);
  return false;
}

/// True if the values are the same, or made the same way of such as are, or begin a loop as such:
/// what has other values than the first element's later would have to be indexed to get them.
static bool areEqual(mlir::Value a, mlir::Value b) {
  if (a == b)
    return true;
  if (!a || !b)
    return false;
  mlir::Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  if (first && second)
    return mlir::isPure(first) && first->getNumRegions() == 0 &&
           mlir::OperationEquivalence::isEquivalentTo(
               first, second,
               [](mlir::Value x, mlir::Value y) { return mlir::success(areEqual(x, y)); },
               /*markEquivalent=*/nullptr, mlir::OperationEquivalence::IgnoreLocations);
  if (first || second || a.getParentBlock() != b.getParentBlock())
    return false;
  auto loop = dyn_cast<mlir::scf::ForOp>(a.getParentBlock()->getParentOp());
  auto carried = [&](mlir::Value value) {
    mlir::OpOperand *init = loop.getTiedLoopInit(cast<mlir::BlockArgument>(value));
    return init ? init->get() : mlir::Value();
  };
  return loop && carried(a) && carried(b) && areEqual(carried(a), carried(b));
}

std::optional<Object> ScopeImporter::importOwnElement(Object array, int64_t extent,
                                                      const ArraySubscriptExpr *subscript) {
  if (extent < workers) {
    error(subscript->getIdx()->getExprLoc(), Message::index_out_of_bounds)
        << llvm::Twine(workers - 1).str() << llvm::Twine(extent).str()
        << subscript->getIdx()->getSourceRange();
    noteDeclaration(subscript->getBase());
    return std::nullopt;
  }
  const Object own = layout.element(array, 0);
  if (!isOfScope(array))
    for (int64_t i = 1; i < workers; ++i)
      for (unsigned slot = 0, end = environment.countOf(own); slot < end; ++slot)
        if (!areEqual(environment[own.first + slot].value,
                      environment[layout.element(array, i).first + slot].value)) {
          error(subscript->getIdx()->getExprLoc(), Message::scope_elements)
              << isOfWarps() << subscript->getIdx()->getSourceRange();
          noteDeclaration(subscript->getBase());
          return std::nullopt;
        }
  return own;
}

bool ScopeImporter::closeScope(mlir::Block *grid) {
  if (!op)
    return true;
  for (SourceLocation place : storesOutside) {
    error(place, Message::scope_store) << isOfWarps();
    error(firstLoop, Message::note_scope);
  }
  mlir::Block &body = op->getBody().front();
  body.getOperations().splice(body.end(), grid->getOperations());
  grid->push_back(op.release());
  return storesOutside.empty();
}
