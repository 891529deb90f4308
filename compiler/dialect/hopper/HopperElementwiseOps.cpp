//===- HopperElementwiseOps.cpp - Verifiers of maps and reductions --------===//
#include "dialect/hopper/Hopper.h"

#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/ElementwiseMap.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// hopper.map
//===----------------------------------------------------------------------===//

void MapOp::build(OpBuilder &builder, OperationState &state, TypeRange resultTypes,
                  ValueRange inputs, bool coordinates, tk::MapBody body) {
  tk::buildMap(builder, state, resultTypes, inputs, coordinates, body);
}

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &result) {
  return tk::parseMap(parser, result);
}
void MapOp::print(OpAsmPrinter &printer) { tk::printMap(*this, printer); }
LogicalResult MapOp::verify() { return tk::verifyMap(*this); }

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

LogicalResult ReduceRowsOp::verify() {
  FragmentType source = getSource().getType();
  auto wanted = FragmentVectorType::get(getContext(), source.getRows(), source.getElementType(),
                                        tk::Orientation::Column);
  if (getResult().getType() != wanted)
    return emitOpError("reduces the rows of ")
           << source << " to " << wanted << ", not to " << getResult().getType();
  return success();
}

LogicalResult FinishRowsOp::verify() {
  if (getSource().getType().getOrientation() != tk::Orientation::Column)
    return emitOpError("finishes values of rows, which a column vector holds, but has ")
           << getSource().getType();
  return success();
}

LogicalResult ReduceColumnsOp::verify() {
  FragmentType source = getSource().getType();
  auto wanted = FragmentVectorType::get(getContext(), source.getCols(), source.getElementType(),
                                        tk::Orientation::Row);
  if (getResult().getType() != wanted)
    return emitOpError("reduces the columns of ")
           << source << " to " << wanted << ", not to " << getResult().getType();
  SharedType scratch = getScratch().getType();
  if (getWarpgroups() < 1)
    return emitOpError("reduces across at least 1 warpgroup, not ") << int64_t(getWarpgroups());
  int64_t bytes =
      scratch.getRows() * scratch.getCols() * scratch.getElementType().getIntOrFloatBitWidth() / 8;
  int64_t needed = 4 * source.getCols() * warpgroupWarps * getWarpgroups();
  if (bytes < needed)
    return emitOpError("needs scratch of ")
           << needed << " bytes, 4 for each of " << source.getCols() << " columns and "
           << warpgroupWarps * getWarpgroups() << " warps, but " << scratch << " has " << bytes;
  return success();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::verify() {
  FragmentType source = getSource().getType(), result = getResult().getType();
  if (source.getRows() != result.getRows() || source.getElementType() != result.getElementType())
    return emitOpError("takes columns of ") << source << ", so the result cannot be " << result;
  int64_t first = getFirst(), end = first + result.getCols();
  if (first < 0 || end > source.getCols())
    return emitOpError("takes columns ")
           << first << " to " << end - 1 << " of " << source.getCols();
  if (first % 8 || result.getCols() % 8)
    return emitOpError("takes columns ")
           << first << " to " << end - 1 << ", but a part begins and ends at multiples of 8";
  return success();
}
