//===- RoleSplit.cpp - Registers of blocks with a reducer -----------------===//
#include "analysis/registers/RoleSplit.h"

#include "analysis/registers/RegisterBudget.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/Reducer.h"
#include "dialect/tk/TkChoiceOp.h"
#include "dialect/tk/TkElementOp.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "target/HopperModel.h"

using namespace mlir;
using namespace tkc;

// Measured with ptxas 13.0: a reducer of 64 x 64 needs 64 registers in all, and spills with fewer
// than 72; below its need, setmaxnreg is ignored for the whole kernel (C7507).
static constexpr int64_t besideReducer = 40;
// setmaxnreg gives multiples of 8, at least 24 and to a thread no more than 240 of use.
static constexpr int64_t unit = 8, leastRegisters = 24, mostRegisters = 240;

RoleSplit tkc::splitWithReducer(int64_t consumers, int64_t tiles, bool reducerLoads) {
  const int64_t warpgroups = consumers + (reducerLoads ? 1 : 2);
  ArrayRef<RegisterSplit> alike = getRegisterSplits(warpgroups - 1); // as many warpgroups
  if (alike.empty())
    return {};
  const int64_t needed = tiles + besideReducer + (reducerLoads ? hopper::reducersLoadsExtra : 0);
  RoleSplit split;
  split.entry = alike.front().entry;
  split.producer = reducerLoads ? 0 : leastRegisters;
  split.reducer = std::min<int64_t>(split.entry, llvm::alignTo(needed, unit));
  int64_t left = split.entry * warpgroups - split.producer - split.reducer;
  split.consumer = std::min(left / consumers / unit * unit, mostRegisters);
  return split.consumer < split.entry || split.reducer < needed ? RoleSplit() : split;
}

/// The registers that such a split leaves to a consumer's tiles.
static int64_t getRoom(int64_t consumers, int64_t reducer, bool reducerLoads) {
  int64_t registers = splitWithReducer(consumers, reducer, reducerLoads).consumer;
  return std::max<int64_t>(0, registers - registersBesideReducersTiles);
}

/// The reducer loads an iteration ahead of the one that it works on, whose indices must not depend
/// on scalars of the loop.
static bool carriesScalars(scf::ForOp loop) {
  return llvm::any_of(loop.getInitArgs().getTypes(),
                      [](Type type) { return !isa<tk::TileType, tk::TileVectorType>(type); });
}

/// True if the reducer comes past all that is loaded: loads stand in its loop or in those around
/// it.
static bool meetsAllLoads(tk::KernelOp kernel) {
  auto isElsewhere = [](Operation *op) {
    if (isa<tk::ElementOp, tk::EachOp>(op))
      return true; // copied with the tiles, or by each worker
    if (!isa<tk::LoadOp>(op))
      return false;
    for (Operation *parent = op->getParentOp(); !isa<tk::GridOp, tk::KernelOp>(parent);
         parent = parent->getParentOp()) {
      auto loop = dyn_cast<scf::ForOp>(parent);
      if (!loop || !tk::holdsReducers(loop) || carriesScalars(loop))
        return true;
    }
    return false;
  };
  return !kernel
              .walk([&](Operation *op) {
                return isElsewhere(op) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

bool tkc::doesReducerLoad(tk::KernelOp kernel, int64_t consumers) {
  int64_t reducer = getReducerTiles(kernel);
  if (!reducer || kernel->hasAttr(tk::pingpongTilesAttrName) || !meetsAllLoads(kernel))
    return false;
  int64_t needed = getTilesAtPeak(TileRegisters(kernel, consumers), /*hasReducer=*/true);
  return needed > getRoom(consumers, reducer, /*reducerLoads=*/false) &&
         needed <= getRoom(consumers, reducer, /*reducerLoads=*/true);
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
  return reducer ? getRoom(consumers, reducer, doesReducerLoad(kernel, consumers))
                 : getMaxTileRegisters(consumers);
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
