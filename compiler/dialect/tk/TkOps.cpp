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

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type,
                     StringAttr parameters) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  if (parameters)
    state.addAttribute(getParametersAttrName(state.name), parameters);
  state.addRegion();
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
// tk.each
//===----------------------------------------------------------------------===//

ParseResult EachOp::parse(OpAsmParser &parser, OperationState &result) {
  StringRef worker;
  int64_t count = 0;
  OpAsmParser::Argument index;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&worker) || parser.parseKeyword("of") || parser.parseInteger(count) ||
      parser.parseLParen() || parser.parseArgument(index) || parser.parseRParen())
    return failure();
  std::optional<EachWorker> value = symbolizeEachWorker(worker);
  if (!value)
    return parser.emitError(loc, "expected 'warpgroup' or 'warp', found '") << worker << "'";
  Builder &builder = parser.getBuilder();
  index.type = builder.getI32Type();
  result.addAttribute(getWorkerAttrName(result.name),
                      EachWorkerAttr::get(builder.getContext(), *value));
  result.addAttribute(getCountAttrName(result.name), builder.getI64IntegerAttr(count));
  return failure(parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
                 parser.parseRegion(*result.addRegion(), index));
}

void EachOp::print(OpAsmPrinter &printer) {
  printer << " " << stringifyEachWorker(getWorker()) << " of " << getCount() << " (";
  printer.printOperand(getIndex());
  printer << ")";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getWorkerAttrName(), getCountAttrName()});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult EachOp::verify() {
  if (getBody().getNumArguments() != 1 || !getBody().getArgument(0).getType().isInteger(32))
    return emitOpError("has one body argument, the i32 number of the ")
           << stringifyEachWorker(getWorker());
  return success();
}

//===----------------------------------------------------------------------===//
// Extents and MMAs
//===----------------------------------------------------------------------===//

LogicalResult ExtentOp::verify() {
  int64_t rank = getSource().getType().getRank();
  if (int64_t(getDim()) >= rank)
    return emitOpError("dimension ") << getDim() << " of a tensor of rank " << rank;
  return success();
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
  if (getSums()) {
    if (getForm() != MmaForm::AB || a.getSpace() != Space::Register)
      return emitOpError("only A B with A in registers sums A's rows");
    bCols += columnsOfOnes;
  }
  if (acc.getRows() != aRows || acc.getCols() != bCols)
    return emitOpError("the result is ") << aRows << " x " << bCols << " but the accumulator is "
                                         << acc.getRows() << " x " << acc.getCols();
  if (a.getElementType() != b.getElementType())
    return emitOpError("A holds ") << a.getElementType() << " but B holds " << b.getElementType();
  return success();
}
