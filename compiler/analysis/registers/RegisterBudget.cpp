//===- RegisterBudget.cpp - How registers are split between the roles -----===//
#include "analysis/registers/RegisterBudget.h"

#include "analysis/TileNames.h"
#include "analysis/cost/WarpgroupOrder.h"
#include "analysis/registers/RoleSplit.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/tk/Reducer.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TkChoiceOp.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "target/Target.h"

using namespace mlir;
using namespace tkc;

ArrayRef<RegisterSplit> tkc::getRegisterSplits(int64_t consumers) {
  ArrayRef<RegisterSplit> all(hopper::registerSplits);
  return all.drop_while([&](const RegisterSplit &split) { return split.consumers < consumers; })
      .take_while([&](const RegisterSplit &split) { return split.consumers == consumers; });
}

SmallVector<RegisterSplit> tkc::getRegisterSplits(int64_t consumers, int64_t blocksPerSm) {
  if (blocksPerSm == 1 || consumers < 1)
    return SmallVector<RegisterSplit>(getRegisterSplits(consumers));
  const int64_t warpgroups = consumers + 1, unit = hopper::registerUnit;
  const int64_t threads = warpgroups * hopper::warpgroupThreads * blocksPerSm;
  const int64_t entry = hopper::getEntryRegisters(threads);
  SmallVector<RegisterSplit> splits;
  for (int64_t producer : {56, 40, 24}) { // as in the table
    const int64_t consumer = (entry * warpgroups - producer) / consumers / unit * unit;
    if (threads <= hopper::smThreads && producer <= entry && consumer >= entry)
      splits.push_back({consumers, entry, producer, consumer});
  }
  return splits;
}

// A thread can name 255 registers, so 256 give it no more than 248, the next lower multiple of 8.
static constexpr int64_t maxUsableRegisters = 248;

int64_t tkc::getMaxRegisters(int64_t consumers) {
  int64_t most = 0;
  for (const RegisterSplit &split : getRegisterSplits(consumers))
    most = std::max(most, std::min(split.consumer, maxUsableRegisters));
  return most;
}

int64_t tkc::getTileRegisters(int64_t consumers, int64_t given, int64_t beside) {
  const int64_t most = getMaxRegisters(consumers);
  return std::max<int64_t>(0, (given ? std::min(given, most) : most) - beside);
}

int64_t tkc::getMaxTileRegisters(int64_t consumers) {
  return getTileRegisters(consumers, /*given=*/0, hopper::getRegistersBesideTiles(consumers));
}

int64_t tkc::getMaxTileRegisters(hopper::RoleOp consumer) {
  const int64_t consumers = consumer.getWarpgroups();
  return getTileRegisters(consumers, consumer.getRegisters(),
                          hopper::getRegistersBesideTiles(consumers));
}

int64_t tkc::getMaxTileRegistersBesideScanner(int64_t consumers) {
  int64_t most = 0;
  for (const RegisterSplit &split : getRegisterSplits(consumers))
    if (split.producer >= scannerRegisters)
      most = std::max(most, std::min(split.consumer, maxUsableRegisters));
  return std::max<int64_t>(0, most - hopper::getRegistersBesideTiles(consumers));
}

static bool dividesHeights(tk::KernelOp kernel, int64_t consumers) {
  auto isUneven = [&](Type type) {
    auto tile = dyn_cast<tk::TileType>(type);
    return tile && tile.isRegister() &&
           tile.getRows() % (getTarget().getRowUnit(TileHolder::Warpgroups) * consumers);
  };
  return !kernel
              .walk([&](Operation *op) {
                bool isObstacle =
                    !tk::isReducers(op) && llvm::any_of(op->getResultTypes(), isUneven);
                return isObstacle ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

static RegisterFit getFitOf(tk::KernelOp kernel, int64_t consumers) {
  bool hasPingPongTiles = kernel->hasAttr(tk::pingpongTilesAttrName);
  if (hasPingPongTiles && consumers != 2)
    return RegisterFit::None;
  int64_t sharers = hasPingPongTiles ? 1 : consumers;
  if (kernel->hasAttr(tk::reducersAttrName))
    return consumers == 1 && splitWithOutputs(kernel).entry ? RegisterFit::Roomy
                                                            : RegisterFit::None;
  if (kernel.getConsumers().value_or(consumers) != uint64_t(consumers) ||
      !dividesHeights(kernel, sharers))
    return RegisterFit::None;
  const int64_t needed =
      getTilesAtPeak(TileRegisters(kernel, sharers), getReducerTiles(kernel) > 0);
  return needed <= getMaxTileRegisters(kernel, consumers)    ? RegisterFit::Roomy
         : needed <= getTileRegisterLimit(kernel, consumers) ? RegisterFit::Tight
                                                             : RegisterFit::None;
}

std::optional<int64_t> tkc::chooseConsumers(tk::KernelOp kernel) {
  SmallVector<int64_t, 4> preferred = getPreferredConsumers(kernel);
  const int64_t *best = llvm::find_if(preferred, [&](int64_t consumers) {
    return getFitOf(kernel, consumers) == RegisterFit::Roomy;
  });
  return best == preferred.end() ? std::nullopt : std::optional<int64_t>(*best);
}

RegisterFit tkc::getRegisterFit(tk::KernelOp kernel) {
  RegisterFit best = RegisterFit::None;
  for (int64_t consumers : getPreferredConsumers(kernel))
    best = std::max(best, getFitOf(kernel, consumers));
  return best;
}

int64_t tkc::getMaxInstructionWidth(int64_t consumers, int64_t blocksPerSm) {
  SmallVector<RegisterSplit> splits = getRegisterSplits(consumers, blocksPerSm);
  if (splits.empty())
    return 0;
  int64_t width = 2 * (splits.front().entry - hopper::entryBesideMma);
  return std::min(width / 8 * 8, getTarget().getMaxMmaWidth());
}

static int64_t getWidth(int64_t n, tk::MmaForm form, int64_t bCols, Type element) {
  bool isBContiguousAlongN = form == tk::MmaForm::AB || form == tk::MmaForm::AtB;
  return getTarget().getMmaWidth(n, isBContiguousAlongN, bCols, element);
}

int64_t tkc::getInstructionWidth(tk::MmaOp mma) {
  auto b = cast<tk::TileType>(mma.getB().getType());
  return getWidth(cast<tk::TileType>(mma.getAcc().getType()).getCols(), mma.getForm(), b.getCols(),
                  b.getElementType());
}

int64_t tkc::getInstructionWidth(hopper::WgmmaOp wgmma) {
  hopper::SharedType b = wgmma.getB().getType();
  return getWidth(wgmma.getAcc().getType().getCols(), wgmma.getForm(), b.getCols(),
                  b.getElementType());
}

void tkc::noteLiveTiles(InFlightDiagnostic &diagnostic, const TilePressure &peak,
                        int64_t warpgroups) {
  for (Value tile : peak.alive) {
    Diagnostic &note = diagnostic.attachNote(getDeclaration(tile));
    note << quoteTileName(tile) << " holds "
         << TileRegisters::getRegisters(tile.getType(), warpgroups);
    if (unsigned last = getLastLine(tile))
      note << " from here to line " << last;
  }
}

void tkc::noteBlocksPerSm(InFlightDiagnostic &diagnostic, Operation *kernel, int64_t blocks) {
  if (blocks > 1)
    diagnostic.attachNote(kernel->getLoc())
        << "'blocks_per_sm' divides the SM's registers and shared memory among " << blocks
        << " blocks; ask for fewer";
}

void tkc::noteFix(InFlightDiagnostic &diagnostic, const TilePressure &peak, int64_t warpgroups,
                  int64_t available) {
  Diagnostic &note = diagnostic.attachNote(peak.op->getLoc());
  if (peak.alive.size() > 1) {
    note << "make these tiles " << peak.registers - available
         << " registers smaller in all, by fewer columns or rows";
    return;
  }
  auto tile = cast<tk::ElementsInterface>(peak.alive.front().getType());
  if (tile.isVector()) {
    note << "a vector of at most "
         << available * (tile.getRows() + tile.getCols()) / peak.registers / 16 * 16
         << " elements fits";
    return;
  }
  // Registers grow with the columns: those of 16 columns tell how many fit.
  int64_t cols = tile.getCols();
  note << "a tile of this height fits with at most " << available * cols / peak.registers / 16 * 16
       << " columns";
}
