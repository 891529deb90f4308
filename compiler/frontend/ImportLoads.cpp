//===- ImportLoads.cpp - From tensors and shared memory -------------------===//
//
// Shared memory is on the way from a tensor to registers: a register tile that is
// loaded is a tk.load and a tk.read.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportObjects.h"
#include "frontend/ImportScalars.h"
#include "frontend/ImportTensors.h"
#include "frontend/SharedValues.h"
#include "frontend/TransferPlaces.h"

using namespace clang;
using namespace tkc;

/// The call of `load` in the initial value of a tile.
static const Expr *callOf(const BuiltinCall &builtin) {
  if (auto *construct = dyn_cast<CXXConstructExpr>(builtin.expr))
    if (construct->getNumArgs() == 1)
      return peel(construct->getArg(0));
  return builtin.expr;
}

/// The source and the place in it of `x = load(from, at)` and `load(x, from, at)`.
static std::pair<const Expr *, const Expr *> sourceOf(const BuiltinCall &builtin) {
  llvm::ArrayRef<const Expr *> operands = builtin.operands;
  if (auto *construct = dyn_cast<CXXConstructExpr>(builtin.expr)) {
    auto *call = dyn_cast<CallExpr>(peel(construct->getArg(0)));
    if (!call || call->getNumArgs() == 0 || isa<CXXOperatorCallExpr>(call))
      return {};
    return {call->getArg(0), call->getNumArgs() > 1 ? call->getArg(1) : nullptr};
  }
  return {operands[0], operands.size() > 1 ? operands[1] : nullptr};
}

/// The cache policy of `load(from, at, policy)`; null for loads without one. False after an error.
static bool importPolicy(BuiltinCall &builtin, tk::CachePolicyAttr &policy) {
  auto *call = dyn_cast<CallExpr>(peel(callOf(builtin)));
  if (builtin.destination || !call || call->getNumArgs() < 3)
    return true;
  std::optional<tk::CachePolicy> known =
      importCachePolicy(builtin, call->getArg(2), /*isStore=*/false);
  if (!known)
    return false;
  if (*known != tk::CachePolicy::Normal)
    policy = tk::CachePolicyAttr::get(builtin.builder.getContext(), *known);
  return true;
}

/// Says that what initialises a tile is no load, or no gather.
static mlir::Value refuseSource(BuiltinCall &builtin) {
  auto *construct = dyn_cast<CXXConstructExpr>(builtin.expr);
  if (auto *op = construct ? dyn_cast<CXXOperatorCallExpr>(peel(construct->getArg(0))) : nullptr)
    builtin.refuse(op); // `load(...) * 2`
  else
    builtin.error(builtin.expr, Message::load_not_direct)
        << unsigned(builtin.word == Word::gathered) << builtin.expr->getSourceRange();
  return {};
}

static tk::ElementsInterface inShared(tk::ElementsInterface type, mlir::Type element) {
  if (auto tile = dyn_cast<tk::TileType>(type))
    return tk::TileType::get(type.getContext(), tile.getRows(), tile.getCols(), element,
                             tk::Space::Shared, tk::Layout::None);
  return tk::TileVectorType::get(type.getContext(), cast<tk::TileVectorType>(type).getLength(),
                                 element, tk::Space::Shared, tk::Orientation::None);
}

/// The rows of a tile from several pages are as many from each, whole swizzle patterns.
static bool checkPages(BuiltinCall &builtin, mlir::Value tensor, tk::ElementsInterface type,
                       int64_t indices, const Expr *place) {
  const int64_t pages = indices - cast<tk::GlobalType>(tensor.getType()).getRank() + 1;
  if (pages == 1 || type.getRows() % (8 * pages) == 0)
    return true;
  builtin.error(place, Message::pages_rows)
      << unsigned(type.getRows()) << unsigned(pages) << place->getSourceRange();
  return false;
}

/// The place of each page after that of the one before: of all, `indices` has one number of the
/// first dimension for each, then those that they share.
static Indices placesOfPages(const Indices &indices, int64_t rank) {
  const size_t pages = indices.size() - rank + 1;
  Indices places;
  for (size_t page = 0; page < pages; ++page) {
    places.push_back(indices[page]);
    llvm::append_range(places, llvm::ArrayRef(indices).drop_front(pages));
  }
  return places;
}

mlir::Value tkc::importLoad(BuiltinCall &builtin) {
  auto type = dyn_cast_or_null<tk::ElementsInterface>(builtin.importType());
  auto [tensorExpr, placeExpr] = sourceOf(builtin);
  if (!type)
    return {};
  if (!tensorExpr)
    return refuseSource(builtin);
  Indices indices;
  mlir::Value tensor =
      importTensorAt(builtin, tensorExpr, placeExpr, /*forTile=*/isa<tk::TileType>(type), indices);
  if (!tensor)
    return {};
  if (!builtin.tensors.checkPart(tensor, type, /*isStored=*/false, tensorExpr) ||
      !checkPages(builtin, tensor, type, indices.size(), placeExpr))
    return {};
  mlir::Type element = cast<tk::GlobalType>(tensor.getType()).getElementType();
  mlir::Location loc = builtin.locate(callOf(builtin));
  if (isShared(type) && type.getElementType() != element) {
    builtin.error(callOf(builtin), Message::load_converts)
        << spell(element) << spell(type.getElementType()) << unsigned(type.isVector())
        << callOf(builtin)->getSourceRange();
    builtin.noteDeclaration(tensorExpr);
    return {};
  }
  tk::CachePolicyAttr policy;
  if (!importPolicy(builtin, policy))
    return {};
  auto loaded = builtin.builder.create<tk::LoadOp>(
      loc, inShared(type, element), tensor,
      placesOfPages(indices, cast<tk::GlobalType>(tensor.getType()).getRank()));
  loaded.setPolicyAttr(policy);
  if (isShared(type))
    return loaded.getResult();
  mlir::Value read = builtin.builder.create<tk::ReadOp>(loc, inRows(type).withElementType(element),
                                                        loaded, mlir::ValueRange());
  return builtin.inLayoutOf(type, builtin.convert(read, type.getElementType(), loc), loc);
}

mlir::Value tkc::importSharedLoad(BuiltinCall &builtin) {
  auto type = dyn_cast_or_null<tk::ElementsInterface>(builtin.importType());
  auto [sharedExpr, placeExpr] = sourceOf(builtin);
  if (!type)
    return {};
  if (!sharedExpr)
    return refuseSource(builtin);
  std::optional<CommonElement> element = builtin.objects.findCommonElement(sharedExpr);
  Operand shared = element ? Operand{sharedExpr, builtin.objects.readWhole(*element, sharedExpr)}
                           : builtin.importOperand(sharedExpr);
  if (!shared || !checkSharedMove(builtin, type, shared))
    return {};
  Indices indices;
  if (!importPart(builtin, placeExpr, element ? element->type : shared.elements(), sharedExpr, type,
                  indices))
    return {};
  mlir::Location loc = builtin.locate(callOf(builtin));
  if (element)
    placeInWhole(builtin.builder, loc, *element, type, indices);
  mlir::Value read = builtin.builder.create<tk::ReadOp>(
      loc, inRows(type).withElementType(shared.elements().getElementType()), shared.value, indices);
  return builtin.inLayoutOf(type, builtin.convert(read, type.getElementType(), loc), loc);
}

/// The operands of `gather(from, at, index)`, which a constructor may have been given; none where
/// it was given something else.
static llvm::SmallVector<const Expr *, 4> gatherOperands(const BuiltinCall &builtin) {
  if (builtin.word == Word::gather)
    return builtin.operands;
  auto *call = dyn_cast<CallExpr>(peel(callOf(builtin)));
  if (!call || isa<CXXOperatorCallExpr>(call) || call->getNumArgs() != 3)
    return {};
  return {call->arg_begin(), call->arg_end()};
}

/// gather(from, at, index)
mlir::Value tkc::importGather(BuiltinCall &builtin) {
  llvm::SmallVector<const Expr *, 4> operands = gatherOperands(builtin);
  if (operands.empty())
    return refuseSource(builtin);
  auto type = dyn_cast_or_null<tk::ElementsInterface>(builtin.importType());
  auto registers = type ? cast<tk::ElementsInterface>(inRegisters(type)) : type;
  mlir::Value numbers =
      type ? importRowNumbers(builtin, operands[2], registers, /*isScatter=*/false) : mlir::Value();
  if (!numbers)
    return {};
  Indices indices;
  mlir::Value tensor =
      importTensorAt(builtin, operands[0], operands[1], isa<tk::TileType>(registers), indices);
  if (!tensor)
    return {};
  if (cast<tk::GlobalType>(tensor.getType()).getInFragments()) {
    builtin.error(builtin.expr, Message::fragments_access) << 2 << builtin.expr->getSourceRange();
    return {};
  }
  mlir::Location loc = builtin.locate();
  mlir::Type element = cast<tk::GlobalType>(tensor.getType()).getElementType();
  mlir::Value gathered = builtin.builder.create<tk::GatherOp>(
      loc, inRows(registers).withElementType(element), tensor, indices, numbers);
  gathered = builtin.convert(gathered, type.getElementType(), loc);
  if (!isShared(type))
    return builtin.inLayoutOf(type, gathered, loc);
  return builtin.builder.create<tk::WriteOp>(
      loc, type, gathered, createAlloc(builtin.builder, loc, type), mlir::ValueRange());
}
