//===- DeadCode.cpp - Values that nobody needs ----------------------------===//
//
// A value that a loop carries is read if something else than loops that hand it on reads
// it, or if it becomes a value that another loop carries and somebody reads there.
//
//===----------------------------------------------------------------------===//
#include "passes/tile/DeadCode.h"

#include "dialect/hopper/Hopper.h"
#include "dialect/tk/LoopArguments.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tkc;

/// One value that a loop carries.
using Carried = std::pair<scf::ForOp, unsigned>;

/// The loop and the argument that carries the value, inside or after it.
static std::optional<Carried> getCarried(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument.getArgNumber() > 0
               ? std::optional(Carried(loop, argument.getArgNumber() - 1))
               : std::nullopt;
  }
  auto loop = value.getDefiningOp<scf::ForOp>();
  return loop ? std::optional(Carried(loop, cast<OpResult>(value).getResultNumber()))
              : std::nullopt;
}

/// True if a use only hands the value on to what a loop carries.
static bool isHandedOn(OpOperand &use) {
  if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()))
    return use.getOperandNumber() >= loop.getNumControlOperands();
  return isa<scf::YieldOp>(use.getOwner()) && isa<scf::ForOp>(use.getOwner()->getParentOp());
}

/// True if a loop has become smaller.
static bool dropCarried(Operation *root) {
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  llvm::SetVector<Carried> read;
  for (scf::ForOp loop : loops)
    for (unsigned i = 0; i < loop.getNumResults(); ++i) {
      auto isRead = [](OpOperand &use) { return !isHandedOn(use); };
      if (llvm::any_of(loop.getRegionIterArg(i).getUses(), isRead) ||
          llvm::any_of(loop.getResult(i).getUses(), isRead))
        read.insert({loop, i});
    }
  for (unsigned next = 0; next < read.size(); ++next) {
    auto [loop, number] = read[next];
    for (Value from : {loop.getInitArgs()[number], loop.getYieldedValues()[number]})
      if (std::optional<Carried> carried = getCarried(from))
        read.insert(*carried);
  }
  bool isChanged = false;
  for (scf::ForOp loop : loops) { // inner ones first
    llvm::BitVector isKept(loop.getNumResults());
    for (unsigned i = 0; i < isKept.size(); ++i)
      isKept[i] = read.contains({loop, i}) || !loop.getResult(i).getType().isIntOrFloat();
    if (isKept.all())
      continue;
    tk::keepArguments(loop, isKept);
    isChanged = true;
  }
  return isChanged;
}

void tkc::eraseUnread(Operation *root) {
  do
    root->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op) || (isa<hopper::FillOp>(op) && op->use_empty()))
        op->erase();
    });
  while (dropCarried(root));
}
