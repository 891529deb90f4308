//===- ImportContents.cpp - Initial contents of objects -------------------===//
//
// An expression that computes a struct or an array gives one value for each slot;
// `{a, b}`, constructors and lambdas are taken apart down to them.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;

bool KernelImporter::importContents(const Expr *expr, Contents &contents) {
  QualType type = expr->getType();
  if (types.isValue(type)) {
    mlir::Value value;
    if (types.isGlobal(type))
      value = importTensor(expr);
    else if (types.scalar(type))
      value = importScalar(expr);
    else
      value = importTile(expr);
    if (value)
      contents.push_back(value);
    return bool(value);
  }
  expr = peel(expr);
  if (auto *conditional = dyn_cast<ConditionalOperator>(expr))
    return importChoice(conditional, contents);
  if (expr->isGLValue()) {
    std::optional<Object> object = importObject(expr);
    return object && checkNotOfScope(*object, expr) && copy(*object, contents);
  }
  if (auto *call = dyn_cast<CallExpr>(expr)) {
    if (!isInlined(call->getCalleeDecl()))
      return refuse(call);
    std::optional<Returned> returned = importCall(call);
    if (!returned)
      return false;
    contents.append(returned->contents);
    return true;
  }
  // The rest fills an object part by part.
  if (!layout.count(type, expr->getExprLoc()))
    return false;
  const unsigned mark = slots.size();
  Object object = allocate(nullptr, type);
  if (!importInto(object, expr))
    return false;
  copy(object, contents);
  slots.truncate(mark);
  return true;
}

bool KernelImporter::importInto(Object object, const Expr *init) {
  const Expr *peeled = peel(init);
  if (types.isValue(object.type)) {
    if (isa<ImplicitValueInitExpr, CXXScalarValueInitExpr>(peeled))
      return fillWithZeros(object, locate(init->getExprLoc()));
    // `rt<float, 64, 64> acc;` calls the constructor without arguments: no value yet.
    if (auto *construct = dyn_cast<CXXConstructExpr>(peeled);
        construct && construct->getConstructor()->isDefaultConstructor())
      return true;
    if (auto *list = dyn_cast<InitListExpr>(peeled); list && list->getNumInits() == 0)
      return fillWithZeros(object, locate(init->getExprLoc()));
    Contents contents;
    if (!importContents(init, contents))
      return false;
    write(object, contents.front());
    return true;
  }
  if (auto *list = dyn_cast<InitListExpr>(peeled))
    return list->isTransparent() ? importInto(object, list->getInit(0))
                                 : importElements(object, list);
  if (auto *construct = dyn_cast<CXXConstructExpr>(peeled))
    return importConstructor(object, construct);
  if (auto *lambda = dyn_cast<LambdaExpr>(peeled))
    return importClosure(object, lambda);
  if (isa<ImplicitValueInitExpr, CXXScalarValueInitExpr>(peeled))
    return fillWithZeros(object, locate(init->getExprLoc()));
  if (isa<NoInitExpr>(peeled))
    return true;
  if (auto *loop = dyn_cast<ArrayInitLoopExpr>(peeled)) // the copy of an array
    peeled = loop->getCommonExpr()->getSourceExpr();
  else if (!peeled->isGLValue() && !isa<CallExpr, ConditionalOperator>(peeled))
    return refuse(peeled);
  Contents contents;
  if (!importContents(peeled, contents))
    return false;
  for (auto [index, value] : llvm::enumerate(contents))
    if (value)
      write({layout.typeOf(object.type, index), object.first + unsigned(index)}, value);
  return true;
}

bool KernelImporter::importElements(Object object, const InitListExpr *list) {
  bool ok = true;
  if (auto *array = ast.getAsConstantArrayType(object.type.getNonReferenceType())) {
    const unsigned extent = array->getSize().getLimitedValue();
    for (unsigned i = 0; ok && i < extent; ++i) {
      const Expr *init = i < list->getNumInits() ? list->getInit(i) : list->getArrayFiller();
      ok = !init || importInto(layout.element(object, i), init);
    }
    return ok;
  }
  auto *record = object.type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!record)
    return refuse(list);
  unsigned next = 0;
  for (const CXXBaseSpecifier &base : record->bases())
    if (ok && next < list->getNumInits())
      ok = importInto(layout.base(object, base.getType()->getAsCXXRecordDecl()),
                      list->getInit(next++));
  for (const FieldDecl *field : record->fields())
    if (ok && !field->isUnnamedBitField() && next < list->getNumInits())
      ok = importInto(layout.field(object, field), list->getInit(next++));
  return ok;
}

bool KernelImporter::importConstructor(Object object, const CXXConstructExpr *construct) {
  const CXXConstructorDecl *constructor = construct->getConstructor();
  if (construct->requiresZeroInitialization() &&
      !fillWithZeros(object, locate(construct->getExprLoc())))
    return false;
  if (constructor->isTrivial() && constructor->isDefaultConstructor()) {
    // Of an array too; its elements have no value yet.
    return true;
  }
  if (auto *array = ast.getAsConstantArrayType(object.type)) {
    const unsigned extent = array->getSize().getLimitedValue();
    for (unsigned i = 0; i < extent; ++i)
      if (!importConstructor(layout.element(object, i), construct))
        return false;
    return true;
  }
  const FunctionDecl *definition = nullptr;
  if (constructor->isDefaulted() && constructor->isCopyOrMoveConstructor()) {
    Contents contents;
    if (!importContents(construct->getArg(0), contents))
      return false;
    for (auto [index, value] : llvm::enumerate(contents))
      slots[object.first + index].value = value;
    return true;
  }
  if (!constructor->isDefined(definition))
    return refuse(construct);
  return enter(definition, llvm::ArrayRef(construct->getArgs(), construct->getNumArgs()), object,
               construct->getExprLoc())
      .has_value();
}

bool KernelImporter::importClosure(Object object, const LambdaExpr *lambda) {
  auto field = lambda->getLambdaClass()->field_begin();
  for (auto [capture, init] : llvm::zip(lambda->captures(), lambda->capture_inits())) {
    const FieldDecl *held = *field++;
    if (capture.capturesThis() && capture.getCaptureKind() == LCK_This)
      return refuse(lambda);
    if (!held->getType()->isReferenceType() && !importInto(layout.field(object, held), init))
      return false;
  }
  return true;
}

bool KernelImporter::importChoice(const ConditionalOperator *conditional, Contents &contents) {
  mlir::Value condition = importScalar(conditional->getCond());
  if (!condition)
    return false;
  if (std::optional<int64_t> decided = constantOf(condition))
    return importContents(*decided ? conditional->getTrueExpr() : conditional->getFalseExpr(),
                          contents);
  const unsigned mark = slots.size();
  Object object = allocate(nullptr, conditional->getType());
  auto choose = [&](const Expr *expr) {
    return [this, object, expr] {
      Contents chosen;
      if (!importContents(expr, chosen))
        return false;
      for (auto [index, value] : llvm::enumerate(chosen))
        slots[object.first + index].value = value;
      return true;
    };
  };
  if (!importBranches(condition, conditional->getQuestionLoc(), choose(conditional->getTrueExpr()),
                      choose(conditional->getFalseExpr())))
    return false;
  copy(object, contents);
  slots.truncate(mark);
  return true;
}

/// C++ makes what `{}` initialises zero.
bool KernelImporter::fillWithZeros(Object object, mlir::Location loc) {
  for (unsigned i = 0, count = countOf(object); i < count; ++i) {
    QualType type = layout.typeOf(object.type, i);
    if (mlir::Type scalar = types.scalar(type))
      write({type, object.first + i},
            constant(cast<mlir::TypedAttr>(builder.getZeroAttr(scalar)), loc));
    else if (auto tile = dyn_cast_or_null<tk::TileType>(types.value(type, SourceLocation()));
             tile && tile.isRegister() && isa<mlir::FloatType>(tile.getElementType()))
      write({type, object.first + i},
            builder.create<tk::FillOp>(
                loc, tile, constant(builder.getFloatAttr(tile.getElementType(), 0.0), loc)));
  }
  return true;
}
