//===- RoleSplit.cpp - Registers of blocks with a reducer -----------------===//
#include "analysis/registers/RoleSplit.h"

#include "analysis/registers/RegisterBudget.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/Reducer.h"

using namespace mlir;
using namespace tkc;

// Measured with ptxas 13.0: a reducer of 64 x 64 needs 64 registers in all, and spills with fewer
// than 72; below its need, setmaxnreg is ignored for the whole kernel (C7507).
static constexpr int64_t besideReducer = 40;
// setmaxnreg gives multiples of 8, at least 24 and to a thread no more than 240 of use.
static constexpr int64_t unit = 8, leastRegisters = 24, mostRegisters = 240;

RoleSplit tkc::splitWithReducer(int64_t consumers, int64_t tiles) {
  ArrayRef<RegisterSplit> alike = getRegisterSplits(consumers + 1); // as many warpgroups
  if (alike.empty())
    return {};
  RoleSplit split;
  split.entry = alike.front().entry;
  split.producer = leastRegisters;
  split.reducer = std::min<int64_t>(split.entry, llvm::alignTo(tiles + besideReducer, unit));
  int64_t left = split.entry * (consumers + 2) - split.producer - split.reducer;
  split.consumer = std::min(left / consumers / unit * unit, mostRegisters);
  return split.consumer < split.entry || split.reducer < tiles + besideReducer ? RoleSplit()
                                                                               : split;
}

int64_t tkc::getReducerTiles(tk::KernelOp kernel) {
  int64_t tiles = 0;
  kernel.walk([&](tk::MmaOp mma) {
    if (tk::isReducers(mma))
      tiles = std::max(tiles, TileRegisters::getRegisters(mma.getResult().getType(), 1));
  });
  return tiles;
}

int64_t tkc::getReducerTiles(hopper::RoleOp reducer) {
  int64_t tiles = 0;
  reducer.walk([&](hopper::WgmmaOp wgmma) {
    tiles = std::max(tiles, TileRegisters::getRegisters(wgmma.getResult().getType(), 1));
  });
  return tiles;
}

int64_t tkc::getMaxTileRegisters(tk::KernelOp kernel, int64_t consumers) {
  int64_t reducer = getReducerTiles(kernel);
  if (!reducer)
    return getMaxTileRegisters(consumers);
  return std::max<int64_t>(0, splitWithReducer(consumers, reducer).consumer -
                                  registersBesideReducersTiles);
}

int64_t tkc::getTilesAtPeak(const TileRegisters &tiles, bool hasReducer) {
  if (!hasReducer)
    return tiles.getPeak().registers;
  int64_t most = 0;
  for (const TilePressure &pressure : tiles.getPoints()) {
    int64_t registers = pressure.registers;
    for (Value value : pressure.alive)
      if (auto elements = dyn_cast<tk::ElementsInterface>(value.getType());
          elements && elements.isVector() && !elements.getRows())
        registers -= TileRegisters::getRegisters(value.getType(), 1);
    most = std::max(most, registers);
  }
  return most;
}
