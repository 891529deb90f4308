//===- TileRegisters.cpp - Registers that tiles need, point by point ------===//
//
// mlir::Liveness knows where a value is alive within its block. Three things
// are added to it:
//
// - what lives across a loop occupies registers inside the loop, too;
// - a product's result takes the registers of its accumulator, and a loop's
//   iteration argument those of its initial value, so the operand does not count
//   where it dies;
// - a `tk.fill` or `hopper.uninitialized` is made anew wherever it is needed, so
//   it counts only where it is used.
//
//===----------------------------------------------------------------------===//
#include "analysis/TileRegisters.h"

#include "analysis/OperationOrder.h"
#include "analysis/TileNames.h"
#include "dialect/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tkc;

int64_t TileRegisters::getRegisters(Type type, int64_t warpgroups) {
  if (auto tile = dyn_cast<tk::TileType>(type))
    return tile.isRegister() ? llvm::divideCeil(tile.getBytes(), 4 * 128 * warpgroups) : 0;
  if (auto fragment = dyn_cast<hopper::FragmentType>(type))
    return fragment.getRegisters();
  return 0;
}

static bool isTile(Value value) { return TileRegisters::getRegisters(value.getType(), 1) > 0; }

/// True if the value costs nothing between its definition and its uses.
static bool isMadeAnew(Value value) {
  return isa_and_nonnull<tk::FillOp, hopper::UninitializedOp>(value.getDefiningOp());
}

TileRegisters::TileRegisters(Operation *root, int64_t warpgroups)
    : root(root), warpgroups(warpgroups), liveness(root) {
  numberOperations(root);
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == root)
      return;
    TilePressure pressure = getPressure(op);
    if (pressure.registers > peak.registers)
      peak = std::move(pressure);
  });
}

/// True if `value` is used after `op`, in its block or around it.
static bool isUsedAfter(Value value, Operation *op, const Liveness &liveness) {
  return !liveness.isDeadAfter(value, op);
}

void TileRegisters::addLiveThrough(Operation *op, SetVector<Value> &alive) const {
  for (Operation *parent = op->getParentOp();
       parent && parent != root->getParentOp() && parent != root; parent = parent->getParentOp()) {
    const LivenessBlockInfo *block = liveness.getLiveness(parent->getBlock());
    if (!block)
      return;
    for (Value value : block->currentlyLiveValues(parent))
      if (isTile(value) && !isMadeAnew(value) && value.getDefiningOp() != parent &&
          isUsedAfter(value, parent, liveness))
        alive.insert(value);
  }
}

TilePressure TileRegisters::getPressure(Operation *op) const {
  SetVector<Value> alive;
  addLiveThrough(op, alive);
  if (const LivenessBlockInfo *block = liveness.getLiveness(op->getBlock()))
    for (Value value : block->currentlyLiveValues(op)) {
      if (!isTile(value))
        continue;
      bool isOperand = llvm::is_contained(op->getOperands(), value);
      bool isResult = value.getDefiningOp() == op;
      if (isMadeAnew(value) && !isOperand && !isResult)
        continue;
      // Handed on into a loop or out of its body: the receiver counts it.
      if (isOperand && isa<scf::ForOp, scf::YieldOp>(op) && !isUsedAfter(value, op, liveness))
        continue;
      if (value == getTiedOperand(op) && !isUsedAfter(value, op, liveness))
        continue;
      // The results of a loop exist once it is over; its body is counted where it stands.
      if (isResult && op->getNumRegions())
        continue;
      alive.insert(value);
    }
  TilePressure pressure;
  pressure.op = op;
  pressure.alive.assign(alive.begin(), alive.end());
  for (Value value : pressure.alive)
    pressure.registers += getRegisters(value.getType(), warpgroups);
  return pressure;
}
