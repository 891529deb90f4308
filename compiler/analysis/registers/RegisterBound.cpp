//===- RegisterBound.cpp - Registers with which ptxas has enough ----------===//
//
// At each operation: the tiles that are alive, accumulators that ptxas keeps though
// nothing is alive in them, what it computes before the loop, and a number for what
// is beside them. docs/registers.md says how the numbers were fitted.
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/RegisterBound.h"

#include "analysis/registers/CarriedAccumulators.h"
#include "analysis/registers/ValueLifetimes.h"
#include "dialect/hopper/HopperElementOps.h"
#include "dialect/hopper/HopperLimits.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "target/HopperModel.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

// ptxas gives ranges of registers to tiles, whose gaps fill eights.
static constexpr int64_t rangeUnit = 8;

template <typename... Ops> static bool holds(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return isa<Ops...>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The innermost loop around `op`, within its role, that stays a loop; null for none.
static scf::ForOp getLoop(Operation *op) {
  auto loop = op->getParentOfType<scf::ForOp>();
  while (loop && loop->hasAttr(unrollAttrName))
    loop = loop->getParentOfType<scf::ForOp>();
  return loop;
}

/// True if the loop multiplies and reduces rows, but never while MMAs are in flight.
static bool isSerial(scf::ForOp loop) {
  bool multiplies = false, reduces = false, overlaps = false;
  int64_t inFlight = 0;
  for (Operation &op : *loop.getBody()) {
    if (auto wait = dyn_cast<WaitWgmmaOp>(op))
      inFlight = std::min<int64_t>(inFlight, wait.getPending());
    inFlight += isa<CommitWgmmaOp>(op);
    multiplies |= isa<WgmmaOp>(op);
    reduces |= isa<ReduceRowsOp>(op);
    overlaps |= isa<ReduceRowsOp>(op) && inFlight > 0;
  }
  return multiplies && reduces && !overlaps;
}

/// Registers of the left operand of an MMA; none if it is in shared memory.
static int64_t getLeftRegisters(WgmmaOp wgmma) {
  return isInRegisters(wgmma.getA()) ? TileRegisters::getRegisters(wgmma.getA().getType(), 1) : 0;
}

bool tkc::hasInvariantTile(RoleOp role) {
  auto isReadInLoop = [](MapOp map) {
    return llvm::any_of(map->getUsers(), [&](Operation *user) {
      auto loop = user->getParentOfType<scf::ForOp>();
      return loop && !loop->isProperAncestor(map);
    });
  };
  auto isTile = [](Value value) { return isa<FragmentType>(value.getType()); };
  return role
      .walk([&](MapOp map) {
        bool isMade =
            llvm::none_of(map.getInputs(), isTile) && llvm::any_of(map.getResults(), isTile);
        return isMade && isReadInLoop(map) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Registers of the largest left operand that an MMA of a serial loop reads from registers; none if
/// no loop of the role is serial.
static std::optional<int64_t> getSerialLeft(RoleOp role) {
  std::optional<int64_t> registers;
  role.walk([&](scf::ForOp loop) {
    if (!isSerial(loop))
      return;
    registers = registers.value_or(0);
    loop.walk([&](WgmmaOp wgmma) { registers = std::max(*registers, getLeftRegisters(wgmma)); });
  });
  return registers;
}

namespace {
/// The registers of a role beside its tiles.
struct Beside {
  int64_t registers = boundBeside;
  int64_t remainders = boundRemainders; ///< as many of getRemainders() are among these
};
} // namespace

static Beside getBeside(RoleOp role) {
  bool multiplies = false, converts = false, repeats = false;
  role.walk([&](WgmmaOp wgmma) {
    scf::ForOp loop = getLoop(wgmma);
    multiplies = true;
    (loop ? repeats : converts) |= getLeftRegisters(wgmma) > 0;
  });
  Beside result;
  int64_t warpgroups = role.getWarpgroups();
  if (std::optional<int64_t> left = getSerialLeft(role); left && warpgroups > 1) {
    result.remainders = 0;
    // ptxas converts no accumulator of three and four warpgroups in its own registers.
    result.registers =
        warpgroups == 2 ? boundSerial : std::max(boundBeside, boundSerialLeft + *left);
  }
  result.registers += !multiplies || (converts && !repeats) ? boundElements : 0;
  result.registers += warpgroups > 1 && hasInvariantTile(role) ? boundInvariantTile : 0;
  return result;
}

/// Registers of vectors and of a few columns that are alive: what is over of ranges of eight.
static int64_t getRemainders(const TilePressure &pressure) {
  int64_t registers = 0;
  for (Value value : pressure.alive)
    registers += TileRegisters::getRegisters(value.getType(), 1) % rangeUnit;
  return registers;
}

/// Registers of accumulators that ptxas keeps through `pressure` though no value is alive in them.
/// A store computes its elements as it writes them, so no accumulator is kept beside it.
static int64_t getCarried(const TilePressure &pressure, ArrayRef<CarriedAccumulator> all) {
  if (isa<StoreFragmentOp>(pressure.op))
    return 0;
  int64_t registers = 0;
  for (const CarriedAccumulator &carried : all)
    if (carried.loop->isProperAncestor(pressure.op) &&
        llvm::none_of(pressure.alive, [&](Value value) { return carried.values.contains(value); }))
      registers += TileRegisters::getRegisters(carried.values.front().getType(), 1);
  return registers;
}

/// True if a special function of the map's coordinates is the same in every iteration of `loop`.
static bool isInvariant(Value value, MapOp map, scf::ForOp loop) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &map.getBody().front()
               ? llvm::is_contained(map.getCoordinates(), argument)
               : !loop->isAncestor(argument.getOwner()->getParentOp());
  Operation *made = value.getDefiningOp();
  if (!loop->isAncestor(made))
    return true;
  return isMemoryEffectFree(made) && made->getNumRegions() == 0 && !isa<LoadElementOp>(made) &&
         llvm::all_of(made->getOperands(),
                      [&](Value operand) { return isInvariant(operand, map, loop); });
}

/// Registers of the values computed before the loop around `map`: half of the results at least,
/// which ptxas does not compute again, and as many arguments where the row of an element differs by
/// warpgroup.
static int64_t getHoisted(MapOp map, int64_t warpgroups) {
  scf::ForOp loop = getLoop(map);
  if (!loop || map.getCoordinates().empty())
    return 0;
  bool isHoisted = map.getBody()
                       .walk([&](math::Exp2Op function) {
                         return isInvariant(function.getResult(), map, loop)
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
  int64_t registers = TileRegisters::getRegisters(map.getResult(0).getType(), 1);
  return isHoisted ? (warpgroups > 1 ? registers : registers / 2) : 0;
}

/// True if every use of the map's result is a store.
static bool isOnlyStored(MapOp map) {
  return llvm::all_of(map->getUsers(), [](Operation *user) { return isa<StoreFragmentOp>(user); });
}

int64_t tkc::getAvailableRegisters(RoleOp role) {
  int64_t given = role.getRegisters();
  return given ? std::min(given, maxThreadRegisters) : maxThreadRegisters;
}

std::pair<int64_t, Operation *> tkc::boundRegisters(RoleOp role, const TileRegisters &tiles) {
  SmallVector<CarriedAccumulator> carried = findCarriedAccumulators(role);
  SmallVector<std::pair<Operation *, int64_t>> hoisted; // out of which loop, how many
  role.walk([&](MapOp map) {
    if (int64_t registers = getHoisted(map, role.getWarpgroups()))
      hoisted.emplace_back(getLoop(map), registers);
  });
  Beside beside = getBeside(role);
  std::pair<int64_t, Operation *> most = {0, nullptr};
  auto consider = [&](const TilePressure &pressure, int64_t extra) {
    int64_t registers = pressure.registers + getCarried(pressure, carried);
    for (auto [loop, before] : hoisted)
      registers += loop->isProperAncestor(pressure.op) ? before : 0;
    registers -= std::min(getRemainders(pressure), beside.remainders);
    registers = llvm::alignTo(registers, rangeUnit) + beside.registers + extra;
    if (registers > most.first)
      most = {registers, pressure.op};
  };
  for (const TilePressure &pressure : tiles.getPoints())
    consider(pressure, 0);
  role.walk([&](MapOp map) {
    if (!holds<math::ErfOp>(map))
      return;
    int64_t tile = TileRegisters::getRegisters(map.getResult(0).getType(), 1);
    consider(tiles.getPressure(map),
             boundElements +
                 (isOnlyStored(map) ? std::min(tile, boundPolynomial) : boundPolynomial));
  });
  // A large accumulator that becomes the left operand of another MMA.
  role.walk([&](WgmmaOp wgmma) {
    Operation *made = isInRegisters(wgmma.getA()) ? wgmma.getA().getDefiningOp() : nullptr;
    int64_t fragments = made ? TileRegisters::getRegisters(wgmma.getA().getType(), 1) : 0;
    if (2 * fragments >= boundLargeTile)
      consider(tiles.getPressure(made), fragments / 2);
  });
  return most;
}
