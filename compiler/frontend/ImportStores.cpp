//===- ImportStores.cpp - To tensors and shared memory --------------------===//
//
// A write to shared memory makes a new value of the same bytes, which begin as a
// tk.alloc.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportObjects.h"
#include "frontend/ImportScopes.h"
#include "frontend/ImportTensors.h"
#include "frontend/SharedValues.h"
#include "frontend/TransferPlaces.h"

using namespace clang;
using namespace tkc;

/// The cache policy of `store(tensor, at, value, policy)`; null for stores without one. False after
/// an error.
static bool importPolicy(BuiltinCall &builtin, mlir::Value tensor, bool isTile,
                         tk::CachePolicyAttr &policy) {
  if (builtin.operands.size() < 3)
    return true;
  const Expr *expr = builtin.operands[2];
  if (!isTile || cast<tk::GlobalType>(tensor.getType()).getInFragments()) {
    builtin.error(expr, Message::policy_of_threads) << unsigned(isTile) << expr->getSourceRange();
    return false;
  }
  std::optional<tk::CachePolicy> known = importCachePolicy(builtin, expr, /*isStore=*/true);
  if (known)
    policy = tk::CachePolicyAttr::get(builtin.builder.getContext(), *known);
  return known.has_value();
}

/// store(tensor, at, value) and store_add
bool tkc::importStore(BuiltinCall &builtin) {
  const bool isTile = builtin.types.isTile(builtin.operands[1]->getType());
  Indices indices;
  mlir::Value tensor =
      importTensorAt(builtin, builtin.destination, builtin.operands[0], isTile, indices);
  Operand value = builtin.importOperand(builtin.operands[1]);
  if (!tensor || !value || !checkCombined(builtin, tensor) ||
      !builtin.tensors.checkPart(tensor, value.type(), /*isStored=*/true, builtin.destination))
    return false;
  tk::CachePolicyAttr policy;
  if (!importPolicy(builtin, tensor, isTile, policy))
    return false;
  mlir::Location loc = builtin.locate();
  mlir::Type element = cast<tk::GlobalType>(tensor.getType()).getElementType();
  mlir::Type from = value.elements().getElementType();
  mlir::Value stored = value.value;
  if (isShared(value.type()) && from != element)
    stored = builtin.builder.create<tk::ReadOp>(loc, inRegisters(value.type()), stored,
                                                mlir::ValueRange());
  // A store rounds `float`; everything else is converted before.
  if (from != element && !(from.isF32() && isa<mlir::FloatType>(element)))
    stored = builtin.convert(stored, element, loc);
  mlir::OpBuilder::InsertionGuard guard(builtin.builder);
  if (mlir::Value isMeant = builtin.scope.createIsMeant(loc)) {
    auto branch = builtin.builder.create<mlir::scf::IfOp>(loc, isMeant, /*withElseRegion=*/false);
    builtin.builder.setInsertionPoint(branch.thenYield());
  }
  builtin.builder.create<tk::StoreOp>(loc, tensor, indices, stored,
                                      /*accumulate=*/builtin.word == Word::store_add, policy);
  return true;
}

/// store(shared, value) and store(shared, at, value)
mlir::Value tkc::importSharedStore(BuiltinCall &builtin) {
  const Expr *valueExpr = builtin.operands.back();
  const Expr *placeExpr = builtin.operands.size() > 1 ? builtin.operands.front() : nullptr;
  auto type = dyn_cast_or_null<tk::ElementsInterface>(builtin.importType());
  Operand value = builtin.importRegisters(valueExpr);
  std::optional<CommonElement> element = builtin.objects.findCommonElement(builtin.destination);
  std::optional<Object> object =
      element ? element->whole : builtin.objects.importObject(builtin.destination);
  if (!type || !value || !object)
    return {};
  mlir::Location loc = builtin.locate();
  // A tile that came from a tensor stays as it is: these are other bytes.
  mlir::Value known = builtin.environment[object->first].value, before = known;
  const bool isWritten =
      known && isWrittenMemory(known) && (placeExpr || element || !isa<mlir::BlockArgument>(known));
  mlir::Type wholeType = element ? element->wholeType : type;
  if (!isWritten)
    before = createAlloc(
        builtin.builder,
        mlir::NameLoc::get(builtin.builder.getStringAttr(builtin.environment.nameOf(object->first)),
                           loc),
        wholeType);
  Operand whole{builtin.destination, before};
  if (!checkSharedMove(builtin, value.elements(), whole))
    return {};
  Indices indices;
  if (!importPart(builtin, placeExpr, type, builtin.destination, value.type(), indices))
    return {};
  if (element)
    placeInWhole(builtin.builder, loc, *element, value.type(), indices);
  if (!indices.empty() && known && known != before) {
    builtin.error(builtin.destination, Message::part_of_loaded)
        << builtin.destination->getSourceRange();
    builtin.noteDeclaration(builtin.destination);
    return {};
  }
  mlir::Value converted = builtin.convert(value.value, type.getElementType(), loc);
  converted =
      builtin.inLayoutOf(inRows(cast<tk::ElementsInterface>(converted.getType())), converted, loc);
  return builtin.builder.create<tk::WriteOp>(loc, wholeType, converted, before, indices);
}
