//===- ImportScopes.cpp - Loops of a constant number of steps -------------===//
//
// An unrolled loop is imported step by step, with its variable a constant, so
// that it may index arrays.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportKernel.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace tkc;

bool KernelImporter::importConstantRange(const CXXForRangeStmt *loop, const Expr *range) {
  std::optional<Word> word = language.findCallee(range);
  if (word != Word::unrolled)
    return refuse(range);
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
  return importUnrolled(loop, *count);
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
  if (!array)
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
