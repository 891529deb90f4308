//===- ElementwiseMap.cpp - The form that tk.map and hopper.map share -----===//
#include "dialect/tk/ElementwiseMap.h"

#include "dialect/tk/Tk.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tkc::tk;

//===----------------------------------------------------------------------===//
// Building, parsing, printing
//===----------------------------------------------------------------------===//

void tkc::tk::buildMap(OpBuilder &builder, OperationState &state, TypeRange resultTypes,
                       ValueRange inputs, bool coordinates, MapBody body) {
  state.addTypes(resultTypes);
  state.addOperands(inputs);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(state.addRegion());
  for (Value input : inputs)
    block->addArgument(cast<ElementsInterface>(input.getType()).getElementType(), input.getLoc());
  if (coordinates)
    for (unsigned i = 0; i < cast<ElementsInterface>(resultTypes.front()).getRank(); ++i)
      block->addArgument(builder.getI32Type(), state.location);
  body(builder, state.location, block->getArguments());
}

ParseResult tkc::tk::parseMap(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments, coordinates;
  auto parseInput = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    Type type;
    SMLoc loc;
    if (parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
        parser.parseOperand(operand) || parser.getCurrentLocation(&loc) ||
        parser.parseColonType(type) || parser.resolveOperand(operand, type, result.operands))
      return failure();
    auto elements = dyn_cast<ElementsInterface>(type);
    if (!elements)
      return parser.emitError(loc, "an operand of a map is a tile or a vector, this is ") << type;
    arguments.back().type = elements.getElementType();
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseInput))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("at")) &&
      parser.parseArgumentList(coordinates, AsmParser::Delimiter::Paren))
    return failure();
  for (OpAsmParser::Argument &coordinate : coordinates) {
    coordinate.type = parser.getBuilder().getI32Type();
    arguments.push_back(coordinate);
  }
  return failure(parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
                 parser.parseArrowTypeList(result.types) ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void tkc::tk::printMap(Operation *map, OpAsmPrinter &printer) {
  auto arguments = map->getRegion(0).getArguments();
  auto coordinates = arguments.drop_front(map->getNumOperands());
  printer << " (";
  llvm::interleaveComma(llvm::zip(arguments, map->getOperands()), printer, [&](auto pair) {
    auto [argument, operand] = pair;
    printer << argument << " = " << operand << " : " << operand.getType();
  });
  printer << ")";
  if (!coordinates.empty()) {
    printer << " at (";
    llvm::interleaveComma(coordinates, printer);
    printer << ")";
  }
  printer.printOptionalAttrDictWithKeyword(map->getAttrs());
  printer.printArrowTypeList(map->getResultTypes());
  printer << " ";
  printer.printRegion(map->getRegion(0), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

std::string tkc::tk::describeExtents(Type type) {
  auto elements = cast<ElementsInterface>(type);
  if (elements.getCols() == 0)
    return "a value for each of " + std::to_string(elements.getRows()) + " rows";
  if (elements.getRows() == 0)
    return "a value for each of " + std::to_string(elements.getCols()) + " columns";
  return std::to_string(elements.getRows()) + " x " + std::to_string(elements.getCols());
}

/// Whether an operand has an element for every element of the result.
static LogicalResult verifyInput(Operation *map, unsigned index, ElementsInterface input,
                                 ElementsInterface result) {
  auto error = [&] { return map->emitOpError("operand ") << index << " "; };
  if (result.isVector() && !input.isVector())
    return error() << "is a tile, " << describeExtents(input)
                   << ", but the result is a vector with " << describeExtents(result)
                   << "; tk.reduce makes one of the other";
  bool rowsFit = input.getRows() == 0 || input.getRows() == result.getRows();
  bool colsFit = input.getCols() == 0 || input.getCols() == result.getCols();
  if (!rowsFit || !colsFit)
    return error() << (input.isVector() ? "has " : "is ") << describeExtents(input)
                   << ", but the result " << (result.isVector() ? "has " : "is ")
                   << describeExtents(result);
  if (input.isVector() == result.isVector() &&
      input.withElementType(result.getElementType()) != result)
    return error() << "is " << input << ", but the result is " << result
                   << ": their layouts differ; tk.swap_layout changes the operand's";
  return success();
}

static LogicalResult verifyShapes(Operation *map) {
  if (map->getNumResults() == 0)
    return map->emitOpError("computes nothing: it has no results");
  auto result = cast<ElementsInterface>(map->getResult(0).getType());
  for (auto [index, other] : llvm::enumerate(map->getResultTypes()))
    if (cast<ElementsInterface>(other).withElementType(result.getElementType()) != result)
      return map->emitOpError("makes results of one shape, but result 0 is ")
             << result << " and result " << index << " is " << other;
  for (auto [index, input] : llvm::enumerate(map->getOperandTypes()))
    if (failed(verifyInput(map, index, cast<ElementsInterface>(input), result)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

LogicalResult tkc::tk::verifyBodyArguments(Operation *map, unsigned coordinates) {
  auto arguments = map->getRegion(0).getArguments();
  unsigned inputs = map->getNumOperands();
  if (arguments.size() != inputs && arguments.size() != inputs + coordinates)
    return map->emitOpError("has ") << inputs << " operands and " << arguments.size()
                                    << " body arguments; with coordinates there are "
                                    << inputs + coordinates << ", without " << inputs;
  for (BlockArgument argument : arguments) {
    unsigned index = argument.getArgNumber();
    Type wanted = index < inputs
                      ? cast<ElementsInterface>(map->getOperand(index).getType()).getElementType()
                      : IntegerType::get(map->getContext(), 32);
    if (argument.getType() != wanted)
      return map->emitOpError("body argument ")
             << index << " is " << argument.getType() << ", but holds " << wanted;
  }
  return success();
}

static LogicalResult verifyYield(Operation *map) {
  Block &body = map->getRegion(0).front();
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (!yield)
    return map->emitOpError("has a body that does not end with tk.yield");
  if (yield.getNumOperands() != map->getNumResults())
    return yield.emitOpError("gives ")
           << yield.getNumOperands() << " values for " << map->getNumResults() << " results";
  for (auto [value, type] : llvm::zip(yield.getValues(), map->getResultTypes()))
    if (Type element = cast<ElementsInterface>(type).getElementType(); value.getType() != element)
      return yield.emitOpError("gives ")
             << value.getType() << " for a result of " << element << " elements; convert it first";
  return success();
}

/// Each element is computed from scalars alone, in any order and any number of times.
static LogicalResult verifyScalar(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<ElementsInterface>(operand.getType()))
      return op->emitOpError("uses ")
             << operand.getType()
             << " as a whole in an elementwise body; make it an operand of the map";
  if (op->getNumRegions() || !isMemoryEffectFree(op))
    return op->emitOpError(
        "cannot stand in an elementwise body, which holds scalar ops without effects");
  for (Type type : op->getResultTypes())
    if (!type.isIntOrIndexOrFloat())
      return op->emitOpError("gives ")
             << type << " in an elementwise body, which computes with scalars";
  return success();
}

LogicalResult tkc::tk::verifyScalarBody(Operation *map) {
  for (Operation &op : map->getRegion(0).front())
    if (failed(verifyScalar(&op)))
      return failure();
  return success();
}

LogicalResult tkc::tk::verifyMap(Operation *map) {
  if (failed(verifyShapes(map)))
    return failure();
  unsigned rank = cast<ElementsInterface>(map->getResult(0).getType()).getRank();
  return success(succeeded(verifyBodyArguments(map, rank)) && succeeded(verifyYield(map)) &&
                 succeeded(verifyScalarBody(map)));
}
