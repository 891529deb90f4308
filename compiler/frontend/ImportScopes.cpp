//===- ImportScopes.cpp - Loops of a constant number of steps -------------===//
//
// An unrolled loop is imported step by step, with its variable a constant, so
// that it may index arrays.
//
// The steps of a loop over warpgroups run side by side. A kernel may have several
// such loops, with other code between and around them (`for j { load; for w {...}
// }`): all of it is done by every warpgroup, so that one tk.each around the grid's
// body holds for all. For that, the loops must not depend on their order: what
// lives outside may be changed by one warpgroup alone, as an element that belongs
// to it, or as a part of a shared tile, which such a loop then does not read.
//
// Warps come by four, a warpgroup. Where a loop has fewer, the others compute what the last one
// does and store nothing.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportKernel.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace tkc;

bool KernelImporter::importConstantRange(const CXXForRangeStmt *loop, const Expr *range) {
  std::optional<Word> word = language.findCallee(range);
  if (word != Word::unrolled && word != Word::warpgroups && word != Word::warps) {
    error(range->getExprLoc(), Message::range_not_direct) << range->getSourceRange();
    return false;
  }
  const Expr *argument = cast<CallExpr>(range)->getArg(0);
  std::optional<int64_t> count = importConstant(argument);
  if (!count || *count < 0) {
    error(argument->getExprLoc(), Message::count_not_constant)
        << cast<CallExpr>(range)->getDirectCallee()->getName() << argument->getSourceRange();
    return false;
  }
  const VarDecl *variable = loop->getLoopVariable();
  if (!variable->getType()->isSpecificBuiltinType(BuiltinType::Int)) {
    error(variable->getLocation(), Message::loop_variable) << variable->getType();
    return false;
  }
  if (word == Word::unrolled)
    return importUnrolled(loop, *count);
  return importScope(loop, word == Word::warps ? tk::EachWorker::Warp : tk::EachWorker::Warpgroup,
                     *count);
}

bool KernelImporter::importUnrolled(const CXXForRangeStmt *loop, int64_t count) {
  const VarDecl *variable = loop->getLoopVariable();
  llvm::SaveAndRestore deeper(loops, loops + 1);
  for (int64_t i = 0; i < count; ++i) {
    const unsigned mark = slots.size();
    std::optional<Object> object = declare(variable);
    slots[object->first].value = constant(int32_t(i), locate(variable->getLocation()));
    // An error is said in the first step that has it.
    if (!countWork(loop->getForLoc()) || !importSequence(loop->getBody()))
      return false;
    slots.truncate(mark);
  }
  return true;
}

bool KernelImporter::importOverArray(const CXXForRangeStmt *loop) {
  std::optional<Object> array = importObject(loop->getRangeInit());
  if (!array || !checkNotOfScope(*array, loop->getRangeInit()))
    return false;
  const VarDecl *variable = loop->getLoopVariable();
  const unsigned extent =
      ast.getAsConstantArrayType(array->type.getNonReferenceType())->getSize().getLimitedValue();
  llvm::SaveAndRestore deeper(loops, loops + 1);
  for (unsigned i = 0; i < extent; ++i) {
    const unsigned mark = slots.size();
    Object element = layout.element(*array, i);
    if (variable->getType()->isReferenceType()) {
      objects[variable] = element;
    } else {
      std::optional<Object> object = declare(variable);
      for (unsigned slot = 0, count = object ? countOf(*object) : 0; slot < count; ++slot)
        slots[object->first + slot].value = slots[element.first + slot].value;
    }
    if (!countWork(loop->getForLoc()) || !importSequence(loop->getBody()))
      return false;
    slots.truncate(mark);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Warpgroups and warps
//===----------------------------------------------------------------------===//

/// Where each step of a loop over warpgroups, all of `block` after `before`, does
/// nothing to a shared tile but write to parts of it: the tile, otherwise null. Whether the parts
/// are each one's own is for tk-verify-layouts to say.
static tk::AllocOp findWrittenInParts(mlir::Value old, mlir::Value value, mlir::Block *block,
                                      mlir::Operation *before) {
  auto isBehind = [&](mlir::Operation *op) {
    op = op ? block->findAncestorOpInBlock(*op) : nullptr;
    return op && (!before || before->isBeforeInBlock(op));
  };
  auto last = value.getDefiningOp<tk::WriteOp>();
  tk::WriteOp follower = nullptr;
  while (true) {
    for (mlir::Operation *user : value.getUsers())
      if (user != follower && isBehind(user))
        return {};
    auto write = value.getDefiningOp<tk::WriteOp>();
    if (value == old || !write)
      return last ? last.getAlloc() : nullptr;
    if (write.getIndices().empty() || !isBehind(write))
      return {};
    follower = write;
    value = write.getDest();
  }
}

bool KernelImporter::importScope(const CXXForRangeStmt *loop, tk::EachWorker worker,
                                 int64_t count) {
  const bool isWarp = worker == tk::EachWorker::Warp;
  // A block has 8 warpgroups, and one of them loads.
  const int64_t most = isWarp ? 28 : 7;
  if (count < 1 || count > most || (isWarp && count % 4 != 0 && count > 4)) {
    error(loop->getRangeInit()->getExprLoc(), Message::scope_count)
        << isWarp << llvm::Twine(count).str();
    return false;
  }
  mlir::Location loc = locate(loop->getForLoc());
  if (!scope.op) {
    mlir::OpBuilder detached(builder.getContext());
    scope.op = detached.create<tk::EachOp>(loc, worker, isWarp ? llvm::alignTo(count, 4) : count);
    scope.count = count;
    scope.op->getBody().emplaceBlock().addArgument(
        builder.getI32Type(),
        locate(loop->getLoopVariable()->getLocation(), loop->getLoopVariable()));
    scope.place = loop->getForLoc();
  }
  if (scope.variable || scope.op->getWorker() != worker || scope.count != count) {
    error(loop->getForLoc(), scope.variable ? Message::scope_inside : Message::scope_differs);
    error(scope.place, Message::note_scope);
    return false;
  }

  const VarDecl *variable = loop->getLoopVariable();
  const llvm::SmallVector<mlir::Value> before = currentValues();
  const mlir::Block::iterator first = builder.getInsertionPoint();
  mlir::Operation *last =
      first == builder.getInsertionBlock()->begin() ? nullptr : &*std::prev(first);
  std::optional<Object> object = declare(variable);
  scope.number = scope.op->getIndex();
  if (count == 1)
    scope.number = constant(0, loc);
  else if (hasIdleWarps())
    scope.number = builder.create<mlir::arith::MinSIOp>(locate(variable->getLocation(), variable),
                                                        scope.number, constant(count - 1, loc));
  slots[object->first].value = scope.number;
  {
    llvm::SaveAndRestore inScope(scope.variable, variable);
    llvm::SaveAndRestore deeper(loops, loops + 1);
    if (!importSequence(loop->getBody()))
      return false;
  }
  slots.truncate(before.size());
  bool ok = true;
  for (auto [slot, value] : llvm::enumerate(before)) {
    mlir::Value now = slots[slot].value;
    if (now == value || slots[slot].indexing == Slot::by_scope)
      continue;
    const bool mayHaveParts = !isWarp && now && isShared(now.getType());
    tk::AllocOp alloc =
        mayHaveParts ? findWrittenInParts(value, now, builder.getInsertionBlock(), last) : nullptr;
    if (alloc) {
      alloc.setCommon(true);
      continue;
    }
    if (mayHaveParts)
      error(loop->getForLoc(), Message::scope_changes_tile) << spellingOf(slot);
    else
      error(loop->getForLoc(), Message::scope_changes)
          << spellingOf(slot) << isWarp << llvm::Twine(count).str();
    if (slots[slot].variable)
      error(slots[slot].variable->getLocation(), Message::note_declared) << slots[slot].variable;
    ok = false;
  }
  return ok;
}

bool KernelImporter::hasIdleWarps() {
  return scope.op && scope.count < int64_t(scope.op->getCount());
}

bool KernelImporter::isOfScope(Object object) {
  for (unsigned slot = object.first, end = slot + countOf(object); slot < end; ++slot)
    if (slots[slot].indexing == Slot::by_scope)
      return true;
  return false;
}

bool KernelImporter::checkNotOfScope(Object object, const Expr *expr) {
  if (!scope.op || scope.variable || !isOfScope(object))
    return true;
  error(expr->getExprLoc(), Message::scope_copied)
      << (scope.op->getWorker() == tk::EachWorker::Warp) << expr->getSourceRange();
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

std::optional<Object> KernelImporter::importOwnElement(Object array, int64_t extent,
                                                       const ArraySubscriptExpr *subscript) {
  const int64_t count = scope.count;
  if (extent < count) {
    error(subscript->getIdx()->getExprLoc(), Message::index_out_of_bounds)
        << llvm::Twine(count - 1).str() << llvm::Twine(extent).str()
        << subscript->getIdx()->getSourceRange();
    noteDeclaration(subscript->getBase());
    return std::nullopt;
  }
  const Object own = layout.element(array, 0);
  if (!isOfScope(array))
    for (int64_t i = 1; i < count; ++i)
      for (unsigned slot = 0, end = countOf(own); slot < end; ++slot)
        if (!areEqual(slots[own.first + slot].value,
                      slots[layout.element(array, i).first + slot].value)) {
          error(subscript->getIdx()->getExprLoc(), Message::scope_elements)
              << (scope.op->getWorker() == tk::EachWorker::Warp)
              << subscript->getIdx()->getSourceRange();
          noteDeclaration(subscript->getBase());
          return std::nullopt;
        }
  return own;
}

bool KernelImporter::closeScope(mlir::Block *grid) {
  if (!scope.op)
    return true;
  for (SourceLocation place : storesOutside) {
    error(place, Message::scope_store) << (scope.op->getWorker() == tk::EachWorker::Warp);
    error(scope.place, Message::note_scope);
  }
  mlir::Block &body = scope.op->getBody().front();
  body.getOperations().splice(body.end(), grid->getOperations());
  grid->push_back(scope.op.release());
  return storesOutside.empty();
}
