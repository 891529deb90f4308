//===- Environment.cpp - Variables and their values -----------------------===//
#include "frontend/Environment.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

Object Environment::allocate(const ValueDecl *variable, QualType type) {
  Object object{type, size()};
  slots.append(countOf(object), Slot{{}, variable, type, object.first});
  for (unsigned slot = object.first; variable && slot < slots.size(); ++slot)
    context.parameters.noteVariable(nameOf(slot), type);
  return object;
}

std::optional<Object> Environment::declare(const ValueDecl *variable) {
  if (!layout.count(variable->getType(), variable->getLocation()))
    return std::nullopt;
  Object object = allocate(variable, variable->getType());
  declare(variable, object);
  return object;
}

void Environment::declare(const ValueDecl *variable, Object object) {
  broken.erase(variable);
  objects[variable] = object;
}

std::optional<Object> Environment::find(const ValueDecl *variable) const {
  auto known = objects.find(variable);
  return known == objects.end() ? std::nullopt : std::optional(known->second);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

mlir::Value Environment::read(Object object, const Expr *place) {
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

void Environment::write(Object object, mlir::Value value) {
  Slot &slot = slots[object.first];
  if (slot.variable)
    written.note(slot.variable, spellingOf(object.first), slot.value, value, position.statement);
  slot.value = value;
  if (!slot.variable || getName(slot.variable).empty())
    return;
  // The value carries the user's name, unless it is another variable's or a shared constant.
  mlir::Operation *op = value.getDefiningOp();
  if (op && op->getNumResults() == 1 && !isa<mlir::arith::ConstantOp>(op) &&
      !isa<mlir::NameLoc>(op->getLoc()))
    op->setLoc(mlir::NameLoc::get(builder.getStringAttr(nameOf(object.first)), op->getLoc()));
}

Contents Environment::copy(Object object) const {
  Contents contents;
  for (unsigned i = 0, count = countOf(object); i < count; ++i)
    contents.push_back(slots[object.first + i].value);
  return contents;
}

void Environment::fill(Object object, llvm::ArrayRef<mlir::Value> contents) {
  for (auto [index, value] : llvm::enumerate(contents))
    slots[object.first + index].value = value;
}

unsigned Environment::countOf(Object object) const {
  return layout.count(object.type, SourceLocation()).value_or(0);
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

llvm::MutableArrayRef<Slot> Environment::slotsOf(Object object) {
  return llvm::MutableArrayRef(slots).slice(object.first, countOf(object));
}

llvm::SmallVector<mlir::Value> Environment::currentValues() const {
  return llvm::map_to_vector(slots, [](const Slot &slot) { return slot.value; });
}

void Environment::restore(llvm::ArrayRef<mlir::Value> values) {
  slots.truncate(values.size());
  for (auto [slot, value] : llvm::zip(slots, values))
    slot.value = value;
}

std::string Environment::spellingOf(unsigned slot) const {
  const Slot &known = slots[slot];
  return (known.variable ? getName(known.variable).str() : "this") +
         layout.pathOf(known.type, slot - known.first);
}

std::string Environment::nameOf(unsigned slot) const {
  const Slot &known = slots[slot];
  return getName(known.variable).str() + layout.suffixOf(known.type, slot - known.first);
}

//===----------------------------------------------------------------------===//
// Lambdas over elements
//===----------------------------------------------------------------------===//

mlir::Value Environment::inLambda(llvm::function_ref<mlir::Value()> body) {
  llvm::SaveAndRestore<std::optional<unsigned>> inside(lambdaMark, size());
  return body();
}

bool Environment::mayChange(Object object, const Expr *place) {
  if (!inLambda() || object.first >= *lambdaMark)
    return true;
  error(place->getExprLoc(), Message::lambda_assigns)
      << spellingOf(object.first) << place->getSourceRange();
  noteDeclaration(place);
  return false;
}
