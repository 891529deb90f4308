//===- ImportObjects.cpp - Variables, their parts and their contents ------===//
#include "frontend/ImportObjects.h"

#include "frontend/ImportFunctions.h"
#include "frontend/ImportScalars.h"
#include "frontend/ImportScopes.h"
#include "frontend/ImportStatements.h"

using namespace clang;
using namespace tkc;

std::optional<Object> ObjectImporter::importObject(const Expr *expr) {
  for (const Expr *inner = stepThrough(expr); inner != expr; inner = stepThrough(expr))
    expr = inner;
  if (auto *temporaryExpr = dyn_cast<MaterializeTemporaryExpr>(expr))
    return createTemporary(temporaryExpr->getSubExpr());
  if (auto *reference = dyn_cast<DeclRefExpr>(expr))
    return importName(reference->getDecl(), reference);
  if (auto *member = dyn_cast<MemberExpr>(expr))
    return importMember(member);
  if (auto *subscript = dyn_cast<ArraySubscriptExpr>(expr))
    return importElement(subscript);
  if (expr->isPRValue())
    return createTemporary(expr);
  if (auto *cast = dyn_cast<CastExpr>(expr);
      cast && (cast->getCastKind() == CK_DerivedToBase ||
               cast->getCastKind() == CK_UncheckedDerivedToBase)) {
    std::optional<Object> object = importObject(cast->getSubExpr());
    for (const CXXBaseSpecifier *base : cast->path())
      if (object)
        object = layout.base(*object, base->getType()->getAsCXXRecordDecl());
    return object;
  }
  if (auto *unary = dyn_cast<UnaryOperator>(expr);
      unary && unary->getOpcode() == UO_Deref &&
      isa<CXXThisExpr>(unary->getSubExpr()->IgnoreParenImpCasts()) && functions.self())
    return functions.self();
  if (auto *conditional = dyn_cast<ConditionalOperator>(expr))
    if (std::optional<int64_t> decided = scalars.importConstant(conditional->getCond()))
      return importObject(*decided ? conditional->getTrueExpr() : conditional->getFalseExpr());
  if (auto *call = dyn_cast<CallExpr>(expr))
    return importResult(call);
  refuse(expr);
  return std::nullopt;
}

std::optional<Object> ObjectImporter::importResult(const CallExpr *call) {
  if (!isPlainAssignment(call) && functions.isInlined(call->getCalleeDecl())) {
    std::optional<FunctionImporter::Returned> returned = functions.importCall(call);
    return returned ? returned->object : std::nullopt;
  }
  // An assignment, or a builtin that gives back its destination, as `a += b` does.
  if (isa<CXXOperatorCallExpr>(call))
    return statements.importExpressionStatement(call) ? importObject(call->getArg(0))
                                                      : std::nullopt;
  refuse(call);
  return std::nullopt;
}

mlir::Value ObjectImporter::importVariable(const Expr *expr) {
  std::optional<Object> object = importObject(expr);
  return object ? environment.read(*object, expr) : mlir::Value();
}

bool ObjectImporter::assign(const Expr *target, mlir::Value value) {
  std::optional<CommonElement> element = findCommonElement(target);
  std::optional<Object> object = element ? element->whole : importObject(target);
  if (object)
    environment.write(*object, value);
  return object.has_value();
}

std::optional<Object> ObjectImporter::createTemporary(const Expr *expr) {
  if (!layout.count(expr->getType(), expr->getExprLoc()))
    return std::nullopt;
  std::optional<Contents> contents = importContents(expr);
  if (!contents)
    return std::nullopt;
  Object object = environment.allocate(nullptr, expr->getType());
  environment.fill(object, *contents);
  return object;
}

std::optional<Object> ObjectImporter::importName(const ValueDecl *variable, const Expr *place) {
  if (environment.isBroken(variable))
    return std::nullopt;
  if (std::optional<Object> known = environment.find(variable))
    return known;
  if (auto *binding = dyn_cast<BindingDecl>(variable)) {
    if (environment.isBroken(cast<ValueDecl>(binding->getDecomposedDecl())))
      return std::nullopt;
    if (const Expr *part = binding->getBinding(); part && !binding->getHoldingVar())
      return importObject(part);
  }
  // A constant of structs or an array of constants, of the file or of a class.
  if (auto *constant = dyn_cast<VarDecl>(variable);
      constant && constant->getType().isConstQualified() && constant->getAnyInitializer() &&
      !constant->hasLocalStorage())
    return createTemporary(constant->getAnyInitializer());
  error(place->getExprLoc(), Message::outside_variable) << variable << place->getSourceRange();
  error(variable->getLocation(), Message::note_declared) << variable;
  return std::nullopt;
}

std::optional<Object> ObjectImporter::importMember(const MemberExpr *member) {
  const ValueDecl *decl = member->getMemberDecl();
  auto *field = dyn_cast<FieldDecl>(decl);
  if (!field)
    return importName(decl, member); // a static member
  std::optional<Object> object;
  if (!member->isArrow())
    object = importObject(member->getBase());
  else if (isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()) && functions.isEntered())
    object = functions.self();
  else
    return refuse(member), std::nullopt;
  // `this` of a base class: the object's type is the class that the function was called on.
  if (object && !layout.count(object->type, member->getExprLoc()))
    return std::nullopt;
  return object ? std::optional(layout.field(*object, field)) : std::nullopt;
}

std::optional<Object> ObjectImporter::importElement(const ArraySubscriptExpr *subscript) {
  const Expr *base = subscript->getBase()->IgnoreParenImpCasts();
  if (!base->getType()->isArrayType())
    return refuse(subscript), std::nullopt;
  auto createPart = [&](mlir::Value value) {
    Object part = environment.allocate(nullptr, subscript->getType());
    environment.fill(part, value);
    return part;
  };
  if (std::optional<CommonElement> element = findCommonElement(subscript)) {
    mlir::Value value = readCommonElement(*element, subscript);
    return value ? std::optional(createPart(value)) : std::nullopt;
  }
  if (mlir::Value chosen = readChosenElement(subscript))
    return createPart(chosen);
  std::optional<Object> array = importObject(base);
  if (!array)
    return std::nullopt;
  const Expr *indexExpr = subscript->getIdx();
  mlir::Value value = scalars.importScalar(indexExpr);
  if (!value)
    return std::nullopt;
  const int64_t extent =
      cast<ConstantArrayType>(ast.getAsArrayType(base->getType()))->getSize().getLimitedValue();
  std::optional<int64_t> index = Constants::valueOf(value);
  const bool isScope = scope.isNumber(value);
  if (!index && !isScope) {
    error(indexExpr->getExprLoc(), Message::index_at_run_time)
        << types.isTile(subscript->getType()) << indexExpr->getSourceRange();
    noteDeclaration(base);
    return std::nullopt;
  }
  const auto wanted = isScope ? Slot::ByScope : Slot::ByConstant;
  llvm::MutableArrayRef<Slot> elements = environment.slotsOf(*array);
  if (llvm::any_of(elements, [&](const Slot &slot) {
        return slot.indexing != Slot::None && slot.indexing != wanted;
      })) {
    error(indexExpr->getExprLoc(), Message::index_mixed) << indexExpr->getSourceRange();
    noteDeclaration(base);
    return std::nullopt;
  }
  std::optional<Object> own;
  if (isScope) {
    own = scope.importOwnElement(*array, extent, subscript);
    if (!own)
      return std::nullopt;
  }
  for (Slot &slot : elements)
    slot.indexing = wanted;
  if (isScope)
    return own;
  if (*index < 0 || *index >= extent) {
    error(indexExpr->getExprLoc(), Message::index_out_of_bounds)
        << llvm::Twine(*index).str() << llvm::Twine(extent).str() << indexExpr->getSourceRange();
    noteDeclaration(base);
    return std::nullopt;
  }
  return layout.element(*array, *index);
}
