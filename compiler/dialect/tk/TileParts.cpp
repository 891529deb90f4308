//===- TileParts.cpp - Shared code of the ops on parts of tiles -----------===//
#include "dialect/tk/TileParts.h"

using namespace mlir;
using namespace tkc::tk;

LogicalResult tkc::tk::verifyConcat(Operation *op, Along along) {
  if (op->getOperands().empty())
    return op->emitOpError("joins nothing: it needs at least one operand");
  auto result = cast<ElementsInterface>(op->getResult(0).getType());
  bool byRows = along == Along::Rows;
  int64_t sum = 0;
  for (auto [index, part] : llvm::enumerate(op->getOperands())) {
    auto elements = cast<ElementsInterface>(part.getType());
    int64_t kept = byRows ? elements.getCols() : elements.getRows();
    int64_t wanted = byRows ? result.getCols() : result.getRows();
    if (elements.isVector() != result.isVector() ||
        elements.getElementType() != result.getElementType())
      return op->emitOpError("joins parts of one kind, but operand ")
             << index << " is " << part.getType() << " and the result " << result;
    if (kept != wanted)
      return op->emitOpError("joins by ")
             << stringifyAlong(along) << ", so operand " << index
             << " and the result have equally many " << (byRows ? "columns" : "rows") << ", but "
             << kept << " and " << wanted << " differ";
    sum += byRows ? elements.getRows() : elements.getCols();
  }
  if (int64_t whole = byRows ? result.getRows() : result.getCols(); sum != whole || sum == 0)
    return op->emitOpError("joins ")
           << sum << " " << stringifyAlong(along) << " to a result that has " << whole;
  return success();
}

LogicalResult tkc::tk::verifyPairs(Operation *op, ElementsInterface pairs, ElementsInterface part) {
  if (pairs.getCols() % 32)
    return op->emitOpError("needs whole pairs in multiples of 16, but ")
           << pairs << " has " << pairs.getCols() << " columns";
  if (pairs.getRows() != part.getRows() || pairs.getCols() != 2 * part.getCols() ||
      pairs.getElementType() != part.getElementType())
    return op->emitOpError("of ") << pairs
                                  << " has parts of as many rows and half the columns, not "
                                  << part;
  return success();
}
