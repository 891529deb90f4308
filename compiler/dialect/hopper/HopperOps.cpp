//===- HopperOps.cpp - Formats and verifiers of the hopper ops ------------===//
#include "dialect/hopper/EmissionAttributes.h"
#include "dialect/hopper/Hopper.h"
#include "dialect/hopper/HopperElementOps.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/HopperOrderOps.h"
#include "dialect/hopper/HopperPartOps.h"
#include "dialect/hopper/HopperPrefetchOps.h"
#include "dialect/hopper/HopperTileOps.h"
#include "dialect/tk/TileSpaceFormat.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

#define GET_OP_CLASSES
#include "dialect/hopper/HopperOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/hopper/HopperPartOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/hopper/HopperElementOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/hopper/HopperOrderOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/hopper/HopperPrefetchOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/hopper/HopperTileOps.cpp.inc"

//===----------------------------------------------------------------------===//
// hopper.kernel
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(inputs, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type,
                     StringAttr parameters, ArrayAttr equalExtents, ArrayAttr argAttrs) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  if (parameters)
    state.addAttribute(getParametersAttrName(state.name), parameters);
  if (equalExtents)
    state.addAttribute(getEqualExtentsAttrName(state.name), equalExtents);
  if (argAttrs)
    state.addAttribute(getArgAttrsAttrName(state.name), argAttrs);
  state.addRegion();
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

/// True if `argument` is a tensor that has a dimension `dim`.
static bool isExtent(KernelOp kernel, int64_t argument, int64_t dim) {
  ArrayRef<Type> types = kernel.getArgumentTypes();
  if (argument < 0 || argument >= int64_t(types.size()))
    return false;
  auto global = dyn_cast<tk::GlobalType>(types[argument]);
  return global && dim >= 0 && dim < global.getRank();
}

LogicalResult KernelOp::verify() {
  if (!getResultTypes().empty())
    return emitOpError("a kernel returns nothing, this one returns ")
           << getResultTypes().size() << " values";
  for (auto pair :
       getEqualExtentsAttr() ? getEqualExtentsAttr() : ArrayAttr::get(getContext(), {})) {
    auto extents = cast<EqualExtentAttr>(pair);
    if (!isExtent(*this, extents.getFirstArgument(), extents.getFirstDim()) ||
        !isExtent(*this, extents.getSecondArgument(), extents.getSecondDim()))
      return emitOpError("names a dimension that no argument has: ") << pair;
  }
  auto schedulers = getBody().front().getOps<TileSchedulerOp>();
  if (int64_t count = std::distance(schedulers.begin(), schedulers.end()); count > 1)
    return emitOpError("has ") << count << " tile schedulers when it may have one";
  return success();
}

StringRef KernelOp::getArgumentName(unsigned index) {
  auto name = getArgAttrOfType<StringAttr>(index, tk::argumentNameAttrName);
  return name ? name.getValue() : StringRef("argument");
}

//===----------------------------------------------------------------------===//
// hopper.role and hopper.tile_loop
//===----------------------------------------------------------------------===//

/// 1024 threads. Guide, "Technical Specifications per Compute Capability".
static constexpr int64_t maxWarpgroups = 1024 / warpgroupThreads;

LogicalResult RoleOp::verify() {
  unsigned wanted = getKind() == RoleKind::Producer ? 0 : 1;
  if (getBody().getNumArguments() != wanted)
    return emitOpError("a ") << stringifyRoleKind(getKind()) << " has " << wanted
                             << " body arguments, this one has " << getBody().getNumArguments();
  auto warpgroups = int64_t(getWarpgroups());
  if (warpgroups < 1)
    return emitOpError("needs at least one warpgroup, this one has ") << warpgroups;
  if (warpgroups > maxWarpgroups)
    return emitOpError("has ") << warpgroups << " warpgroups, more than the " << maxWarpgroups
                               << " of a block";
  bool isScanner = getKind() == RoleKind::Scanner;
  auto warps = int64_t(getWarps());
  if (isScanner ? warps < 1 || warps >= warpgroupWarps || warpgroups != 1 : warps != 0)
    return emitOpError("has ") << warps << " warps, but a scanner has 1 to " << warpgroupWarps - 1
                               << " of one warpgroup, and other roles are whole warpgroups";
  return success();
}

bool RoleOp::hasPingPongTiles() {
  return walk([](CursorStageOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

ParseResult TileLoopOp::parse(OpAsmParser &parser, OperationState &result) {
  return tk::parseTileSpace(parser, result, getSwizzleAttrName(result.name));
}

void TileLoopOp::print(OpAsmPrinter &printer) {
  tk::printTileSpace(printer, *this, getSwizzleAttrName());
}

/// Of an op over a tile space: one index for each extent.
template <typename Op> static LogicalResult verifyIndices(Op op) {
  if (op.getIndices().size() != op.getExtents().size())
    return op.emitOpError("has ") << op.getExtents().size() << " extents but "
                                  << op.getIndices().size() << " indices";
  return success();
}

LogicalResult TileLoopOp::verify() {
  if (failed(verifyIndices(*this)))
    return failure();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (getDynamic() && kernel && kernel.getBody().front().getOps<TileSchedulerOp>().empty())
    return emitOpError("is dynamic, but the kernel has no hopper.tile_scheduler");
  return success();
}

LogicalResult TileOrderOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (kernel && kernel.getPersistent().value_or(true))
    return emitOpError("is for blocks of one tile each, but the kernel is persistent");
  if (kernel && getTileOrder(kernel) != *this)
    return emitOpError("is the second one of the kernel, which has one order at most");
  return success();
}

LogicalResult TileAtOp::verify() { return verifyIndices(*this); }

ParseResult FirstTileOp::parse(OpAsmParser &parser, OperationState &result) {
  return tk::parseTileSpace(parser, result, getSwizzleAttrName(result.name));
}

void FirstTileOp::print(OpAsmPrinter &printer) {
  tk::printTileSpace(printer, *this, getSwizzleAttrName());
}

LogicalResult FirstTileOp::verify() { return verifyIndices(*this); }

//===----------------------------------------------------------------------===//
// Tiles and MMAs
//===----------------------------------------------------------------------===//

Value hopper::getMemory(Value ring) {
  auto alloc = ring ? ring.getDefiningOp<AllocRingOp>() : AllocRingOp();
  return alloc && alloc.getOver() ? alloc.getOver() : ring;
}

LogicalResult AllocRingOp::verify() {
  if (!getOver())
    return success();
  auto over = getOver().getDefiningOp<AllocRingOp>();
  if (!over || over.getOver())
    return emitOpError("lies over a ring that has no memory of its own");
  RingType type = getResult().getType(), memory = over.getResult().getType();
  int64_t bytes = type.getStages() * type.getStageBytes(),
          limit = memory.getStages() * memory.getStageBytes();
  if (bytes > limit)
    return emitOpError("takes ") << bytes << " bytes, but the ring that it lies over has " << limit;
  return success();
}

LogicalResult RowsOp::verify() {
  SharedType from = getSource().getType(), to = getResult().getType();
  if (to.getCols() != from.getCols() || to.getElementType() != from.getElementType() ||
      to.getRows() > from.getRows())
    return emitOpError("takes rows of ") << from << ", so the result cannot be " << to;
  return success();
}

LogicalResult TmaLoadOp::verify() {
  int64_t depth = getDepth(), rows = getDest().getType().getRows();
  if (depth > 1 && getCoordinates().size() < 3)
    return emitOpError("copies a box of depth ")
           << depth << " of a tensor that has " << getCoordinates().size() << " dimensions";
  if (depth > maxBoxExtent || rows % depth)
    return emitOpError("copies a box of depth ")
           << depth << " when it should be at most " << maxBoxExtent << " and divide " << rows
           << " rows";
  return success();
}

LogicalResult ColumnsOp::verify() {
  SharedType from = getSource().getType(), to = getResult().getType();
  if (to.getRows() != from.getRows() || to.getElementType() != from.getElementType() ||
      to.getCols() > from.getCols())
    return emitOpError("takes columns of ") << from << ", so the result cannot be " << to;
  return success();
}

/// In a role whose warps have tiles of their own, a fragment is four tiles.
static bool isEachWarp(Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  return role && role.getEach() == tk::EachWorker::Warp;
}

/// A vector in shared memory is a tile of one row.
static LogicalResult verifyVector(Operation *op, FragmentVectorType vector, SharedType shared) {
  bool isOne = shared.getCols() == vector.getLength() ||
               (isEachWarp(op) && vector.getOrientation() == tk::Orientation::Column &&
                shared.getCols() * warpgroupWarps == vector.getLength());
  if (shared.getRows() == 1 && isOne && shared.getElementType() == vector.getElementType())
    return success();
  return op->emitOpError("moves ")
         << vector << " between registers and " << shared << ", which should be 1 x "
         << vector.getLength() << " of " << vector.getElementType();
}

LogicalResult LoadFragmentOp::verify() {
  SharedType from = getSource().getType();
  if (auto vector = dyn_cast<FragmentVectorType>(getResult().getType())) {
    if (vector.getOrientation() == tk::Orientation::Split && !getInOrder())
      return emitOpError("reads ") << vector << ", which lies in fragment order";
    return verifyVector(*this, vector, from);
  }
  auto to = cast<FragmentType>(getResult().getType());
  int64_t rows = from.getRows(), cols = from.getCols();
  if ((*this)->hasAttr(transposedAttrName))
    std::swap(rows, cols);
  if (isEachWarp(*this))
    rows *= warpgroupWarps;
  if (rows != to.getRows() || cols != to.getCols() || from.getElementType() != to.getElementType())
    return emitOpError("reads ") << from << " as " << to;
  return success();
}

LogicalResult LoadColumnOp::verify() {
  SharedType from = getSource().getType();
  FragmentVectorType to = getResult().getType();
  if (to.getOrientation() == tk::Orientation::Lanes && to.getLength() == from.getRows() &&
      to.getElementType() == from.getElementType())
    return success();
  return emitOpError("reads a column of ") << from << " as " << to;
}

/// An element that is copied asynchronously has 4 bytes and is the first of a vector.
static LogicalResult verifyElement(Operation *op, Type element, SharedType shared) {
  if (!element.isF32() && !element.isInteger(32))
    return op->emitOpError("moves an element of ") << element << ", which should have 4 bytes";
  if (shared.getRows() == 1 && shared.getElementType() == element)
    return success();
  return op->emitOpError("moves an element of ")
         << element << " by way of " << shared << ", which should be one row of " << element;
}

LogicalResult CopyElementOp::verify() {
  return verifyElement(*this, getSource().getType().getElementType(), getDest().getType());
}

LogicalResult LoadElementOp::verify() {
  return verifyElement(*this, getResult().getType(), getSource().getType());
}

LogicalResult StoreGlobalOp::verify() {
  auto fragment = dyn_cast<FragmentType>(getSource().getType());
  if (!fragment || (getDest().getType().getInFragments() && fragment.getElementType().isF32()))
    return success();
  return emitOpError("stores ") << getSource().getType() << " to " << getDest().getType()
                                << ", which should lie in fragment order and hold f32";
}

LogicalResult StoreVectorOp::verify() {
  if (FragmentVectorType vector = getSource().getType();
      getInOrder() &&
      (vector.getOrientation() != tk::Orientation::Lanes || vector.getLength() % 64))
    return emitOpError("puts ") << vector << " in fragment order, but only pairs of lanes are";
  if (getSplit() && (!getInOrder() || !getSource().getType().getElementType().isF32()))
    return emitOpError("splits ") << getSource().getType()
                                  << ", but only floats in fragment order are";
  return verifyVector(*this, getSource().getType(), getDest().getType());
}

LogicalResult MmaSyncOp::verify() {
  FragmentType acc = getAcc().getType(), a = getA().getType(), b = getB().getType();
  constexpr int64_t warps = 4; // B has its rows in each of them
  if (a.getCols() != b.getCols() || acc.getRows() != a.getRows() ||
      acc.getCols() * warps != b.getRows())
    return emitOpError("accumulates an MMA of ")
           << a.getRows() << " x " << a.getCols() << " and the transpose of " << b.getRows() / warps
           << " x " << b.getCols() << " in " << acc;
  return success();
}

LogicalResult StoreFragmentOp::verify() {
  FragmentType from = getSource().getType();
  SharedType to = getDest().getType();
  if (to.getRows() > from.getRows() || to.getCols() > from.getCols())
    return emitOpError("stores a block of ") << to << " out of " << from;
  return success();
}

LogicalResult WgmmaOp::verify() {
  FragmentType acc = getAcc().getType();
  int64_t aRows, aCols;
  if (auto shared = dyn_cast<SharedType>(getA().getType())) {
    aRows = shared.getRows(), aCols = shared.getCols();
  } else {
    auto fragment = cast<FragmentType>(getA().getType());
    aRows = fragment.getRows(), aCols = fragment.getCols();
  }
  bool aTransposed = getForm() == tk::MmaForm::AtB || getForm() == tk::MmaForm::AtBt;
  bool bTransposed = getForm() == tk::MmaForm::ABt || getForm() == tk::MmaForm::AtBt;
  if (aTransposed)
    std::swap(aRows, aCols);
  SharedType b = getB().getType();
  int64_t bRows = bTransposed ? b.getCols() : b.getRows();
  int64_t bCols = bTransposed ? b.getRows() : b.getCols();
  if (getSums()) {
    if (getForm() != tk::MmaForm::AB || !isa<FragmentType>(getA().getType()))
      return emitOpError("only A B with A in registers sums A's rows");
    bCols += tk::columnsOfOnes;
  }
  if (aCols != bRows || acc.getRows() != aRows || acc.getCols() != bCols)
    return emitOpError("accumulates an MMA of ")
           << aRows << " x " << aCols << " and " << bRows << " x " << bCols << " in " << acc;
  return success();
}
