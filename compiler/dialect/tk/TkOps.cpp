//===- TkOps.cpp - Formats and verifiers of the tk ops --------------------===//
#include "dialect/tk/TileSpaceFormat.h"
#include "dialect/tk/Tk.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace tkc::tk;

#define GET_OP_CLASSES
#include "dialect/tk/TkOps.cpp.inc"

//===----------------------------------------------------------------------===//
// tk.kernel
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(inputs, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

LogicalResult KernelOp::verify() {
  if (!getResultTypes().empty())
    return emitOpError("a kernel returns nothing, this one returns ")
           << getResultTypes().size() << " values";
  for (auto [index, type] : llvm::enumerate(getArgumentTypes()))
    if (!isa<GlobalType>(type) && !type.isIntOrFloat())
      return emitOpError("argument ")
             << index << " is neither a global tensor nor a scalar, but " << type;
  return success();
}

StringRef KernelOp::getArgumentName(unsigned index) {
  auto name = getArgAttrOfType<StringAttr>(index, argumentNameAttrName);
  return name ? name.getValue() : StringRef("argument");
}

//===----------------------------------------------------------------------===//
// tk.grid
//===----------------------------------------------------------------------===//

ParseResult GridOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseTileSpace(parser, result, getSwizzleAttrName(result.name));
}

void GridOp::print(OpAsmPrinter &printer) { printTileSpace(printer, *this, getSwizzleAttrName()); }

LogicalResult GridOp::verify() {
  if (getExtents().empty() || getExtents().size() > 4)
    return emitOpError("a grid has 1 to 4 dimensions, this one has ") << getExtents().size();
  if (getIndices().size() != getExtents().size())
    return emitOpError("has ") << getExtents().size() << " extents but " << getIndices().size()
                               << " indices";
  if (getSwizzle() && getExtents().size() < 2)
    return emitOpError("'swizzle' needs two dimensions, this grid has 1");
  return success();
}

//===----------------------------------------------------------------------===//
// Loads, stores, products
//===----------------------------------------------------------------------===//

LogicalResult ExtentOp::verify() {
  int64_t rank = getSource().getType().getRank();
  if (int64_t(getDim()) >= rank)
    return emitOpError("dimension ") << getDim() << " of a tensor of rank " << rank;
  return success();
}

/// One index per dimension, and a tensor that has rows and columns for the tile.
static LogicalResult verifyAccess(Operation *op, GlobalType global, size_t indices) {
  if (global.getRank() < 2)
    return op->emitOpError("a tile needs a tensor of rank 2 or more, this one has rank ")
           << global.getRank();
  if (indices != size_t(global.getRank()))
    return op->emitOpError("a tensor of rank ")
           << global.getRank() << " needs as many indices, but " << indices << " are given";
  return success();
}

LogicalResult LoadOp::verify() {
  GlobalType source = getSource().getType();
  if (failed(verifyAccess(*this, source, getIndices().size())))
    return failure();
  auto tile = cast<TileType>(getResult().getType());
  if (tile.getElementType() != source.getElementType())
    return emitOpError("loads ") << source.getElementType() << " into a tile of "
                                 << tile.getElementType();
  return success();
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, cast<GlobalType>(getDest().getType()), getIndices().size());
}

LogicalResult MmaOp::verify() {
  auto acc = cast<TileType>(getAcc().getType());
  auto a = cast<TileType>(getA().getType()), b = cast<TileType>(getB().getType());
  int64_t aRows = isATransposed() ? a.getCols() : a.getRows();
  int64_t aCols = isATransposed() ? a.getRows() : a.getCols();
  int64_t bRows = isBTransposed() ? b.getCols() : b.getRows();
  int64_t bCols = isBTransposed() ? b.getRows() : b.getCols();
  if (aCols != bRows)
    return emitOpError("A is ") << aRows << " x " << aCols << " but B is " << bRows << " x "
                                << bCols << ": the inner sizes " << aCols << " and " << bRows
                                << " must be equal";
  if (acc.getRows() != aRows || acc.getCols() != bCols)
    return emitOpError("the product is ") << aRows << " x " << bCols << " but the accumulator is "
                                          << acc.getRows() << " x " << acc.getCols();
  if (a.getElementType() != b.getElementType())
    return emitOpError("A holds ") << a.getElementType() << " but B holds " << b.getElementType();
  return success();
}
