//===- ReadIndexAgain.cpp - The epilogue asks which warpgroup it is -------===//
//
// Where a warpgroup stages and stores its part of the tile follows from its index, and
// each thread has an address for every few columns. None of that differs from one tile of the
// grid to the next, so nvcc computes all of it before the first tile, and where the mainloop has
// no register left ptxas spills it: eight registers of attention_backward_causal. The index is
// one shuffle. An epilogue that reads it again computes its addresses where it needs them, for
// a compiler cannot know that a shuffle gives the same as the one before. Not so where the
// epilogue itself needs most registers, as for gelu: there addresses are better made before.
//
// Where warpgroups have tiles of their own, addresses of all shared tiles that stay follow from the
// index. A mainloop in which threads exchange 8-bit elements (tile/order.h) has no registers for
// them: it reads the index again in each iteration (mla_decode_fp8, 40 registers).
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/RegisterBound.h"
#include "analysis/registers/RegisterPrediction.h"
#include "dialect/hopper/Hopper.h"
#include "dialect/hopper/WarpgroupPrograms.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/IR/IRMapping.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"

namespace tkc {
#define GEN_PASS_DEF_READINDEXAGAIN
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

static bool multiplies(Operation &op) {
  return op.walk([](WgmmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// The last loop of the body that multiplies, and that something follows; null if there is none.
static Operation *getMainloop(TileLoopOp tiles) {
  Operation *last = nullptr;
  for (Operation &op : *tiles.getBody().begin())
    if (op.getNumRegions() && multiplies(op))
      last = &op;
  return last && last->getNextNode() ? last : nullptr;
}

/// A scalar that follows from the index of the role's warpgroup by scalar code alone, computed anew
/// at `builder`; null for any other value.
static Value recompute(Value value, OpBuilder &builder, IRMapping &anew) {
  if (Value known = anew.lookupOrNull(value))
    return known;
  Operation *made = value.getDefiningOp();
  if (!made || !isMemoryEffectFree(made) || made->getNumRegions() ||
      !value.getType().isIntOrFloat())
    return {};
  bool follows = false;
  for (Value operand : made->getOperands())
    follows |= bool(recompute(operand, builder, anew));
  if (!follows)
    return {};
  builder.clone(*made, anew);
  return anew.lookup(value);
}

/// Gives the operations after the builder's place an index of their own, if they need one.
static void readAgain(RoleOp role, Operation *mainloop, OpBuilder builder, StringRef reason) {
  auto again = builder.create<WarpgroupIndexOp>(getNamedLoc("consumer", mainloop->getLoc()),
                                                builder.getI32Type(), reason);
  IRMapping anew;
  anew.map(role.getBody().getArgument(0), again.getResult());
  SmallVector<OpOperand *> uses;
  for (Operation *op = again->getNextNode(); op; op = op->getNextNode())
    op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        uses.push_back(&operand);
    });
  for (OpOperand *use : uses)
    if (Value value = recompute(use->get(), builder, anew))
      use->set(value);
  if (again->use_empty())
    again.erase();
}

/// True if the warpgroups of a role have loops of their own: nvcc makes the addresses of all of
/// them before the first tile, so that there is no register left in any.
static bool hasOwnPrograms(RoleOp role) {
  return role
      .walk([](scf::IfOp branch) {
        return branch->hasAttr(ownProgramAttrName) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if a map of the loop reads 8-bit elements.
static bool exchangesElements(Operation *mainloop) {
  auto isExchanged = [](Value input) {
    auto tile = dyn_cast<FragmentType>(input.getType());
    return tile && tk::getStorageBits(tile.getElementType()) == 8;
  };
  return mainloop
      ->walk([&](MapOp map) {
        return llvm::any_of(map.getInputs(), isExchanged) ? WalkResult::interrupt()
                                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

static void readAgainInMainloop(RoleOp role) {
  role.walk([&](TileLoopOp tiles) {
    auto mainloop = dyn_cast_or_null<scf::ForOp>(getMainloop(tiles));
    if (mainloop && exchangesElements(mainloop))
      readAgain(role, mainloop, OpBuilder::atBlockBegin(mainloop.getBody()),
                "read again: the addresses that follow from it take no registers");
  });
}

static void readAgainWhereFull(RoleOp role) {
  const bool isDivided = hasOwnPrograms(role);
  if (role.getKind() != RoleKind::Consumer || role.getWarpgroups() == 1 ||
      !role->getParentOfType<KernelOp>().getPersistent().value_or(true))
    return;
  if (role.getEach() && !isDivided)
    return readAgainInMainloop(role);
  RegisterPrediction prediction = predictRegisters(role);
  if (prediction.most <= getAvailableRegisters(role) && !isDivided)
    return;
  role.walk([&](TileLoopOp tiles) {
    Operation *mainloop = getMainloop(tiles);
    Operation *place = tiles.getBody().front().findAncestorOpInBlock(*prediction.mostAt);
    bool isInEpilogue = mainloop && place && mainloop->isBeforeInBlock(place);
    if (!mainloop || isInEpilogue)
      return;
    OpBuilder builder(role.getContext());
    builder.setInsertionPointAfter(mainloop);
    readAgain(
        role, mainloop, builder,
        "read again: what follows from it is computed here and takes no registers in the mainloop");
  });
}

namespace {
struct ReadIndexAgain : tkc::impl::ReadIndexAgainBase<ReadIndexAgain> {
  void runOnOperation() override {
    forEachKernel<KernelOp>(getOperation(),
                            [](KernelOp kernel) { kernel.walk(readAgainWhereFull); });
  }
};
} // namespace
