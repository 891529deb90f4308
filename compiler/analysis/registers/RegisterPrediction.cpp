//===- RegisterPrediction.cpp - Registers that ptxas will use -------------===//
//
// At each operation: the tiles that are alive, the operation's own registers
// beside them, and a constant for values that are alive everywhere. The prediction is the
// largest sum. docs/registers.md has the measurements after each number.
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/RegisterPrediction.h"

#include "analysis/registers/RegisterBound.h"
#include "analysis/registers/RegisterBudget.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperElementOps.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/HopperPartOps.h"
#include "dialect/hopper/SharedLayout.h"
#include "dialect/tk/TkElementOp.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "target/HopperModel.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

// The accumulator of an MMA over 256 columns.
static constexpr int64_t wideAccumulator = 128;

/// True if one of these is computed for each element.
template <typename... Ops> static bool holds(MapOp map) {
  return map.getBody()
      .walk([](Operation *inner) {
        return isa<Ops...>(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Registers that exponentials of many tiles take.
static int64_t getExponentialsExtra(RoleOp role) {
  int64_t tiles = 0;
  role.walk([&](MapOp map) {
    tiles += holds<math::Exp2Op, math::ExpOp>(map) && isa<FragmentType>(map.getResult(0).getType());
  });
  return exponentialExtra * std::max<int64_t>(0, tiles - usualExponentials);
}

/// Registers of the tile that goes round a rotated loop (RotateLoops.cpp): ptxas computes it beside
/// the one that an MMA still reads.
static int64_t getRotatedExtra(RoleOp role) {
  int64_t registers = 0;
  role.walk([&](scf::IfOp branch) {
    if (branch->hasAttr(leavesLoopAttrName))
      registers = std::max(registers,
                           TileRegisters::getRegisters(branch->getResults().back().getType(), 1));
  });
  return registers;
}

/// Registers that a reducer needs for its loads, or saves where it adds to memory from registers.
static int64_t getReducerExtra(RoleOp role) {
  if (role.getKind() != RoleKind::Reducer)
    return 0;
  bool isStaged =
      role.walk([](StoreFragmentOp) { return WalkResult::interrupt(); }).wasInterrupted();
  return (startsLoads(role) ? reducersLoadsExtra : 0) - (isStaged ? 0 : addedTileSaves);
}

template <typename Key> static int64_t getMost(const llvm::DenseMap<Key, int64_t> &counts) {
  int64_t most = 0;
  for (auto [key, count] : counts)
    most = std::max(most, count);
  return most;
}

/// Elements of tensors that one block of the role reads, at most: numbers of pages.
static int64_t getMostElements(RoleOp role) {
  llvm::DenseMap<Block *, int64_t> counts;
  role.walk([&](tk::ElementOp element) { ++counts[element->getBlock()]; });
  return getMost(counts);
}

/// Copies into one stage, at most: tiles of so many workers, each with coordinates of its own.
static int64_t getMostCopies(RoleOp role) {
  llvm::DenseMap<Value, int64_t> counts;
  role.walk([&](TmaLoadOp load) {
    auto part = load.getDest().getDefiningOp<RowsOp>();
    ++counts[part ? part.getSource() : load.getDest()];
  });
  return getMost(counts);
}

/// Registers of a loader beside those of the loads themselves.
static int64_t getLoaderExtra(RoleOp role) {
  bool isDynamic = false, readsElements = false, loadsParts = false;
  int64_t ofTile = 0;
  role.walk([&](Operation *op) {
    if (auto loop = dyn_cast<TileLoopOp>(op))
      isDynamic |= loop.getDynamic();
    readsElements |= isa<tk::ElementOp, CopyElementOp>(op);
    ofTile += isa<tk::ElementOp>(op) && !op->getParentOfType<scf::ForOp>();
    loadsParts |= getTileCompletedBy(op, Completion::Bytes) &&
                  llvm::any_of(op->getOperands(), [](Value operand) {
                    return isa_and_nonnull<PartMapOp>(operand.getDefiningOp());
                  });
  });
  int64_t underWay = std::max<int64_t>(0, getMostElements(role) - usualElements),
          copies = std::max<int64_t>(0, getMostCopies(role) - usualCopies);
  return (isDynamic ? schedulerExtra + staticOrderExtra : 0) + (readsElements ? elementExtra : 0) +
         underWay * elementUnderWay + copies * copyCoordinates + (loadsParts ? partExtra : 0) +
         std::max<int64_t>(0, ofTile - usualTileElements) * tileElement;
}

static bool hasDynamicTiles(RoleOp role) {
  return role
      .walk([](TileLoopOp loop) {
        return loop.getDynamic() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if MMAs of a loop made the value, which may have been scaled in place since.
static bool isAccumulatedInLoop(Value value) {
  if (auto map = value.getDefiningOp<MapOp>(); map && map.getInputs().size() == 1)
    value = map.getInputs().front();
  auto result = dyn_cast<OpResult>(value);
  auto loop = result ? dyn_cast<scf::ForOp>(result.getOwner()) : scf::ForOp();
  if (!loop)
    return false;
  Value yielded = loop.getYieldedValues()[result.getResultNumber()];
  return yielded.getDefiningOp<WgmmaOp>() || isAccumulatedInLoop(yielded);
}

/// How often the innermost loop around `op` is unrolled; 1 if it is not.
static int64_t getCopies(Operation *op) {
  auto loop = op->getParentOfType<scf::ForOp>();
  if (!loop || !loop->hasAttr(unrollAttrName))
    return 1;
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return lower && upper && step && *step > 0 ? llvm::divideCeil(*upper - *lower, *step) : 1;
}

/// The accumulator of a loop keeps its registers while it is stored, because whether the next
/// tile's first MMA reads them is known only when it runs, and ptxas packs the next columns
/// while it waits for the last ones.
static int64_t getPacked(StoreFragmentOp store, bool isAlone) {
  if (!isAccumulatedInLoop(store.getSource()))
    return 0;
  SharedType dest = store.getDest().getType();
  if (dest.getElementType().isF32())
    return isAlone ? 0 : floatStoreExtra;
  int64_t packed = dest.getRows() * dest.getCols() * tk::getStorageBits(dest.getElementType()) /
                   (32 * warpgroupThreads);
  int64_t copies = getCopies(store);
  if (isAlone)
    return packed * std::min<int64_t>(copies, 2) - packedAloneSaves;
  return packed * (1 + std::min<int64_t>(copies, 4)) / 4 - packedSaves;
}

/// True for a map of several tiles in which one special function follows another.
static bool isGate(MapOp map) {
  int64_t functions = 0;
  map.getBody().walk(
      [&](Operation *inner) { functions += isa<math::Exp2Op, math::ExpOp, arith::DivFOp>(inner); });
  return functions >= 2 && llvm::count_if(map.getInputs(), [](Value input) {
                             return isa<FragmentType>(input.getType());
                           }) >= 2;
}

static bool isOpenEnded(RoleOp role) {
  bool draws = false, multiplies = false;
  role.walk([&](Operation *op) {
    draws |= isa<tk::RandomOp>(op);
    multiplies |= isa<WgmmaOp, MmaSyncOp>(op);
  });
  return draws || (role.getEach() && !multiplies);
}

static bool readsManyTiles(MapOp map) {
  return llvm::count_if(map.getInputs(),
                        [](Value input) { return isa<FragmentType>(input.getType()); }) >= 4;
}

static bool dependsOn(Value value, Value argument) {
  Operation *op = value.getDefiningOp();
  return value == argument || (op && llvm::any_of(op->getOperands(), [&](Value operand) {
                                 return dependsOn(operand, argument);
                               }));
}

/// True if a stage is given back between the wait for MMAs and the map: a branch, over which ptxas
/// computes nothing in advance.
static bool followsArrival(MapOp map) {
  bool hasArrival = false;
  for (Operation *op = map->getPrevNode(); op; op = op->getPrevNode()) {
    if (isa<WaitWgmmaOp>(op))
      return hasArrival;
    hasArrival |= isa<ArriveOp>(op);
  }
  return false;
}

/// Factors of an MMA's result: exponentials that do not depend on it are computed while it is
/// awaited, all of them, with the next ones' arguments.
static int64_t getComputedAhead(MapOp map) {
  int64_t registers = 0;
  if (followsArrival(map))
    return registers;
  for (auto [input, argument] : llvm::zip(map.getInputs(), map.getBody().getArguments())) {
    if (!input.getDefiningOp<WgmmaOp>() || !isa<FragmentType>(map.getResult(0).getType()))
      continue;
    Value mma = argument;
    map.getBody().walk([&](math::Exp2Op exponential) {
      if (!dependsOn(exponential, mma))
        registers = TileRegisters::getRegisters(map.getResult(0).getType(), 1) * 2;
    });
  }
  return registers;
}

/// Threads exchange 8-bit elements before a map computes with them (tile/order.h).
static int64_t getExchanged(MapOp map) {
  int64_t registers = 0;
  for (Value input : map.getInputs())
    if (auto tile = dyn_cast<FragmentType>(input.getType());
        tile && tk::getStorageBits(tile.getElementType()) == 8)
      registers = std::max(registers, TileRegisters::getRegisters(tile, 1));
  return registers * exchangedTiles;
}

static bool hasWideAccumulator(const TilePressure &pressure) {
  bool isWide = llvm::any_of(pressure.alive, [](Value value) {
    return TileRegisters::getRegisters(value.getType(), 1) >= wideAccumulator;
  });
  return isWide && pressure.registers > wideAccumulator + 8;
}

/// The boxes of the largest load.
static int64_t getMostBoxes(RoleOp role) {
  int64_t most = 0;
  role.walk([&](SharedAccess access) {
    Value loaded = getTileCompletedBy(access, Completion::Bytes);
    if (!loaded)
      return;
    auto dest = cast<SharedType>(loaded.getType());
    int64_t cols = getAtomCols(dest.getCols(), dest.getElementType());
    most = std::max(most, cols ? dest.getCols() / cols : 1);
  });
  return most;
}

/// Registers for the warps of a scanner; 0 for a warpgroup without any.
static int64_t getScannerRegisters(RoleOp role) {
  if (role.getKind() == RoleKind::Producer) {
    auto roles = role->getBlock()->getOps<RoleOp>();
    return llvm::any_of(roles, isScanner) ? scannerRegisters : 0;
  }
  return isScanner(role) ? scannerRegisters : 0;
}

RegisterPrediction tkc::predictRegisters(RoleOp role) {
  TileRegisters tiles(role);
  RegisterPrediction prediction;
  prediction.peak = tiles.getPeak();
  int64_t scheduler = (hasDynamicTiles(role) ? schedulerExtra : 0) + getReducerExtra(role) +
                      getRotatedExtra(role),
          exponentials =
              getExponentialsExtra(role) + (hasInvariantTile(role) ? invariantTileExtra : 0);
  if (!prediction.peak.op || isScanner(role)) {
    int64_t boxes = std::max<int64_t>(0, getMostBoxes(role) - usualBoxes);
    boxes += boxes / boxesForOneMore;
    prediction.expected = prediction.least = prediction.advised = prediction.most =
        std::max(loaderRegisters + getLoaderExtra(role) + boxes, getScannerRegisters(role));
    return prediction;
  }
  prediction.isOpenEnded = isOpenEnded(role);
  bool isAlone = role.getWarpgroups() == 1;
  bool elementsLand =
      role.walk([](LoadElementOp) { return WalkResult::interrupt(); }).wasInterrupted();
  auto consider = [&](const TilePressure &pressure, int64_t temporaries) {
    int64_t expected = pressure.registers + consumerBase + scheduler + exponentials +
                       (isAlone ? aloneExtra : 0) + temporaries +
                       (hasWideAccumulator(pressure) ? wideGap : 0) -
                       (elementsLand ? landedElementSaves : 0);
    if (expected <= prediction.expected)
      return;
    prediction.expected = expected;
    prediction.op = pressure.op;
  };
  for (const TilePressure &pressure : tiles.getPoints()) {
    auto store = dyn_cast<StoreFragmentOp>(pressure.op);
    consider(pressure, store ? getPacked(store, isAlone) : 0);
  }
  role.walk([&](MapOp map) {
    if (holds<math::ErfOp>(map))
      consider(tiles.getPressure(map), predictedPolynomialExtra);
    if (isGate(map))
      consider(tiles.getPressure(map), gateExtra);
    if (readsManyTiles(map))
      consider(tiles.getPressure(map), manyTilesExtra);
    if (int64_t exchanged = getExchanged(map))
      consider(tiles.getPressure(map), exchanged);
    if (int64_t ahead = getComputedAhead(map))
      consider(tiles.getPressure(map), ahead);
  });
  role.walk([&](ConcatOp concat) { consider(tiles.getPressure(concat), concatExtra); });
  std::tie(prediction.most, prediction.mostAt) = boundRegisters(role, tiles);
  const int64_t tilesAtPeak = prediction.peak.registers, warpgroups = role.getWarpgroups();
  prediction.least = tilesAtPeak + leastBesideTiles;
  prediction.advised = tilesAtPeak + getRegistersBesideTiles(warpgroups);
  return prediction;
}
