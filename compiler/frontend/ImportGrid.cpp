//===- ImportGrid.cpp - The grid loop and its hints -----------------------===//
#include "frontend/ImportKernel.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace tkc;

bool KernelImporter::importGrid(const CXXForRangeStmt *loop) {
  if (loop->getInit())
    return refuse(loop->getInit());
  const Expr *range = loop->getRangeInit();
  std::optional<llvm::SmallVector<Hint>> hints = HintImporter(context, scalars).importHints(range);
  if (!hints)
    return false;
  if (language.findCallee(range) != Word::grid) {
    error(range->getExprLoc(), Message::grid_not_direct) << range->getSourceRange();
    return false;
  }
  auto *call = cast<CallExpr>(range);
  for (const Hint &hint : *hints)
    if ((hint.word == Word::swizzle || (hint.word == Word::cluster && hint.values[1] > 1)) &&
        call->getNumArgs() < 2) {
      error(call->getExprLoc(), Message::hint_rank)
          << (hint.word == Word::swizzle ? "swizzle" : "cluster") << call->getSourceRange();
      return false;
    }

  llvm::SmallVector<mlir::Value> extents;
  for (const Expr *argument : call->arguments())
    extents.push_back(scalars.importScalar(argument));
  if (llvm::is_contained(extents, mlir::Value()))
    return false;

  const VarDecl *variable = loop->getLoopVariable();
  if (variable->getType()->isReferenceType()) {
    error(variable->getLocation(), Message::grid_variables) << unsigned(extents.size());
    return false;
  }
  // `auto [m, n]`, or `int m` of a space of one dimension, or the point itself.
  llvm::SmallVector<const NamedDecl *> names(extents.size(), variable);
  if (auto *decomposition = dyn_cast<DecompositionDecl>(variable))
    names.assign(decomposition->bindings().begin(), decomposition->bindings().end());

  const llvm::SmallVector<mlir::Value> outside = environment.currentValues();
  auto grid = builder.create<tk::GridOp>(locate(loop->getForLoc()), extents);
  for (const Hint &hint : *hints)
    hint.set(grid->getParentOfType<tk::KernelOp>(), grid);
  mlir::Block *block = &grid.getBody().emplaceBlock();
  std::optional<Object> point = environment.declare(variable);
  if (!point || environment.countOf(*point) != extents.size())
    return false;
  for (auto [index, name] : llvm::enumerate(names))
    environment[point->first + index].value =
        block->addArgument(builder.getI32Type(), locate(name->getLocation(), name));
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(block);
  llvm::SaveAndRestore deeper(position.loops, position.loops + 1);
  bool ok = statements.importSequence(loop->getBody());
  environment.restore(outside);
  return ok && scope.closeScope(block);
}
