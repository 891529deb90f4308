//===- UnnamedValues.cpp - Names for values that the user gave none -------===//
//
// The last operation says what a value is: the map `x * c - y * s` gives a
// difference. Parts of a tile say where in it they begin.
//
//===----------------------------------------------------------------------===//
#include "backend/UnnamedValues.h"

#include "analysis/protocol/BarrierRoles.h"
#include "backend/ElementTypes.h"
#include "backend/Expressions.h"
#include "dialect/hopper/HopperElementOps.h"
#include "dialect/hopper/HopperTileOps.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TkElementOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Results of one operation
//===----------------------------------------------------------------------===//

/// A noun for the number that `op` computes; empty for other operations.
static StringRef nameOperation(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return "sum"; })
      .Case<arith::SubFOp, arith::SubIOp>([](auto) { return "difference"; })
      .Case<arith::MulFOp, arith::MulIOp>(
          [](auto mul) { return mul.getLhs() == mul.getRhs() ? "square" : "scaled"; })
      .Case<arith::DivFOp, arith::DivSIOp, arith::FloorDivSIOp>([](auto) { return "quotient"; })
      .Case<arith::CeilDivSIOp>([](auto) { return "count"; })
      .Case<arith::RemSIOp>([](auto) { return "remainder"; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp, arith::MinimumFOp,
            arith::MinNumFOp, arith::MinSIOp>([](auto) { return "bounded"; })
      .Case<arith::NegFOp>([](auto) { return "negated"; })
      .Case<arith::SelectOp>([](auto) { return "selected"; })
      .Case<arith::CmpFOp, arith::CmpIOp>([](auto) { return "comparison"; })
      .Case<arith::OrIOp>([](auto) { return "either_holds"; })
      .Case<arith::AndIOp>([](auto) { return "both_hold"; })
      .Case<math::ExpOp, math::Exp2Op>([](auto) { return "exponential"; })
      .Case<math::LogOp, math::Log2Op>([](auto) { return "logarithm"; })
      .Case<math::SqrtOp>([](auto) { return "root"; })
      .Case<math::RsqrtOp>([](auto) { return "inverse_root"; })
      .Case<math::FmaOp>([](auto) { return "sum"; })
      .Case<math::AbsFOp, math::AbsIOp>([](auto) { return "magnitude"; })
      .Default([](Operation *) { return StringRef(); });
}

/// The operation that computes `value` before it is converted to another element.
static Operation *skipConversions(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isElementConversion(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

static std::string nameMap(MapOp map, unsigned result, StringRef sourceName) {
  Block &body = map.getBody().front();
  Value yielded = body.getTerminator()->getOperand(result);
  auto type = cast<tk::ElementsInterface>(map.getResult(result).getType());
  if (map.getInputs().size() == 1 && !sourceName.empty()) {
    Operation *last = yielded.getDefiningOp();
    bool converts = last && isElementConversion(last) && last->getOperand(0) == body.getArgument(0);
    if (const ElementType *element = elementType(type.getElementType()); converts && element)
      return (sourceName + "_" + element->name).str();
  }
  if (Operation *op = skipConversions(yielded)) {
    if (op->getBlock() == &body)
      if (StringRef name = nameOperation(op); !name.empty())
        return name.str();
  } else if (auto argument = dyn_cast<BlockArgument>(yielded);
             argument && argument.getOwner() == &body) {
    return argument.getArgNumber() >= map.getInputs().size() ? "index"
           : sourceName.empty()                              ? "broadcast"
                                                             : (sourceName + "_broadcast").str();
  }
  return map.getInputs().empty() ? "constant" : "computed";
}

//===----------------------------------------------------------------------===//
// Tiles and vectors
//===----------------------------------------------------------------------===//

static std::string nameSlice(SliceOp slice, StringRef source) {
  std::string name = source.empty() ? "part" : source.str();
  auto from = cast<tk::ElementsInterface>(slice.getSource().getType());
  auto to = cast<tk::ElementsInterface>(slice.getResult().getType());
  bool cutsRows = from.getRows() != to.getRows(), cutsCols = from.getCols() != to.getCols();
  std::string row = std::to_string(slice.getRow()), column = std::to_string(slice.getColumn());
  return cutsRows && cutsCols ? name + "_at_" + row + "_" + column
         : cutsRows           ? name + "_rows_" + row
                              : name + "_columns_" + column;
}

static std::string nameReduction(tk::Combine combine, StringRef along) {
  StringRef what = combine == tk::Combine::Add   ? "_sums"
                   : combine == tk::Combine::Mul ? "_totals"
                   : combine == tk::Combine::Max ? "_maxima"
                                                 : "_minima";
  return (along + what).str();
}

static std::string nameFill(FillOp fill) {
  return matchPattern(fill.getValue(), m_AnyZeroFloat()) || matchPattern(fill.getValue(), m_Zero())
             ? "zeros"
         : matchPattern(fill.getValue(), m_OneFloat()) || matchPattern(fill.getValue(), m_One())
             ? "ones"
             : "constant";
}

std::string backend::nameTileByContent(Value value, StringRef sourceName) {
  auto after = [&](StringRef suffix, StringRef otherwise) {
    return sourceName.empty() ? otherwise.str() : (sourceName + suffix).str();
  };
  using Name = std::string;
  Operation *op = value.getDefiningOp();
  StringRef otherwise = isa<FragmentType>(value.getType()) ? "tile" : "vector";
  if (!op)
    return otherwise.str();
  return llvm::TypeSwitch<Operation *, Name>(op)
      .Case([&](MapOp map) {
        return nameMap(map, cast<OpResult>(value).getResultNumber(), sourceName);
      })
      .Case([&](SliceOp slice) { return nameSlice(slice, sourceName); })
      .Case([&](FillOp fill) { return nameFill(fill); })
      .Case([](ReduceRowsOp op) { return nameReduction(op.getCombine(), "row"); })
      .Case([](FinishRowsOp op) { return nameReduction(op.getCombine(), "row"); })
      .Case([](ReduceColumnsOp op) { return nameReduction(op.getCombine(), "column"); })
      .Case([&](RuntimeCall call) { return call.nameResult(sourceName); })
      .Case([&](CopyOp) { return after("_copy", "copy"); })
      .Case([](GatherOp) { return Name("gathered"); })
      .Case<UninitializedOp, WgmmaOp, MmaSyncOp>([](auto) { return Name("accumulator"); })
      .Default([&](Operation *) { return otherwise.str(); });
}

StringRef backend::nameElement(Value value) {
  auto nameOf = [](tk::Combine combine) -> StringRef {
    return combine == tk::Combine::Add   ? "sum"
           : combine == tk::Combine::Max ? "maximum"
           : combine == tk::Combine::Min ? "minimum"
                                         : "total";
  };
  Operation *op = value.getDefiningOp();
  if (!op)
    return "element";
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<ReduceRowsOp, ReduceColumnsOp, FinishRowsOp>(
          [&](auto op) { return nameOf(op.getCombine()); })
      .Default([](Operation *) { return "element"; });
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// The purpose of the scalar in an op that walks tiles or reaches memory; empty for other uses.
static std::string nameByUse(OpOperand &use) {
  Value value = use.get();
  if (auto loop = dyn_cast<TileLoopOp>(use.getOwner())) {
    StringRef index = getSourceName(loop.getIndices()[use.getOperandNumber()]);
    return index.empty() ? "tiles" : (index + "_tiles").str();
  }
  if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()); loop && value == loop.getUpperBound()) {
    StringRef index = getSourceName(loop.getInductionVar());
    return index.empty() ? "end" : (index + "_end").str();
  }
  ValueRange coordinates;
  if (auto copy = dyn_cast<TmaCopy>(use.getOwner()))
    coordinates = copy.getCoordinates();
  for (auto [dim, coordinate] : llvm::enumerate(coordinates))
    if (coordinate == value)
      return dim + 1 == coordinates.size()   ? "col"
             : dim + 2 == coordinates.size() ? "row"
             : dim + 3 == coordinates.size() ? "depth"
                                             : "batch";
  return {};
}

/// The name of the ring or tensor that an element is loaded from; empty for other ops.
static StringRef nameOfMemory(Operation *op) {
  if (auto element = dyn_cast<tk::ElementOp>(op))
    return getSourceName(element->getOperand(0));
  auto load = dyn_cast<LoadElementOp>(op);
  Value ring = load ? BarrierRoles::getRing(load.getSource()) : Value();
  auto alloc = ring ? ring.getDefiningOp<AllocRingOp>() : AllocRingOp();
  StringRef name = alloc ? alloc.getName() : StringRef();
  name.consume_back("_element");
  return name;
}

std::string backend::nameScalar(Value value) {
  for (OpOperand &use : value.getUses())
    if (std::string name = nameByUse(use); !name.empty())
      return name;
  Operation *op = value.getDefiningOp();
  if (!op)
    return "number";
  if (StringRef memory = nameOfMemory(op); !memory.empty())
    return (memory + "_value").str();
  if (isa<arith::MinSIOp, arith::MaxSIOp>(op))
    return "bound";
  StringRef name = nameOperation(op);
  return name.empty() ? "number" : name.str();
}
