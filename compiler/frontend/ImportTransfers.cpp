//===- ImportTransfers.cpp - Between tensors, shared memory and registers -===//
//
// Shared memory is on the way from a tensor to registers: a register tile that is
// loaded is a tk.load and a tk.read. A write to shared memory makes a new
// value of the same bytes, which begin as a tk.alloc.
//
//===----------------------------------------------------------------------===//
#include "frontend/BuiltinImporter.h"

#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The numbers in braces of a place.
static const CXXConstructExpr *placeOf(const Expr *expr, Vocabulary &language) {
  auto *construct = dyn_cast<CXXConstructExpr>(expr);
  return construct && language.find(construct->getType()) == Word::place ? construct : nullptr;
}

bool BuiltinImporter::importIndices(const CXXConstructExpr *place, Indices &indices) {
  for (const Expr *index : place->arguments())
    indices.push_back(kernel.importScalar(index));
  return !llvm::is_contained(indices, mlir::Value());
}

mlir::Value BuiltinImporter::importTensorAt(const Expr *tensorExpr, const Expr *placeExpr,
                                            bool forTile, Indices &indices) {
  mlir::Value tensor = kernel.importTensor(tensorExpr);
  if (!tensor)
    return {};
  const int64_t rank = cast<tk::GlobalType>(tensor.getType()).getRank();
  if (forTile && rank < 2) {
    error(tensorExpr, Message::tensor_rank) << tensorExpr->getSourceRange();
    noteDeclaration(tensorExpr);
    return {};
  }
  const CXXConstructExpr *place = placeOf(KernelImporter::peel(placeExpr), kernel.language);
  if (!place) {
    error(placeExpr, Message::place_not_direct) << placeExpr->getSourceRange();
    return {};
  }
  if (place->getNumArgs() != rank) {
    kernel.error(placeExpr->getBeginLoc(), Message::index_count)
        << unsigned(rank) << place->getNumArgs() << placeExpr->getSourceRange();
    noteDeclaration(tensorExpr);
    return {};
  }
  return importIndices(place, indices) ? tensor : mlir::Value();
}

bool BuiltinImporter::importPart(const Expr *placeExpr, const Operand &whole, mlir::Type part,
                                 Indices &indices) {
  // Along each dimension: how many parts there are.
  llvm::SmallVector<int64_t, 2> parts;
  auto add = [&](int64_t extent, int64_t taken) {
    parts.push_back(extent % taken ? 0 : extent / taken);
  };
  if (auto tile = dyn_cast<tk::TileType>(part)) {
    auto source = cast<tk::TileType>(whole.type());
    add(source.getRows(), tile.getRows());
    add(source.getCols(), tile.getCols());
  } else {
    add(cast<tk::TileVectorType>(whole.type()).getLength(),
        cast<tk::TileVectorType>(part).getLength());
  }
  if (llvm::is_contained(parts, 0)) {
    error(whole.expr, Message::no_whole_part)
        << spell(part) << spell(whole.type()) << whole.expr->getSourceRange();
    noteDeclaration(whole.expr);
    return false;
  }
  const bool isWhole = llvm::all_of(parts, [](int64_t count) { return count == 1; });
  if (!placeExpr) {
    if (!isWhole)
      indices.append(parts.size(), kernel.constant(0, locate(whole.expr)));
    return true;
  }
  const CXXConstructExpr *place = placeOf(KernelImporter::peel(placeExpr), kernel.language);
  if (!place) {
    error(placeExpr, Message::place_not_direct) << placeExpr->getSourceRange();
    return false;
  }
  if (place->getNumArgs() != parts.size()) {
    kernel.error(placeExpr->getBeginLoc(), Message::part_index_count)
        << unsigned(parts.size() == 1) << unsigned(parts.size()) << place->getNumArgs()
        << placeExpr->getSourceRange();
    return false;
  }
  if (!importIndices(place, indices))
    return false;
  bool isFirst = true;
  for (auto [index, count, expr] : llvm::zip(indices, parts, place->arguments())) {
    std::optional<int64_t> number = KernelImporter::constantOf(index);
    isFirst &= number == 0;
    if (!number || (*number >= 0 && *number < count))
      continue;
    error(expr, Message::part_outside)
        << llvm::Twine(*number).str() << unsigned(count) << spell(part) << spell(whole.type())
        << expr->getSourceRange();
    noteDeclaration(whole.expr);
    return false;
  }
  if (isWhole && isFirst)
    indices.clear();
  return true;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

std::pair<const Expr *, const Expr *> BuiltinImporter::sourceOf(const BuiltinCall &builtin) {
  llvm::ArrayRef<const Expr *> operands = builtin.operands;
  if (auto *construct = dyn_cast<CXXConstructExpr>(builtin.expr)) {
    auto *call = dyn_cast<CallExpr>(KernelImporter::peel(construct->getArg(0)));
    if (!call || call->getNumArgs() == 0 || isa<CXXOperatorCallExpr>(call))
      return {};
    return {call->getArg(0), call->getNumArgs() > 1 ? call->getArg(1) : nullptr};
  }
  return {operands[0], operands.size() > 1 ? operands[1] : nullptr};
}

mlir::Value BuiltinImporter::refuseSource(const BuiltinCall &builtin) {
  auto *construct = dyn_cast<CXXConstructExpr>(builtin.expr);
  if (auto *op = construct
                     ? dyn_cast<CXXOperatorCallExpr>(KernelImporter::peel(construct->getArg(0)))
                     : nullptr)
    kernel.refuse(op); // `load(...) * 2`
  else
    error(builtin.expr, Message::load_not_direct) << builtin.expr->getSourceRange();
  return {};
}

/// The type of layout 'row' in which memory is read and written.
static tk::ElementsInterface inRows(tk::ElementsInterface type) {
  auto tile = dyn_cast<tk::TileType>(type);
  if (!tile || tile.getLayout() != tk::Layout::Col)
    return type;
  return tk::TileType::get(type.getContext(), tile.getRows(), tile.getCols(), tile.getElementType(),
                           tk::Space::Register, tk::Layout::Row);
}

/// `value`, a tile or vector, in the layout of `type`.
mlir::Value BuiltinImporter::inLayoutOf(tk::ElementsInterface type, mlir::Value value,
                                        mlir::Location loc) {
  mlir::Type wanted =
      type.withElementType(cast<tk::ElementsInterface>(value.getType()).getElementType());
  return wanted == value.getType()
             ? value
             : kernel.builder.create<tk::SwapLayoutOp>(loc, value).getResult();
}

static tk::ElementsInterface inShared(tk::ElementsInterface type, mlir::Type element) {
  if (auto tile = dyn_cast<tk::TileType>(type))
    return tk::TileType::get(type.getContext(), tile.getRows(), tile.getCols(), element,
                             tk::Space::Shared, tk::Layout::None);
  return tk::TileVectorType::get(type.getContext(), cast<tk::TileVectorType>(type).getLength(),
                                 element, tk::Space::Shared, tk::Orientation::None);
}

mlir::Value BuiltinImporter::importLoad(const BuiltinCall &builtin) {
  auto type = dyn_cast_or_null<tk::ElementsInterface>(importType(builtin));
  auto [tensorExpr, placeExpr] = sourceOf(builtin);
  if (!type)
    return {};
  if (!tensorExpr)
    return refuseSource(builtin);
  Indices indices;
  mlir::Value tensor =
      importTensorAt(tensorExpr, placeExpr, /*forTile=*/isa<tk::TileType>(type), indices);
  if (!tensor)
    return {};
  if (!kernel.checkPart(tensor, type, /*isStored=*/false, tensorExpr))
    return {};
  mlir::Type element = cast<tk::GlobalType>(tensor.getType()).getElementType();
  mlir::Location loc = locate(callOf(builtin));
  if (KernelImporter::isShared(type) && type.getElementType() != element) {
    error(callOf(builtin), Message::load_converts)
        << spell(element) << spell(type.getElementType()) << unsigned(type.isVector())
        << callOf(builtin)->getSourceRange();
    noteDeclaration(tensorExpr);
    return {};
  }
  mlir::Value loaded =
      kernel.builder.create<tk::LoadOp>(loc, inShared(type, element), tensor, indices);
  if (KernelImporter::isShared(type))
    return loaded;
  mlir::Value read = kernel.builder.create<tk::ReadOp>(loc, inRows(type).withElementType(element),
                                                       loaded, mlir::ValueRange());
  return inLayoutOf(type, convert(read, type.getElementType(), loc), loc);
}

mlir::Value BuiltinImporter::importSharedLoad(const BuiltinCall &builtin) {
  auto type = dyn_cast_or_null<tk::ElementsInterface>(importType(builtin));
  auto [sharedExpr, placeExpr] = sourceOf(builtin);
  if (!type)
    return {};
  if (!sharedExpr)
    return refuseSource(builtin);
  Operand shared = importOperand(sharedExpr);
  if (!shared || !checkSharedMove(builtin, type, shared))
    return {};
  Indices indices;
  if (!importPart(placeExpr, shared, type, indices))
    return {};
  mlir::Location loc = locate(callOf(builtin));
  mlir::Value read = kernel.builder.create<tk::ReadOp>(
      loc, inRows(type).withElementType(shared.elements().getElementType()), shared.value, indices);
  return inLayoutOf(type, convert(read, type.getElementType(), loc), loc);
}

/// gather<...>(from, at, index)
mlir::Value BuiltinImporter::importGather(const BuiltinCall &builtin) {
  auto type = dyn_cast_or_null<tk::ElementsInterface>(importType(builtin));
  Operand index = importVector(builtin, builtin.operands[2]);
  if (!type || !index)
    return {};
  auto vector = cast<tk::TileVectorType>(index.type());
  if (!isa<mlir::IntegerType>(vector.getElementType())) {
    error(index.expr, Message::gather_index)
        << spell(vector.getElementType()) << index.expr->getSourceRange();
    noteDeclaration(index.expr);
    return {};
  }
  auto registers = cast<tk::ElementsInterface>(inRegisters(type));
  auto tile = dyn_cast<tk::TileType>(registers);
  auto wanted =
      tile ? tk::TileVectorType::get(type.getContext(), tile.getRows(), vector.getElementType(),
                                     tk::Space::Register, tk::Orientation::Column)
           : cast<tk::TileVectorType>(registers.withElementType(vector.getElementType()));
  if (vector != wanted) {
    error(index.expr, Message::gather_shape)
        << unsigned(!tile) << spell(wanted) << spell(vector) << index.expr->getSourceRange();
    noteDeclaration(index.expr);
    return {};
  }
  Indices indices;
  mlir::Value tensor =
      importTensorAt(builtin.operands[0], builtin.operands[1], bool(tile), indices);
  if (!tensor)
    return {};
  mlir::Location loc = locate(builtin.expr);
  mlir::Type element = cast<tk::GlobalType>(tensor.getType()).getElementType();
  mlir::Value numbers = convert(index.value, kernel.builder.getI32Type(), loc);
  mlir::Value gathered = kernel.builder.create<tk::GatherOp>(
      loc, inRows(registers).withElementType(element), tensor, indices, numbers);
  gathered = convert(gathered, type.getElementType(), loc);
  if (!KernelImporter::isShared(type))
    return inLayoutOf(type, gathered, loc);
  return kernel.builder.create<tk::WriteOp>(loc, type, gathered, createAlloc(loc, type),
                                            mlir::ValueRange());
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// store(tensor, at, value) and store_add
bool BuiltinImporter::importStore(const BuiltinCall &builtin) {
  const bool isTile = kernel.types.isTile(builtin.operands[1]->getType());
  Indices indices;
  mlir::Value tensor = importTensorAt(builtin.destination, builtin.operands[0], isTile, indices);
  Operand value = importOperand(builtin.operands[1]);
  if (!tensor || !value ||
      !kernel.checkPart(tensor, value.type(), /*isStored=*/true, builtin.destination))
    return false;
  mlir::Location loc = locate(builtin.expr);
  mlir::Type element = cast<tk::GlobalType>(tensor.getType()).getElementType();
  mlir::Type from = value.elements().getElementType();
  mlir::Value stored = value.value;
  if (KernelImporter::isShared(value.type()) && from != element)
    stored = kernel.builder.create<tk::ReadOp>(loc, inRegisters(value.type()), stored,
                                               mlir::ValueRange());
  // A store rounds `float`; everything else is converted before.
  if (from != element && !(from.isF32() && isa<mlir::FloatType>(element)))
    stored = convert(stored, element, loc);
  mlir::OpBuilder::InsertionGuard guard(kernel.builder);
  if (kernel.hasIdleWarps()) {
    mlir::Value isMeant = kernel.builder.create<mlir::arith::CmpIOp>(
        loc, mlir::arith::CmpIPredicate::slt, kernel.scope.op->getIndex(),
        kernel.constant(kernel.builder.getI32IntegerAttr(kernel.scope.count), loc));
    auto branch = kernel.builder.create<mlir::scf::IfOp>(loc, isMeant, /*withElseRegion=*/false);
    kernel.builder.setInsertionPoint(branch.thenYield());
  }
  kernel.builder.create<tk::StoreOp>(loc, tensor, indices, stored,
                                     /*accumulate=*/builtin.word == Word::store_add);
  return true;
}

mlir::Value BuiltinImporter::createAlloc(mlir::Location loc, mlir::Type type) {
  // Once for each tile of the grid, however deep in loops it is written.
  mlir::OpBuilder::InsertionGuard guard(kernel.builder);
  mlir::Operation *outermost = nullptr;
  for (mlir::Operation *op = kernel.builder.getInsertionBlock()->getParentOp();
       op && !isa<tk::GridOp, tk::EachOp, tk::KernelOp>(op); op = op->getParentOp())
    outermost = op;
  if (outermost)
    kernel.builder.setInsertionPoint(outermost);
  return kernel.builder.create<tk::AllocOp>(loc, type);
}

/// store(shared, value) and store(shared, at, value)
mlir::Value BuiltinImporter::importSharedStore(const BuiltinCall &builtin) {
  const Expr *valueExpr = builtin.operands.back();
  const Expr *placeExpr = builtin.operands.size() > 1 ? builtin.operands.front() : nullptr;
  auto type = dyn_cast_or_null<tk::ElementsInterface>(importType(builtin));
  Operand value = importRegisters(builtin, valueExpr);
  std::optional<Object> object = kernel.importObject(builtin.destination);
  if (!type || !value || !object)
    return {};
  mlir::Location loc = locate(builtin.expr);
  // A tile that came from a tensor stays as it is: these are other bytes.
  mlir::Value known = kernel.slots[object->first].value, before = known;
  const bool isWritten = known && KernelImporter::isWrittenMemory(known) &&
                         (placeExpr || !isa<mlir::BlockArgument>(known));
  if (!isWritten)
    before = createAlloc(
        mlir::NameLoc::get(kernel.builder.getStringAttr(kernel.nameOf(object->first)), loc), type);
  Operand whole{builtin.destination, before};
  if (!checkSharedMove(builtin, value.elements(), whole))
    return {};
  Indices indices;
  if (!importPart(placeExpr, whole, value.type(), indices))
    return {};
  if (!indices.empty() && known && known != before) {
    error(builtin.destination, Message::part_of_loaded) << builtin.destination->getSourceRange();
    noteDeclaration(builtin.destination);
    return {};
  }
  mlir::Value converted = convert(value.value, type.getElementType(), loc);
  converted = inLayoutOf(inRows(cast<tk::ElementsInterface>(converted.getType())), converted, loc);
  return kernel.builder.create<tk::WriteOp>(loc, type, converted, before, indices);
}

/// A tile moves between registers and a shared tile, a vector between registers and a shared
/// vector.
bool BuiltinImporter::checkSharedMove(const BuiltinCall &builtin, tk::ElementsInterface registers,
                                      const Operand &shared) {
  if (KernelImporter::isShared(registers)) {
    const Expr *place = builtin.destination ? builtin.destination : builtin.expr;
    error(place, Message::shared_to_shared) << place->getSourceRange();
    noteDeclaration(place);
    return false;
  }
  if (isa<tk::TileType>(registers) == isa<tk::TileType>(shared.type()))
    return true;
  error(shared.expr, Message::move_kinds)
      << unsigned(registers.isVector()) << shared.expr->getSourceRange();
  noteDeclaration(shared.expr);
  return false;
}

const Expr *BuiltinImporter::callOf(const BuiltinCall &builtin) {
  if (auto *construct = dyn_cast<CXXConstructExpr>(builtin.expr))
    if (construct->getNumArgs() == 1)
      return KernelImporter::peel(construct->getArg(0));
  return builtin.expr;
}
