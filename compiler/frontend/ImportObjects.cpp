//===- ImportObjects.cpp - Variables, their parts and their contents ------===//
//
// An expression that names something in memory (an lvalue of C++) becomes an
// Object, a range of slots; a reference is one more name for such a range.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

Object KernelImporter::allocate(const ValueDecl *variable, QualType type) {
  Object object{type, unsigned(slots.size())};
  slots.append(countOf(object), Slot{{}, variable, type, object.first});
  for (unsigned slot = object.first; variable && slot < slots.size(); ++slot)
    parameters.noteVariable(nameOf(slot), type);
  return object;
}

std::optional<Object> KernelImporter::declare(const ValueDecl *variable) {
  if (!layout.count(variable->getType(), variable->getLocation()))
    return std::nullopt;
  broken.erase(variable);
  return objects[variable] = allocate(variable, variable->getType());
}

unsigned KernelImporter::countOf(Object object) {
  return layout.count(object.type, SourceLocation()).value_or(0);
}

std::string KernelImporter::spellingOf(unsigned slot) {
  const Slot &known = slots[slot];
  return (known.variable ? getName(known.variable).str() : "this") +
         layout.pathOf(known.type, slot - known.first);
}

std::string KernelImporter::nameOf(unsigned slot) {
  const Slot &known = slots[slot];
  return getName(known.variable).str() + layout.suffixOf(known.type, slot - known.first);
}

bool KernelImporter::isShared(mlir::Type type) {
  auto tile = dyn_cast<tk::TileType>(type);
  auto vector = dyn_cast<tk::TileVectorType>(type);
  return (tile && tile.isShared()) || (vector && vector.isShared());
}

llvm::SmallVector<mlir::Value> KernelImporter::currentValues() const {
  return llvm::map_to_vector(slots, [](const Slot &slot) { return slot.value; });
}

void KernelImporter::restore(llvm::ArrayRef<mlir::Value> values) {
  slots.truncate(values.size());
  for (auto [slot, value] : llvm::zip(slots, values))
    slot.value = value;
}

mlir::Value KernelImporter::read(Object object, const Expr *place) {
  const Slot &slot = slots[object.first];
  if (slot.value)
    return slot.value;
  if (slot.variable && !broken.insert(slot.variable).second)
    return {}; // said once
  error(place->getExprLoc(), slot.lost.isValid() ? Message::shared_lost : Message::no_value)
      << spellingOf(object.first) << place->getSourceRange();
  if (slot.lost.isValid())
    error(slot.lost, Message::note_lost);
  if (slot.variable)
    error(slot.variable->getLocation(), Message::note_declared) << slot.variable;
  return {};
}

void KernelImporter::write(Object object, mlir::Value value) {
  Slot &slot = slots[object.first];
  noteWrite(object.first, value);
  slot.value = value;
  if (!slot.variable || getName(slot.variable).empty())
    return;
  // The value carries the user's name, unless it is another variable's or a shared constant.
  mlir::Operation *op = value.getDefiningOp();
  if (op && op->getNumResults() == 1 && !isa<mlir::arith::ConstantOp>(op) &&
      !isa<mlir::NameLoc>(op->getLoc()))
    op->setLoc(mlir::NameLoc::get(builder.getStringAttr(nameOf(object.first)), op->getLoc()));
}

bool KernelImporter::assignTo(const Expr *target, mlir::Value value) {
  std::optional<Object> object = importObject(target);
  if (!object)
    return false;
  write(*object, value);
  return true;
}

bool KernelImporter::copy(Object from, Contents &contents) {
  for (unsigned i = 0, count = countOf(from); i < count; ++i)
    contents.push_back(slots[from.first + i].value);
  return true;
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// The operand of an expression that keeps type and value: a copy, parentheses, casts in name only.
static const Expr *stepThrough(const Expr *expr) {
  if (auto *full = dyn_cast<FullExpr>(expr))
    return full->getSubExpr();
  if (auto *bound = dyn_cast<CXXBindTemporaryExpr>(expr))
    return bound->getSubExpr();
  if (auto *argument = dyn_cast<CXXDefaultArgExpr>(expr))
    return argument->getExpr();
  if (auto *init = dyn_cast<CXXDefaultInitExpr>(expr))
    return init->getExpr();
  if (auto *parameter = dyn_cast<SubstNonTypeTemplateParmExpr>(expr))
    return parameter->getReplacement();
  if (auto *cast = dyn_cast<CastExpr>(expr))
    if (cast->getCastKind() == CK_NoOp || cast->getCastKind() == CK_LValueToRValue ||
        cast->getCastKind() == CK_ConstructorConversion ||
        cast->getCastKind() == CK_UserDefinedConversion)
      return cast->getSubExpr();
  return expr->IgnoreParens();
}

const Expr *KernelImporter::peel(const Expr *expr) {
  while (true) {
    const Expr *inner = stepThrough(expr);
    if (auto *temporary = dyn_cast<MaterializeTemporaryExpr>(inner))
      inner = temporary->getSubExpr();
    if (auto *construct = dyn_cast<CXXConstructExpr>(inner);
        construct && construct->getConstructor()->isCopyOrMoveConstructor() &&
        construct->getConstructor()->isTrivial() && construct->getNumArgs() == 1)
      inner = construct->getArg(0);
    if (inner == expr)
      return expr;
    expr = inner;
  }
}

std::optional<Object> KernelImporter::importObject(const Expr *expr) {
  for (const Expr *inner = stepThrough(expr); inner != expr; inner = stepThrough(expr))
    expr = inner;
  if (auto *temporaryExpr = dyn_cast<MaterializeTemporaryExpr>(expr))
    return temporary(temporaryExpr->getSubExpr());
  if (auto *reference = dyn_cast<DeclRefExpr>(expr))
    return objectOf(reference->getDecl(), reference);
  if (auto *member = dyn_cast<MemberExpr>(expr))
    return importMember(member);
  if (auto *subscript = dyn_cast<ArraySubscriptExpr>(expr))
    return importElement(subscript);
  if (expr->isPRValue())
    return temporary(expr);
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
      isa<CXXThisExpr>(unary->getSubExpr()->IgnoreParenImpCasts()) && !calls.empty() &&
      calls.back().self)
    return calls.back().self;
  if (auto *conditional = dyn_cast<ConditionalOperator>(expr))
    if (std::optional<int64_t> decided = importConstant(conditional->getCond()))
      return importObject(*decided ? conditional->getTrueExpr() : conditional->getFalseExpr());
  if (auto *call = dyn_cast<CallExpr>(expr)) {
    if (isPlainAssignment(call))
      return importExpressionStatement(call)
                 ? importObject(cast<CXXOperatorCallExpr>(call)->getArg(0))
                 : std::nullopt;
    if (isInlined(call->getCalleeDecl())) {
      std::optional<Returned> returned = importCall(call);
      return returned ? returned->object : std::nullopt;
    }
    // A builtin that gives back its destination, as `a += b` does.
    if (isa<CXXOperatorCallExpr>(call) && importExpressionStatement(call))
      return importObject(call->getArg(0));
    if (isa<CXXOperatorCallExpr>(call))
      return std::nullopt;
  }
  refuse(expr);
  return std::nullopt;
}

std::optional<Object> KernelImporter::temporary(const Expr *expr) {
  if (!layout.count(expr->getType(), expr->getExprLoc()))
    return std::nullopt;
  Contents contents;
  if (!importContents(expr, contents))
    return std::nullopt;
  Object object = allocate(nullptr, expr->getType());
  for (auto [index, value] : llvm::enumerate(contents))
    slots[object.first + index].value = value;
  return object;
}

std::optional<Object> KernelImporter::objectOf(const ValueDecl *variable, const Expr *place) {
  if (broken.contains(variable))
    return std::nullopt;
  if (auto known = objects.find(variable); known != objects.end())
    return known->second;
  if (auto *binding = dyn_cast<BindingDecl>(variable)) {
    if (broken.contains(cast<ValueDecl>(binding->getDecomposedDecl())))
      return std::nullopt;
    if (const Expr *part = binding->getBinding(); part && !binding->getHoldingVar())
      return importObject(part);
  }
  // A constant of structs or an array of constants, of the file or of a class.
  if (auto *constant = dyn_cast<VarDecl>(variable);
      constant && constant->getType().isConstQualified() && constant->getAnyInitializer() &&
      !constant->hasLocalStorage())
    return temporary(constant->getAnyInitializer());
  error(place->getExprLoc(), Message::outside_variable) << variable << place->getSourceRange();
  error(variable->getLocation(), Message::note_declared) << variable;
  return std::nullopt;
}

std::optional<Object> KernelImporter::importMember(const MemberExpr *member) {
  const ValueDecl *decl = member->getMemberDecl();
  auto *field = dyn_cast<FieldDecl>(decl);
  if (!field)
    return objectOf(decl, member); // a static member
  std::optional<Object> object;
  if (!member->isArrow())
    object = importObject(member->getBase());
  else if (isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()) && !calls.empty())
    object = calls.back().self;
  else
    return refuse(member), std::nullopt;
  // `this` of a base class: the object's type is the class that the function was called on.
  if (object && !layout.count(object->type, member->getExprLoc()))
    return std::nullopt;
  return object ? std::optional(layout.field(*object, field)) : std::nullopt;
}

std::optional<Object> KernelImporter::importElement(const ArraySubscriptExpr *subscript) {
  const Expr *base = subscript->getBase()->IgnoreParenImpCasts();
  if (!base->getType()->isArrayType())
    return refuse(subscript), std::nullopt;
  std::optional<Object> array = importObject(base);
  if (!array)
    return std::nullopt;
  const Expr *indexExpr = subscript->getIdx();
  mlir::Value value = importScalar(indexExpr);
  if (!value)
    return std::nullopt;
  const int64_t extent =
      cast<ConstantArrayType>(ast.getAsArrayType(base->getType()))->getSize().getLimitedValue();
  std::optional<int64_t> index = constantOf(value);
  const bool isScope = scope.op && value == scope.number;
  if (!index && !isScope) {
    error(indexExpr->getExprLoc(), Message::index_at_run_time)
        << types.isTile(subscript->getType()) << indexExpr->getSourceRange();
    noteDeclaration(base);
    return std::nullopt;
  }
  const auto wanted = isScope ? Slot::by_scope : Slot::by_constant;
  llvm::MutableArrayRef<Slot> elements(&slots[array->first], countOf(*array));
  if (llvm::any_of(elements, [&](const Slot &slot) {
        return slot.indexing != Slot::none && slot.indexing != wanted;
      })) {
    error(indexExpr->getExprLoc(), Message::index_mixed) << indexExpr->getSourceRange();
    noteDeclaration(base);
    return std::nullopt;
  }
  std::optional<Object> own;
  if (isScope && !(own = importOwnElement(*array, extent, subscript)))
    return std::nullopt;
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
