//===- HopperElementwiseOps.cpp - Verifiers of maps and reductions --------===//
#include "dialect/hopper/Hopper.h"

#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/ElementwiseMap.h"
#include "dialect/tk/TileParts.h"
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
// hopper.any_row
//===----------------------------------------------------------------------===//

void AnyRowOp::build(OpBuilder &builder, OperationState &state, ValueRange inputs,
                     tk::MapBody body) {
  tk::buildMap(builder, state, builder.getI1Type(), inputs, /*coordinates=*/false, body);
}

ParseResult AnyRowOp::parse(OpAsmParser &parser, OperationState &result) {
  return tk::parseMap(parser, result);
}
void AnyRowOp::print(OpAsmPrinter &printer) { tk::printMap(*this, printer); }

LogicalResult AnyLargeOp::verify() {
  Type element = getSource().getType().getElementType();
  if (!element.isBF16() && !element.isF16())
    return emitOpError("looks at 16-bit floats, not at ") << element;
  return success();
}

LogicalResult AnyRowOp::verify() {
  if (getInputs().empty())
    return emitOpError("asks about rows, so it has column vectors as operands");
  int64_t rows = cast<FragmentVectorType>(getInputs()[0].getType()).getRows();
  for (Type type : getInputs().getTypes())
    if (auto vector = cast<FragmentVectorType>(type);
        vector.getOrientation() != tk::Orientation::Column || vector.getRows() != rows)
      return emitOpError("asks about rows, so its operands are column vectors of one length, not ")
             << vector;
  if (failed(tk::verifyBodyArguments(*this, /*coordinates=*/0)))
    return failure();
  auto yield = dyn_cast<tk::YieldOp>(getBody().front().back());
  if (!yield || yield.getNumOperands() != 1 || !yield.getOperand(0).getType().isInteger(1))
    return emitOpError("has a body that does not end with tk.yield of one condition");
  return tk::verifyScalarBody(*this);
}

LogicalResult ScaleColumnsOp::verify() {
  FragmentType tile = getSource().getType();
  FragmentVectorType factors = getFactors().getType();
  if (tile.getElementType().isBF16() && factors.getOrientation() == tk::Orientation::Split &&
      factors.getLength() == tile.getCols())
    return success();
  return emitOpError("scales ") << tile << " by " << factors
                                << ", but only columns of bf16 by as many 'split' factors";
}

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
  if (getWarpgroups() < 1)
    return emitOpError("reduces across at least 1 warpgroup, not ") << int64_t(getWarpgroups());
  if (!getScratch())
    return success();
  auto scratch = cast<SharedType>(getScratch().getType());
  int64_t bytes =
      scratch.getRows() * scratch.getCols() * tk::getStorageBits(scratch.getElementType()) / 8;
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

/// Where a part may begin and end: registers of a thread are 8 columns and 64 rows apart.
static LogicalResult verifyPart(SliceOp op, StringRef what, int64_t first, int64_t taken,
                                int64_t all, int64_t unit) {
  if (first < 0 || first + taken > all)
    return op.emitOpError("takes ")
           << what << " " << first << " to " << first + taken - 1 << " of " << all;
  if (first % unit || taken % unit)
    return op.emitOpError("takes ") << what << " " << first << " to " << first + taken - 1
                                    << ", but a part begins and ends at multiples of " << unit;
  return success();
}

Spelling SliceOp::getSpelling() {
  bool isColumn =
      isa<FragmentType>(getSource().getType()) && isa<FragmentVectorType>(getResult().getType());
  Spelling spelling{Place::Line, StatementKind::Elementwise, Executor::Warpgroup, {}};
  if (isColumn) // by shuffles
    spelling.headers.push_back("tile/parts");
  return spelling;
}

LogicalResult SliceOp::verify() {
  auto source = cast<tk::ElementsInterface>(getSource().getType());
  auto result = cast<tk::ElementsInterface>(getResult().getType());
  bool isColumn = !source.isVector() && result.isVector() && result.getCols() == 0;
  if (source.getElementType() != result.getElementType() ||
      (source.isVector() &&
       (!result.isVector() || (source.getRows() == 0) != (result.getRows() == 0))) ||
      (!source.isVector() && result.isVector() && !isColumn))
    return emitOpError("takes a part of ") << source << ", so the result cannot be " << result;
  if (source.getRows() &&
      failed(verifyPart(*this, "rows", getRow(), result.getRows(), source.getRows(), mBlockRows)))
    return failure();
  if (!source.getCols())
    return success();
  return isColumn
             ? verifyPart(*this, "columns", getColumn(), 1, source.getCols(), 1)
             : verifyPart(*this, "columns", getColumn(), result.getCols(), source.getCols(), 8);
}

LogicalResult ConcatOp::verify() { return tk::verifyConcat(*this, getAlong()); }

StringRef ConcatOp::getCallee() {
  return getAlong() == tk::Along::Columns ? "concat_columns" : "concat_rows";
}

std::string ConcatOp::nameResult(StringRef) { return "joined"; }

LogicalResult DeinterleaveOp::verify() {
  return tk::verifyPairs(*this, getSource().getType(), getResult().getType());
}

StringRef DeinterleaveOp::getCallee() { return getOdd() ? "odd_columns" : "even_columns"; }

std::string DeinterleaveOp::nameResult(StringRef source) {
  StringRef which = getOdd() ? "odd" : "even";
  return source.empty() ? (which + "_part").str() : (source + "_" + which).str();
}

LogicalResult InterleaveOp::verify() {
  return tk::verifyPairs(*this, getResult().getType(), getEven().getType());
}

//===----------------------------------------------------------------------===//
// Moves between threads
//===----------------------------------------------------------------------===//

static LogicalResult verifyScratch(Operation *op, SharedType scratch, int64_t needed) {
  int64_t bytes =
      scratch.getRows() * scratch.getCols() * tk::getStorageBits(scratch.getElementType()) / 8;
  if (bytes < needed)
    return op->emitOpError("needs scratch of ")
           << needed << " bytes, but " << scratch << " has " << bytes;
  return success();
}

LogicalResult TransposeOp::verify() {
  auto source = cast<tk::ElementsInterface>(getSource().getType());
  auto result = cast<tk::ElementsInterface>(getResult().getType());
  if (source.getElementType() != result.getElementType() || source.isVector() != result.isVector())
    return emitOpError("transposes ") << source << ", so the result cannot be " << result;
  if (getWarpgroups() < 1)
    return emitOpError("is done by at least 1 warpgroup, not ") << int64_t(getWarpgroups());
  if (source.isVector() && (source.getRows() == 0) == (result.getRows() == 0))
    return emitOpError("transposes ") << source << ", so the result cannot be " << result;
  return success();
}

StringRef hopper::getReductionName(tk::Combine combine) {
  switch (combine) {
  case tk::Combine::Add:
    return "sum";
  case tk::Combine::Mul:
    return "product";
  case tk::Combine::Max:
    return "max";
  case tk::Combine::Min:
    return "min";
  }
  return "sum";
}

StringRef ScanOp::getCallee() {
  StringRef reach = tk::stringifyReach(getReach()), name = getReductionName(getCombine());
  return StringAttr::get(getContext(), reach + "_" + name).getValue();
}

std::string ScanOp::nameResult(StringRef) {
  if (getReach() != tk::Reach::All)
    return "running_sums";
  return getCombine() == tk::Combine::Max   ? "largest"
         : getCombine() == tk::Combine::Min ? "smallest"
                                            : "total";
}

LogicalResult ScanOp::verify() {
  if (getWarpgroups() < 1)
    return emitOpError("is done by at least 1 warpgroup, not ") << int64_t(getWarpgroups());
  if (!getScratch() || getSource().getType().getOrientation() != tk::Orientation::Column)
    return success();
  return verifyScratch(*this, cast<SharedType>(getScratch().getType()),
                       4 * warpgroupWarps * getWarpgroups());
}
