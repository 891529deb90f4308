//===- ExtentNames.cpp - Tiles' extents by the user's parameters ----------===//
//
// rt<float, BM / 2, BN>: the user's variable says what its extents are called
// (dialect/tk/TemplateParameters.h). A value without a variable, or of one without written
// extents, has those of the values that it is computed from element by element.
//
//===----------------------------------------------------------------------===//
#include "analysis/protocol/BarrierRoles.h"
#include "backend/KernelEmitter.h"
#include "dialect/hopper/EmissionAttributes.h"
#include "dialect/tk/TemplateParameters.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

std::string backend::spellExtent(KernelEmitter &e, StringRef variable, unsigned rank, unsigned dim,
                                 int64_t extent) {
  return e.values.spellParameter(tk::getExtentName(e.facts.op, variable, rank, dim), extent);
}

/// The values from which `value` has its rows and columns: those of the same extents, where it has
/// those.
static SmallVector<Value> getSources(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument != loop.getInductionVar()
               ? SmallVector<Value>{loop.getTiedLoopInit(argument)->get()}
               : SmallVector<Value>();
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getInitArgs()[result.getResultNumber()]};
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {branch.thenYield().getOperand(result.getResultNumber())};
  if (auto mma = dyn_cast<WgmmaOp>(op))
    return {mma.getAcc()};
  if (auto map = dyn_cast<MapOp>(op))
    return SmallVector<Value>(map.getInputs());
  if (auto reduce = dyn_cast<ReduceRowsOp>(op))
    return {reduce.getSource()};
  if (isa<CopyOp, FinishRowsOp>(op))
    return {op->getOperand(0)};
  return {};
}

/// The parameter that the rows, or the columns, of `value` are; empty if none is known. A chain of
/// values that is longer than `steps` is not followed.
static StringRef findName(KernelEmitter &e, Value value, bool isRows, unsigned steps = 16) {
  auto elements = cast<tk::ElementsInterface>(value.getType());
  if (!(isRows ? elements.getRows() : elements.getCols()))
    return {};
  unsigned rank = elements.getRows() && elements.getCols() ? 2 : 1;
  unsigned dim = isRows ? 0 : rank - 1;
  auto load = value.getDefiningOp<LoadFragmentOp>();
  Value ring = load ? BarrierRoles::getRing(load.getSource()) : Value();
  for (StringRef variable : {tk::getVariableName(value), e.variables->getWantedName(value)})
    if (StringRef name = tk::getExtentName(e.facts.op, variable, rank, dim); !name.empty())
      return name;
  if (ring) {
    StringRef variable = ring.getDefiningOp<AllocRingOp>().getName();
    unsigned ofRing = load->hasAttr(transposedAttrName) ? rank - 1 - dim : dim;
    if (StringRef name = tk::getExtentName(e.facts.op, variable, rank, ofRing); !name.empty())
      return name;
  }
  if (steps)
    for (Value source : getSources(value))
      if (StringRef name = findName(e, source, isRows, steps - 1); !name.empty())
        return name;
  return {};
}

std::string backend::spellRows(KernelEmitter &e, Value value) {
  int64_t rows = e.rowsOf(cast<tk::ElementsInterface>(value.getType()).getRows());
  StringRef name = findName(e, value, /*isRows=*/true);
  std::string number = std::to_string(rows), whole = e.values.spellParameter(name, rows);
  if (whole != number || !e.role || e.inWarps())
    return whole;
  int64_t sharers = e.role.getWarpgroups();
  std::string shared = e.values.spellParameter(name, rows * sharers);
  return shared == std::to_string(rows * sharers) ? number
                                                  : shared + " / " + std::to_string(sharers);
}

std::string backend::spellCols(KernelEmitter &e, Value value) {
  StringRef name = findName(e, value, /*isRows=*/false);
  int64_t cols = cast<tk::ElementsInterface>(value.getType()).getCols();
  std::string number = std::to_string(cols), whole = e.values.spellParameter(name, cols);
  // An accumulator with row sums beside the user's columns.
  int64_t own = cols - tk::columnsOfOnes;
  std::string spelled = e.values.spellParameter(name, own);
  return whole != number || spelled == std::to_string(own) ? whole : spelled + " + columns_of_ones";
}
