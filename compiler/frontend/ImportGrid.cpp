//===- ImportGrid.cpp - The grid loop and its hints -----------------------===//
#include "frontend/ImportKernel.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace tkc;

bool KernelImporter::importGrid(const CXXForRangeStmt *loop) {
  if (loop->getInit())
    return refuse(loop->getInit());
  // The hints are calls around the call of grid(...).
  int64_t swizzle = 0;
  const Expr *range = loop->getRangeInit()->IgnoreUnlessSpelledInSource();
  while (language.findCallee(range) == Word::swizzle) {
    auto *hint = cast<CXXMemberCallExpr>(range);
    std::optional<int64_t> value = importConstant(hint->getArg(0));
    if (!value || *value < 1) {
      error(hint->getArg(0)->getExprLoc(), Message::hint_not_constant)
          << "swizzle" << hint->getArg(0)->getSourceRange();
      return false;
    }
    swizzle = *value;
    range = hint->getImplicitObjectArgument()->IgnoreUnlessSpelledInSource();
  }
  if (language.findCallee(range) != Word::grid) {
    error(range->getExprLoc(), Message::grid_not_direct) << range->getSourceRange();
    return false;
  }
  auto *call = cast<CallExpr>(range);
  if (swizzle && call->getNumArgs() < 2) {
    error(call->getExprLoc(), Message::swizzle_rank) << call->getSourceRange();
    return false;
  }

  llvm::SmallVector<mlir::Value> extents;
  for (const Expr *argument : call->arguments())
    extents.push_back(importScalar(argument));
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

  const llvm::SmallVector<mlir::Value> outside = currentValues();
  auto grid = builder.create<tk::GridOp>(locate(loop->getForLoc()), extents, swizzle);
  mlir::Block *block = &grid.getBody().emplaceBlock();
  std::optional<Object> point = declare(variable);
  if (!point || countOf(*point) != extents.size())
    return false;
  for (auto [index, name] : llvm::enumerate(names))
    slots[point->first + index].value =
        block->addArgument(builder.getI32Type(), locate(name->getLocation(), name));
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(block);
  llvm::SaveAndRestore deeper(loops, loops + 1);
  bool ok = importSequence(loop->getBody());
  restore(outside);
  return ok;
}
