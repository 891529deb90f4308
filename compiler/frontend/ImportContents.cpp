//===- ImportContents.cpp - Initial contents of objects -------------------===//
//
// `{a, b}`, constructors and lambdas are taken apart down to their values.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportObjects.h"

#include "frontend/ImportBuiltins.h"
#include "frontend/ImportFunctions.h"
#include "frontend/ImportScalars.h"
#include "frontend/ImportScopes.h"
#include "frontend/ImportStatements.h"
#include "frontend/ImportTensors.h"

using namespace clang;
using namespace tkc;

std::optional<Contents> ObjectImporter::importContents(const Expr *expr) {
  QualType type = expr->getType();
  if (types.isValue(type)) {
    mlir::Value value;
    if (types.isGlobal(type))
      value = tensors.importTensor(expr);
    else if (types.scalar(type))
      value = scalars.importScalar(expr);
    else
      value = builtins.importValue(expr);
    return value ? std::optional(Contents{value}) : std::nullopt;
  }
  expr = peel(expr);
  if (auto *conditional = dyn_cast<ConditionalOperator>(expr))
    return importChoice(conditional);
  if (expr->isGLValue()) {
    std::optional<Object> object = importObject(expr);
    if (!object || !scope.checkNotOfScope(*object, expr))
      return std::nullopt;
    return environment.copy(*object);
  }
  if (auto *call = dyn_cast<CallExpr>(expr)) {
    if (!functions.isInlined(call->getCalleeDecl()))
      return refuse(call), std::nullopt;
    std::optional<FunctionImporter::Returned> returned = functions.importCall(call);
    return returned ? std::optional(returned->contents) : std::nullopt;
  }
  // The rest fills an object part by part.
  if (!layout.count(type, expr->getExprLoc()))
    return std::nullopt;
  const unsigned mark = environment.size();
  Object object = environment.allocate(nullptr, type);
  if (!importInto(object, expr))
    return std::nullopt;
  Contents contents = environment.copy(object);
  environment.truncate(mark);
  return contents;
}

bool ObjectImporter::importInto(Object object, const Expr *init) {
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
    std::optional<Contents> contents = importContents(init);
    if (contents)
      environment.write(object, contents->front());
    return contents.has_value();
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
  std::optional<Contents> contents = importContents(peeled);
  if (!contents)
    return false;
  for (auto [index, value] : llvm::enumerate(*contents))
    if (value)
      environment.write({layout.typeOf(object.type, index), object.first + unsigned(index)}, value);
  return true;
}

bool ObjectImporter::importElements(Object object, const InitListExpr *list) {
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

bool ObjectImporter::importConstructor(Object object, const CXXConstructExpr *construct) {
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
    std::optional<Contents> contents = importContents(construct->getArg(0));
    if (contents)
      environment.fill(object, *contents);
    return contents.has_value();
  }
  if (!constructor->isDefined(definition))
    return refuse(construct);
  return functions
      .enter(definition, llvm::ArrayRef(construct->getArgs(), construct->getNumArgs()), object,
             construct->getExprLoc())
      .has_value();
}

bool ObjectImporter::importClosure(Object object, const LambdaExpr *lambda) {
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

std::optional<Contents> ObjectImporter::importChoice(const ConditionalOperator *conditional) {
  mlir::Value condition = scalars.importScalar(conditional->getCond());
  if (!condition)
    return std::nullopt;
  if (std::optional<int64_t> decided = Constants::valueOf(condition))
    return importContents(*decided ? conditional->getTrueExpr() : conditional->getFalseExpr());
  const unsigned mark = environment.size();
  Object object = environment.allocate(nullptr, conditional->getType());
  auto choose = [&](const Expr *expr) {
    return [this, object, expr] {
      std::optional<Contents> chosen = importContents(expr);
      if (chosen)
        environment.fill(object, *chosen);
      return chosen.has_value();
    };
  };
  if (!statements.importBranches(condition, conditional->getQuestionLoc(),
                                 choose(conditional->getTrueExpr()),
                                 choose(conditional->getFalseExpr())))
    return std::nullopt;
  Contents contents = environment.copy(object);
  environment.truncate(mark);
  return contents;
}

/// C++ makes what `{}` initialises zero.
bool ObjectImporter::fillWithZeros(Object object, mlir::Location loc) {
  for (unsigned i = 0, count = environment.countOf(object); i < count; ++i) {
    QualType type = layout.typeOf(object.type, i);
    if (mlir::Type scalar = types.scalar(type))
      environment.write({type, object.first + i},
                        constant(cast<mlir::TypedAttr>(builder.getZeroAttr(scalar)), loc));
    else if (auto tile = dyn_cast_or_null<tk::TileType>(types.value(type, SourceLocation()));
             tile && tile.isRegister() && isa<mlir::FloatType>(tile.getElementType()))
      environment.write(
          {type, object.first + i},
          builder.create<tk::FillOp>(
              loc, tile, constant(builder.getFloatAttr(tile.getElementType(), 0.0), loc)));
  }
  return true;
}
