//===- RoleSplit.cpp - Registers of blocks with a reducer -----------------===//
#include "analysis/registers/RoleSplit.h"

#include "analysis/registers/RegisterBudget.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/Reducer.h"
#include "dialect/tk/Scanner.h"
#include "dialect/tk/TkChoiceOp.h"
#include "dialect/tk/TkElementOp.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "target/HopperModel.h"

using namespace mlir;
using namespace tkc;

// Measured with ptxas 13.0: a reducer of 64 x 64 needs 64 registers in all, and spills with fewer
// than 72; below its need, setmaxnreg is ignored for the whole kernel (C7507).
static constexpr int64_t besideReducer = 40;
// A reducer that computes all that leaves an iteration: Mamba-2's takes 132 for tiles at most, and
// is serialised with fewer than 168.
static constexpr int64_t besideOutputs = 36;
// A consumer that carries tiles beside such reducers: Mamba-2's with 128 states takes 146 for
// tiles, or 162 with both heads' MMAs at once, and is serialised with fewer than 176, or 192.
static constexpr int64_t besideCarried = 30;
// Of scanner warps where the outputs need the rest: Mamba-2's spill nothing, or some bytes.
static constexpr int64_t fewScannerRegisters = 32;
// setmaxnreg gives at least 24, and to a thread no more than 240 of use.
static constexpr int64_t leastRegisters = 24, mostRegisters = 240;

RoleSplit tkc::splitWithReducer(int64_t consumers, int64_t tiles, bool reducerLoads) {
  const int64_t warpgroups = consumers + (reducerLoads ? 1 : 2);
  ArrayRef<RegisterSplit> alike = getRegisterSplits(warpgroups - 1); // as many warpgroups
  if (alike.empty())
    return {};
  const int64_t needed = tiles + besideReducer + (reducerLoads ? hopper::reducersLoadsExtra : 0);
  RoleSplit split;
  split.entry = alike.front().entry;
  split.producer = reducerLoads ? 0 : leastRegisters;
  split.reducer = std::min<int64_t>(split.entry, llvm::alignTo(needed, hopper::registerUnit));
  int64_t left = split.entry * warpgroups - split.producer - split.reducer;
  split.consumer =
      std::min(left / consumers / hopper::registerUnit * hopper::registerUnit, mostRegisters);
  return split.consumer < split.entry || split.reducer < needed ? RoleSplit() : split;
}

/// The split whose producer has so many registers, whatever that leaves to the reducers.
static RoleSplit splitBesideProducer(int64_t producer, int64_t carried, int64_t reducers) {
  const int64_t warpgroups = reducers + 2;
  ArrayRef<RegisterSplit> alike = getRegisterSplits(warpgroups - 1);
  if (alike.empty())
    return {};
  RoleSplit split;
  split.entry = alike.front().entry;
  split.producer = producer;
  split.consumer =
      std::max<int64_t>(split.entry, llvm::alignTo(carried + besideCarried, hopper::registerUnit));
  int64_t left = split.entry * warpgroups - split.producer - split.consumer;
  split.reducer =
      std::min(left / reducers / hopper::registerUnit * hopper::registerUnit, mostRegisters);
  // The consumer has the rest that the reducers cannot share.
  split.consumer = std::min(split.consumer + (left - split.reducer * reducers) /
                                                 hopper::registerUnit * hopper::registerUnit,
                            std::max(split.consumer, mostRegisters));
  return split.consumer <= mostRegisters ? split : RoleSplit();
}

RoleSplit tkc::splitWithOutputs(int64_t carried, int64_t outputs, int64_t reducers,
                                bool hasScanner) {
  const int64_t needed = outputs + besideOutputs;
  RoleSplit split =
      splitBesideProducer(hasScanner ? scannerRegisters : leastRegisters, carried, reducers);
  if (hasScanner && split.reducer < needed)
    split = splitBesideProducer(fewScannerRegisters, carried, reducers);
  return split.reducer < needed ? RoleSplit() : split;
}

/// True if nothing but an MMA in flight may still read the tile at `op`, and a later one of its
/// type is alive, which takes its registers (passes/finish/ShareRegisters.cpp): the MMA is waited
/// for.
static bool isTakenOver(Value tile, const TilePressure &pressure) {
  auto isBefore = [&](Operation *other) {
    return other->getBlock() == pressure.op->getBlock() && other->isBeforeInBlock(pressure.op);
  };
  return llvm::all_of(tile.getUsers(), isBefore) && llvm::any_of(pressure.alive, [&](Value later) {
           Operation *made = later.getDefiningOp();
           return made && later.getType() == tile.getType() &&
                  llvm::all_of(tile.getUsers(), [&](Operation *user) {
                    return user->getBlock() == made->getBlock() && user->isBeforeInBlock(made);
                  });
         });
}

int64_t tkc::getTilesOfPart(const TileRegisters &tiles, bool withCarried) {
  auto isRowVector = [](Type type) {
    auto elements = dyn_cast<tk::ElementsInterface>(type);
    return elements && elements.isVector() && !elements.getRows();
  };
  auto isStored = [](Operation *user) { return isa<tk::WriteOp, hopper::StoreFragmentOp>(user); };
  int64_t most = 0;
  for (const TilePressure &pressure : tiles.getPoints()) {
    int64_t registers = pressure.registers;
    for (Value value : pressure.alive)
      if (isRowVector(value.getType()) || llvm::all_of(value.getUsers(), isStored) ||
          isTakenOver(value, pressure) || (!withCarried && isa<BlockArgument>(value)))
        registers -= TileRegisters::getRegisters(value.getType(), 1);
    most = std::max(most, registers);
  }
  return most;
}

RoleSplit tkc::splitWithOutputs(tk::KernelOp kernel) {
  OwningOpRef<tk::KernelOp> outputs = kernel.clone(); // whose parts have changed places
  outputs->walk([&](Operation *op) {
    if (tk::isReducers(op))
      op->removeAttr(tk::reducerAttrName);
    else
      op->setAttr(tk::reducerAttrName, UnitAttr::get(op->getContext()));
  });
  return splitWithOutputs(getTilesOfPart(TileRegisters(kernel), /*withCarried=*/true),
                          getTilesOfPart(TileRegisters(*outputs), /*withCarried=*/false),
                          tk::getReducers(kernel), tk::holdsScanners(kernel));
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
  if (!reducer || kernel->hasAttr(tk::pingpongTilesAttrName) ||
      kernel->hasAttr(tk::reducersAttrName) || !meetsAllLoads(kernel))
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

static int64_t getTilesBeside(tk::KernelOp kernel, int64_t consumers, int64_t beside) {
  int64_t reducer = getReducerTiles(kernel);
  if (kernel->hasAttr(tk::reducersAttrName))
    return std::max<int64_t>(0, splitWithOutputs(kernel).consumer - registersBesideReducersTiles);
  return reducer
             ? getRoom(consumers, reducer, doesReducerLoad(kernel, consumers))
             : getTileRegisters(consumers,
                                kernel.getRegisters() ? kernel.getRegisters()->back() : 0, beside);
}

int64_t tkc::getMaxTileRegisters(tk::KernelOp kernel, int64_t consumers) {
  return getTilesBeside(kernel, consumers, hopper::getRegistersBesideTiles(consumers));
}

int64_t tkc::getTileRegisterLimit(tk::KernelOp kernel, int64_t consumers) {
  return getTilesBeside(kernel, consumers, hopper::leastBesideTiles);
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
