//===- HoistInvariantFactors.cpp - Parts of maps that loops do not change -===//
//
// The decay of linear attention between positions i and j of a chunk is
// exp2(log * (i - j)) in every chunk; a map that scales scores by it computes an
// exponential, a conversion and a multiplication of each element in each iteration.
// A factor that depends only on coordinates and on values from before the loop is a map of
// its own before the loop, whose result the map in the loop reads.
//
// That costs the registers of a tile for as long as the loop runs, so it pays only for
// special functions, quotients and roots, and only where the kernel's warpgroups
// still have room. A factor of the row alone is a column vector, one
// of the column alone a row vector. Values are bit for bit the same.
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "analysis/registers/RegisterBudget.h"
#include "dialect/tk/ElementwiseMap.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/Tk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include "remarks/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace tkc {
#define GEN_PASS_DEF_HOISTINVARIANTFACTORS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

/// Many instructions, or one of the few special-function units.
static bool isExpensive(Operation *op) {
  return isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::SqrtOp, math::RsqrtOp,
             math::TanhOp, math::ErfOp, arith::DivFOp>(op);
}

namespace {
/// A value in the body of a map that no iteration of the loop changes, with the operations that
/// make it.
struct Factor {
  MapOp map;
  scf::ForOp loop;
  Value value;
  llvm::SetVector<Operation *> operations; // in program order
  SmallVector<BlockArgument> elements;     // of vectors and tiles from before the loop
  bool readsRow = false, readsColumn = false;
};
} // namespace

/// Adds what makes `value` to the factor; false if an iteration of the loop changes it.
static bool collect(Value value, Factor &factor) {
  Block *body = &factor.map.getBody().front();
  if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == body) {
    const unsigned inputs = factor.map.getInputs().size();
    if (argument.getArgNumber() >= inputs) {
      const bool isColumn = argument.getArgNumber() == inputs + 1;
      (isColumn ? factor.readsColumn : factor.readsRow) = true;
      return true;
    }
    Value input = factor.map.getInputs()[argument.getArgNumber()];
    if (!factor.loop.isDefinedOutsideOfLoop(input))
      return false;
    auto type = cast<ElementsInterface>(input.getType());
    factor.readsRow |= type.getRows() > 0;
    factor.readsColumn |= type.getCols() > 0;
    if (!llvm::is_contained(factor.elements, argument))
      factor.elements.push_back(argument);
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != body)
    return factor.loop.isDefinedOutsideOfLoop(value);
  if (factor.operations.contains(op))
    return true;
  if (!isMemoryEffectFree(op) || op->getNumRegions() > 0 || op->getNumResults() != 1 ||
      isa<RandomOp>(op) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) { return collect(operand, factor); }))
    return false;
  factor.operations.insert(op);
  return true;
}

/// The largest part of the map's body that is the same in every iteration and worth a tile or a
/// vector before the loop.
static std::optional<Factor> findFactor(MapOp map, scf::ForOp loop) {
  auto type = cast<ElementsInterface>(map.getResult(0).getType());
  if (type.isVector() || map.getInputs().size() >= maxMapInputs)
    return std::nullopt;
  std::optional<Factor> found;
  for (Operation &op : map.getBody().front().without_terminator()) {
    if (op.getNumResults() != 1 || !op.getResult(0).getType().isF32())
      continue;
    Factor factor{map, loop, op.getResult(0), {}, {}};
    if (!collect(factor.value, factor) || !llvm::any_of(factor.operations, isExpensive) ||
        !(factor.readsRow || factor.readsColumn))
      continue;
    if (!found || factor.operations.size() > found->operations.size())
      found = factor;
  }
  return found;
}

/// A tile, or the vector that is as long as the only coordinate that is read.
static Type getResultType(Factor factor) {
  auto tile = cast<TileType>(factor.map.getResult(0).getType());
  Type element = factor.value.getType();
  if (factor.readsRow && factor.readsColumn)
    return tile.withElementType(element);
  return TileVectorType::get(tile.getContext(), factor.readsRow ? tile.getRows() : tile.getCols(),
                             element, Space::Register,
                             factor.readsRow ? Orientation::Column : Orientation::Row);
}

/// Computes the factor before the loop, by a map of its own.
static MapOp computeBefore(Factor factor) {
  Type type = getResultType(factor);
  SmallVector<Value> inputs;
  for (BlockArgument element : factor.elements)
    inputs.push_back(factor.map.getInputs()[element.getArgNumber()]);
  auto coordinates = factor.map.getCoordinates();
  auto build = [&](OpBuilder &builder, Location loc, ValueRange arguments) {
    IRMapping values;
    for (auto [index, element] : llvm::enumerate(factor.elements))
      values.map(element, arguments[index]);
    ValueRange places = arguments.drop_front(inputs.size());
    for (Value argument : arguments)
      cast<BlockArgument>(argument).setLoc(getUnnamedLoc(argument.getLoc()));
    if (!coordinates.empty() && isa<TileType>(type))
      for (auto [coordinate, place] : llvm::zip(coordinates, places))
        values.map(coordinate, place);
    else if (!coordinates.empty())
      values.map(coordinates[factor.readsRow ? 0 : 1], places[0]);
    for (Operation *op : factor.operations)
      builder.clone(*op, values);
    builder.create<YieldOp>(loc, values.lookup(factor.value));
  };
  OpBuilder builder(factor.loop);
  StringRef name = getSourceName(factor.map.getResult(0));
  Location loc = getNamedLoc((name.empty() ? "tile" : name.str()) + "_factor", factor.map.getLoc());
  return builder.create<MapOp>(loc, type, inputs, !coordinates.empty(), build);
}

/// The map with the factor's element in place of its own computation.
static MapOp readFactor(Factor factor, Value computed) {
  MapOp map = factor.map;
  SmallVector<Value> inputs(map.getInputs());
  inputs.push_back(computed);
  auto build = [&](OpBuilder &builder, Location, ValueRange arguments) {
    IRMapping values;
    const unsigned count = map.getInputs().size();
    for (auto [index, argument] : llvm::enumerate(map.getBody().front().getArguments())) {
      values.map(argument, arguments[index < count ? index : index + 1]);
      cast<BlockArgument>(arguments[index < count ? index : index + 1]).setLoc(argument.getLoc());
    }
    values.map(factor.value, arguments[count]);
    cast<BlockArgument>(arguments[count]).setLoc(computed.getLoc());
    for (Operation &op : map.getBody().front().without_terminator())
      if (&op != factor.value.getDefiningOp())
        builder.clone(op, values);
    builder.clone(*map.getBody().front().getTerminator(), values);
  };
  OpBuilder builder(map);
  auto made = builder.create<MapOp>(map.getLoc(), map.getResultTypes(), inputs,
                                    !map.getCoordinates().empty(), build);
  for (auto [result, old] : llvm::zip(made.getResults(), map.getResults()))
    result.setLoc(old.getLoc());
  return made;
}

/// Moves factors of the map out of the loop, as long as there are any and registers are left.
static void hoistFactors(KernelOp kernel, MapOp map, scf::ForOp loop,
                         std::optional<int64_t> consumers) {
  while (std::optional<Factor> factor = findFactor(map, loop)) {
    MapOp computed = computeBefore(*factor);
    MapOp reading = readFactor(*factor, computed.getResult(0));
    const Location loc = map.getLoc();
    map.replaceAllUsesWith(reading);
    const bool fits = consumers && chooseConsumers(kernel) == consumers;
    reportRemark(kernel, loc, fits ? Remark::FactorHoisted : Remark::FactorRegisters,
                 quoteTileName(reading.getResult(0)));
    if (!fits) {
      reading.replaceAllUsesWith(map);
      reading.erase();
      computed.erase();
      return;
    }
    map.erase();
    map = reading;
  }
}

namespace {
struct HoistInvariantFactors : tkc::impl::HoistInvariantFactorsBase<HoistInvariantFactors> {
  void runOnOperation() override {
    forEachKernel<KernelOp>(getOperation(), [](KernelOp kernel) {
      SmallVector<std::pair<MapOp, scf::ForOp>> maps;
      kernel.walk([&](MapOp map) {
        if (auto loop = map->getParentOfType<scf::ForOp>())
          maps.push_back({map, loop});
      });
      if (maps.empty())
        return;
      std::optional<int64_t> consumers = chooseConsumers(kernel);
      for (auto [map, loop] : maps)
        hoistFactors(kernel, map, loop, consumers);
    });
  }
};
} // namespace
