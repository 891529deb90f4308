//===- TileSpaceFormat.cpp - How ops over a tile space are written --------===//
#include "dialect/tk/TileSpaceFormat.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

ParseResult tkc::tk::parseTileSpace(OpAsmParser &parser, OperationState &result,
                                    StringAttr swizzleName) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> indices;
  SmallVector<OpAsmParser::UnresolvedOperand> extents;
  int64_t swizzle = 0;
  if (parser.parseArgumentList(indices, AsmParser::Delimiter::Paren) || parser.parseKeyword("in") ||
      parser.parseOperandList(extents, AsmParser::Delimiter::Paren))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("swizzle")) && parser.parseInteger(swizzle))
    return failure();
  for (OpAsmParser::Argument &index : indices)
    index.type = builder.getI32Type();
  result.addAttribute(swizzleName, builder.getI64IntegerAttr(swizzle));
  if (parser.resolveOperands(extents, builder.getI32Type(), result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion(), indices))
    return failure();
  return success();
}

void tkc::tk::printTileSpace(OpAsmPrinter &printer, Operation *op, StringAttr swizzleName) {
  Region &body = op->getRegion(0);
  printer << " (";
  llvm::interleaveComma(body.getArguments(), printer,
                        [&](BlockArgument index) { printer.printOperand(index); });
  printer << ") in (" << op->getOperands() << ")";
  if (auto swizzle = op->getAttrOfType<IntegerAttr>(swizzleName); swizzle && swizzle.getInt())
    printer << " swizzle " << swizzle.getInt();
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(), {swizzleName});
  printer << " ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}
