//===- AssignVariables.cpp - Copies where one variable would hold two -----===//
//
// In the IR an MMA makes a new tile, a loop hands tiles on from iteration to
// iteration, a branch chooses between two. In CUDA each of these is one variable
// that is overwritten. Where the old value is still needed there must be a copy,
// and nowhere else: a copied accumulator is 128 registers and as many moves.
//
// The way out of SSA that Sreedhar et al. call method I ("Translating Out of
// Static Single Assignment Form", SAS 1999): first copy everywhere, so that what
// must be one variable lives nowhere else; then take away each copy whose two
// sides are never alive at once, innermost loops and large tiles first. A copy that is
// left stands as late as possible, before the op that overwrites.
//
// It runs before tk-insert-waits, which must see who writes which registers.
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "analysis/registers/FragmentVariables.h"
#include "analysis/registers/TileRegisters.h"
#include "analysis/registers/ValueLifetimes.h"
#include "dialect/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include "passes/finish/ShareRegisters.h"

namespace tkc {
#define GEN_PASS_DEF_ASSIGNVARIABLES
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Copies everywhere
//===----------------------------------------------------------------------===//

/// The operands that end in a variable which others hold before or after.
static void collectOverwriting(Operation *op, SmallVector<OpOperand *> &operands) {
  auto add = [&](OpOperand &operand) {
    if (isInRegisters(operand.get()))
      operands.push_back(&operand);
  };
  if (Value tied = getTiedOperand(op))
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == tied) {
        add(operand);
        break;
      }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    llvm::for_each(loop.getInitArgsMutable(), add);
  if (isa<scf::YieldOp>(op))
    llvm::for_each(op->getOpOperands(), add);
}

/// The name is the source's; the place is the copy's.
static CopyOp copy(OpBuilder &builder, Value value) {
  return builder.create<CopyOp>(value.getLoc(), value.getType(), value);
}

static void isolate(RoleOp role) {
  SmallVector<OpOperand *> operands;
  SmallVector<BlockArgument> arguments;
  role.walk([&](Operation *op) {
    collectOverwriting(op, operands);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      llvm::copy_if(loop.getRegionIterArgs(), std::back_inserter(arguments), isInRegisters);
  });
  for (OpOperand *operand : operands) {
    OpBuilder builder(operand->getOwner());
    operand->set(copy(builder, operand->get()));
  }
  for (BlockArgument argument : arguments) {
    OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
    CopyOp isolated = copy(builder, argument);
    argument.replaceAllUsesExcept(isolated, isolated);
  }
}

//===----------------------------------------------------------------------===//
// Fewer copies
//===----------------------------------------------------------------------===//

static int64_t countLoops(Operation *op) {
  int64_t loops = 0;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    loops += isLoop(parent);
  return loops;
}

/// Takes away the copies whose two sides can be one variable, the dearest first.
static void coalesce(RoleOp role) {
  SmallVector<CopyOp> copies;
  role.walk([&](CopyOp copy) { copies.push_back(copy); });
  llvm::stable_sort(copies, [](CopyOp a, CopyOp b) {
    auto cost = [](CopyOp copy) {
      return std::pair(countLoops(copy), TileRegisters::getRegisters(copy.getType(), 1));
    };
    return cost(a) > cost(b);
  });
  for (CopyOp copy : copies) {
    FragmentVariables variables(role, /*inPlace=*/false);
    unsigned from = variables.lookup(copy.getSource()), to = variables.lookup(copy.getResult());
    if (from != to && !variables.mayMerge(from, to))
      continue;
    copy.replaceAllUsesWith(copy.getSource());
    copy.erase();
  }
}

/// A variable that holds nothing is declared anew instead of copied.
static void renewUninitialized(RoleOp role) {
  SmallVector<CopyOp> copies;
  role.walk([&](CopyOp copy) {
    if (copy.getSource().getDefiningOp<UninitializedOp>())
      copies.push_back(copy);
  });
  for (CopyOp copy : copies) {
    OpBuilder builder(copy);
    copy.replaceAllUsesWith(builder.clone(*copy.getSource().getDefiningOp())->getResult(0));
    copy.erase();
  }
}

/// An MMA whose result is copied ends its group, for the copy has to wait for it.
static void commitBeforeCopies(RoleOp role) {
  role.walk([&](CopyOp copy) {
    auto mma = copy.getSource().getDefiningOp<WgmmaOp>();
    if (!mma || mma->getBlock() != copy->getBlock())
      return;
    for (Operation *op = mma; op != copy; op = op->getNextNode())
      if (isa<CommitWgmmaOp>(op))
        return;
    OpBuilder(copy).create<CommitWgmmaOp>(mma.getLoc());
  });
}

/// True if the role's block has a reducer, which leaves it few registers.
static bool hasReducer(RoleOp role) {
  return llvm::any_of(role->getBlock()->getOps<RoleOp>(),
                      [](RoleOp other) { return other.getKind() == RoleKind::Reducer; });
}

static void assign(RoleOp role) {
  isolate(role);
  coalesce(role);
  renewUninitialized(role);
  commitBeforeCopies(role);
  if (role.getKind() == RoleKind::Consumer && hasReducer(role))
    shareRegisters(role);
}

namespace {
struct AssignVariables : tkc::impl::AssignVariablesBase<AssignVariables> {
  void runOnOperation() override {
    forEachKernel<KernelOp>(getOperation(), [](KernelOp kernel) { kernel.walk(assign); });
  }
};
} // namespace
