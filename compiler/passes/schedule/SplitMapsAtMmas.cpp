//===- SplitMapsAtMmas.cpp - Elementwise work does not wait for a later MMA ---===//
//
// In the backward pass of attention, dS = P (dP - Delta) reads the result of one MMA,
// dP = V dOᵀ, and P, which the MMA after it, dV += P dO, has as an operand in registers.
// As one map it waits for both. So the map is divided:
//
//     dP = V dOᵀ; dV += P dO
//     wait for dP;  x = dP - Delta     beside dV += P dO
//     wait for dV;  dS = P x
//
// It pays where a warpgroup's own chain is what takes the time. Where the tensor cores
// are busy anyway, there is one wait more and nothing gained: attention's gradients on an
// H200 gain 1.2 to 1.5 % for heads of 64 elements and lose .3 to .9 % for 128.
//
//===----------------------------------------------------------------------===//
#include "analysis/cost/CostModel.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Passes.h"
#include "passes/tile/MapBodies.h"
#include "target/HopperModel.h"
#include "llvm/ADT/SetVector.h"

namespace tkc {
#define GEN_PASS_DEF_SPLITMAPSATMMAS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// The last group of MMAs of the map's block, by the commit that closes it, that makes `value` or
/// has it as an operand in registers; null if there is none.
static Operation *getGroup(Value value, MapOp map) {
  Operation *last = nullptr;
  auto consider = [&](Operation *op) {
    auto mma = dyn_cast_or_null<WgmmaOp>(op);
    bool isBefore = mma && mma->getBlock() == map->getBlock() && mma->isBeforeInBlock(map);
    if (isBefore && (!last || last->isBeforeInBlock(mma)))
      last = mma;
  };
  consider(value.getDefiningOp());
  llvm::for_each(value.getUsers(), consider);
  while (last && last != map && !isa<CommitWgmmaOp>(last))
    last = last->getNextNode();
  return last == map ? nullptr : last;
}

namespace {
/// Operands of a map that are ready when the MMA is over that makes one of them.
struct EarlyOperands {
  SmallVector<Value> values;
  Value result; ///< of that MMA
};
} // namespace

/// Where the map waits for two groups, the operands that the first one suffices for.
static EarlyOperands findEarlyOperands(MapOp map) {
  Operation *first = nullptr, *last = nullptr;
  for (Value operand : map.getInputs())
    if (Operation *group = getGroup(operand, map)) {
      first = !first || group->isBeforeInBlock(first) ? group : first;
      last = !last || last->isBeforeInBlock(group) ? group : last;
    }
  EarlyOperands early;
  for (Value operand : map.getInputs()) {
    Operation *group = getGroup(operand, map);
    if (group && group != first)
      continue;
    early.values.push_back(operand);
    if (group && operand.getDefiningOp<WgmmaOp>())
      early.result = operand;
  }
  return first == last ? EarlyOperands() : early;
}

/// True if something between the last group and the map waits for all of it anyway.
static bool isWaitedFor(MapOp map) {
  for (Operation *op = map->getPrevNode(); op && !isa<CommitWgmmaOp>(op); op = op->getPrevNode())
    if (isa<MapOp, ReduceRowsOp, StoreFragmentOp>(op) || op->getNumRegions() > 0)
      return true;
  return false;
}

/// The one value of the body that is computed from early operands alone, among them the MMA's
/// result, and that something else reads which is not; null if there are more, or none. A
/// product stays with the addition that reads it, for the two are one instruction.
static Value findDivision(MapOp map, const EarlyOperands &early) {
  auto isEarly = [&](Value value) {
    return llvm::all_of(map.getInputs(), [&](Value operand) {
      return llvm::is_contained(early.values, operand) || !dependsOn(value, operand, map);
    });
  };
  Value division;
  for (Operation &op : map.getBody().front()) {
    if (op.getNumResults() == 0 || isEarly(op.getResult(0)))
      continue;
    for (Value part : op.getOperands()) {
      Operation *maker = part.getDefiningOp();
      bool isOfBody = maker && maker->getBlock() == op.getBlock();
      if (!isOfBody || !isEarly(part) || part == division)
        continue;
      bool isOneWithReader = isa<arith::MulFOp>(maker) && isa<arith::AddFOp, arith::SubFOp>(op);
      if (division || isOneWithReader || !dependsOn(part, early.result, map))
        return {};
      division = part;
    }
  }
  return division &&
                 division.getType() == cast<FragmentType>(early.result.getType()).getElementType()
             ? division
             : Value();
}

/// Without the operands whose elements the body does not read.
static void dropUnread(MapOp map) {
  for (unsigned i = map.getInputs().size(); i-- > 0;)
    if (map.getElements()[i].use_empty()) {
      map.getInputsMutable().erase(i);
      map.getBody().front().eraseArgument(i);
    }
}

/// Computes `division` in a map of its own before `map`, which reads it.
static void divide(MapOp map, const EarlyOperands &early, Value division) {
  Block &body = map.getBody().front();
  llvm::SetVector<Operation *> part;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return op->getBlock() == &body; };
  getBackwardSlice(division, &part, options);
  OpBuilder builder(map);
  auto first = builder.create<MapOp>(
      early.result.getLoc(), TypeRange(early.result.getType()), map.getInputs(),
      /*coordinates=*/false, [&](OpBuilder &inner, Location loc, ValueRange elements) {
        IRMapping values;
        values.map(map.getElements(), elements);
        for (Operation &op : body)
          if (part.contains(&op))
            inner.clone(op, values);
        inner.create<tk::YieldOp>(loc, values.lookup(division));
      });
  Value element = body.addArgument(division.getType(), division.getLoc());
  map.getInputsMutable().append(first.getResult(0));
  division.replaceAllUsesWith(element);
  for (Operation *op : llvm::reverse(part))
    if (op->use_empty())
      op->erase();
  dropUnread(first);
  dropUnread(map);
}

static bool isWanted(MapOp map) {
  const PartCycles cycles = getPartCycles(countWork(*map->getBlock()));
  return cycles.specialFunctions >= leastSplitShare * cycles.tensorCores;
}

static void splitAtMmas(MapOp map) {
  if (!isa<scf::ForOp>(map->getParentOp()) || map.getNumResults() != 1 ||
      !map.getCoordinates().empty() || isWaitedFor(map))
    return;
  EarlyOperands early = findEarlyOperands(map);
  if (!early.result || !early.result.hasOneUse() || !isWanted(map))
    return;
  if (Value division = findDivision(map, early))
    divide(map, early, division);
}

namespace {
struct SplitMapsAtMmas : tkc::impl::SplitMapsAtMmasBase<SplitMapsAtMmas> {
  void runOnOperation() override {
    SmallVector<MapOp> maps;
    getOperation().walk([&](MapOp map) { maps.push_back(map); });
    llvm::for_each(maps, splitAtMmas);
  }
};
} // namespace
