//===- PromoteOperandsToRegisters.cpp - Operands of MMAs in registers -----===//
//
// A loop of MMAs that all read the same left operand reads it from shared
// memory again in each iteration, beside the right one. Where registers are left
// it can be read once, before the loop: Q of attention. That takes a good part off
// what shared memory must deliver, and frees the buffer for the next tile at once.
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "analysis/registers/RegisterBudget.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/Tk.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include "remarks/Remarks.h"

namespace tkc {
#define GEN_PASS_DEF_PROMOTEOPERANDSTOREGISTERS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

/// True if a loop reads the tile again and again, and only as the left operand of MMAs that may
/// have it in registers.
static bool isKeepable(LoadOp load, MissedReason &missed) {
  auto tile = dyn_cast<TileType>(load.getResult().getType());
  if (!tile || load.getRing())
    return false;
  bool isLeftInLoop = false, isLeftOnly = true;
  for (OpOperand &use : load.getResult().getUses()) {
    auto mma = dyn_cast<MmaOp>(use.getOwner());
    bool isLeft = mma && use.get() == mma.getA() && mma.getB() != mma.getA() &&
                  (mma.getForm() == MmaForm::AB || mma.getForm() == MmaForm::ABt);
    auto loop = use.getOwner()->getParentOfType<scf::ForOp>();
    isLeftInLoop |= isLeft && loop && !loop->isProperAncestor(load);
    isLeftOnly &= isLeft;
  }
  if (!isLeftInLoop)
    return false;
  const std::string name = quoteTileName(load.getResult());
  const unsigned bits = getStorageBits(tile.getElementType());
  if (bits != 16)
    return missed.because(load.getLoc(), Remark::PromoteElements, name, bits);
  return isLeftOnly || missed.because(load.getLoc(), Remark::PromoteOtherUse, name);
}

/// Reads the tile into registers where it is used first.
static ReadOp keep(LoadOp load) {
  Operation *first = nullptr;
  for (Operation *user : load.getResult().getUsers()) {
    Operation *place = load->getBlock()->findAncestorOpInBlock(*user);
    if (!first || place->isBeforeInBlock(first))
      first = place;
  }
  auto tile = cast<TileType>(load.getResult().getType());
  OpBuilder builder(first);
  auto type = TileType::get(load.getContext(), tile.getRows(), tile.getCols(),
                            tile.getElementType(), Space::Register, Layout::Row);
  auto read = builder.create<ReadOp>(load.getLoc(), type, load.getResult(), ValueRange());
  load.getResult().replaceAllUsesExcept(read.getResult(), read);
  return read;
}

namespace {
struct PromoteOperandsToRegisters
    : tkc::impl::PromoteOperandsToRegistersBase<PromoteOperandsToRegisters> {
  void runOnOperation() override {
    forEachKernel<KernelOp>(getOperation(), [](KernelOp kernel) {
      SmallVector<LoadOp> loads;
      kernel.walk([&](LoadOp load) {
        MissedReason missed;
        if (isKeepable(load, missed))
          loads.push_back(load);
        missed.reportAt(kernel);
      });
      // The operand that is kept must not cost warpgroups.
      std::optional<int64_t> consumers = chooseConsumers(kernel);
      for (LoadOp load : loads) {
        ReadOp read = keep(load);
        bool isKept = consumers && chooseConsumers(kernel) == consumers;
        reportRemark(kernel, load.getLoc(), isKept ? Remark::PromoteDone : Remark::PromoteRegisters,
                     quoteTileName(load.getResult()));
        if (isKept)
          continue;
        read.replaceAllUsesWith(load.getResult());
        read.erase();
      }
    });
  }
};
} // namespace
