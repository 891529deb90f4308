//===- ImportConstantLoops.cpp - Loops of a constant number of steps ------===//
//
// An unrolled loop is imported step by step, with its variable a constant, so
// that it may index arrays.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportLoops.h"

#include "frontend/ImportObjects.h"
#include "frontend/ImportScalars.h"
#include "frontend/ImportScopes.h"
#include "frontend/ImportStatements.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace tkc;

bool LoopImporter::importConstantRange(const CXXForRangeStmt *loop, const Expr *range) {
  std::optional<Word> word = language.findCallee(range);
  if (word != Word::unrolled && word != Word::warpgroups && word != Word::warps) {
    error(range->getExprLoc(), Message::range_not_direct) << range->getSourceRange();
    return false;
  }
  const Expr *argument = cast<CallExpr>(range)->getArg(0);
  std::optional<int64_t> count = scalars.importConstant(argument);
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
  return scope.importScope(
      loop, word == Word::warps ? tk::EachWorker::Warp : tk::EachWorker::Warpgroup, *count);
}

bool LoopImporter::importUnrolled(const CXXForRangeStmt *loop, int64_t count) {
  const VarDecl *variable = loop->getLoopVariable();
  llvm::SaveAndRestore deeper(position.loops, position.loops + 1);
  for (int64_t i = 0; i < count; ++i) {
    const unsigned mark = environment.size();
    std::optional<Object> object = environment.declare(variable);
    environment[object->first].value = constant(int32_t(i), locate(variable->getLocation()));
    // An error is said in the first step that has it.
    if (!position.countWork(loop->getForLoc()) || !statements.importSequence(loop->getBody()))
      return false;
    environment.truncate(mark);
  }
  return true;
}

bool LoopImporter::importOverArray(const CXXForRangeStmt *loop) {
  std::optional<Object> array = objects.importObject(loop->getRangeInit());
  if (!array || !scope.checkNotOfScope(*array, loop->getRangeInit()))
    return false;
  const VarDecl *variable = loop->getLoopVariable();
  const unsigned extent =
      ast.getAsConstantArrayType(array->type.getNonReferenceType())->getSize().getLimitedValue();
  llvm::SaveAndRestore deeper(position.loops, position.loops + 1);
  for (unsigned i = 0; i < extent; ++i) {
    const unsigned mark = environment.size();
    Object element = layout.element(*array, i);
    if (variable->getType()->isReferenceType()) {
      environment.declare(variable, element);
    } else {
      std::optional<Object> object = environment.declare(variable);
      for (unsigned slot = 0, count = object ? environment.countOf(*object) : 0; slot < count;
           ++slot)
        environment[object->first + slot].value = environment[element.first + slot].value;
    }
    if (!position.countWork(loop->getForLoc()) || !statements.importSequence(loop->getBody()))
      return false;
    environment.truncate(mark);
  }
  return true;
}
