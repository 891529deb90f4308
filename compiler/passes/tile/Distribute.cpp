//===- Distribute.cpp - How many warpgroups share each tile ---------------===//
//
// A register tile of 64 * w * s rows belongs to w compute warpgroups; each holds
// s m64 blocks. More warpgroups mean fewer registers of each thread for a
// tile, but also fewer registers per thread in all, and wgmma must find its
// accumulator among the registers with which the kernel starts. So the heights
// say which w are possible and the register budget says which of them fit. What
// moves rows of a tile to other rows needs them all in one warpgroup. In
// `tk.each` every warpgroup or warp has tiles of its own, and their number is w.
// With the hint `pingpong_tiles`, w is two and each holds whole tiles. First of all, MMAs whose
// results leave their iteration go to a warpgroup of their own (AssignRoles.cpp), and running sums
// of loaded vectors to warps beside the one that loads (AssignScanner.cpp); and tiles that fit no
// number of warpgroups are computed in blocks of columns (StripMine.cpp).
//
// Measured on an H200: two warpgroups keep the tensor cores 99 % busy, one alone
// 64-88 %, so two come first; three are as good where the height asks for them.
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "analysis/registers/RegisterBudget.h"
#include "analysis/registers/RoleSplit.h"
#include "analysis/registers/TileRegisters.h"
#include "dialect/tk/TkChoiceOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include "passes/tile/AssignRecurrence.h"
#include "passes/tile/AssignRoles.h"
#include "passes/tile/AssignScanner.h"
#include "passes/tile/Distribution.h"
#include "passes/tile/StripMine.h"
#include "passes/tile/WarpgroupFit.h"
#include "target/Target.h"

#include <mutex>

namespace tkc {
#define GEN_PASS_DEF_DISTRIBUTE
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;

/// Says which tile keeps more warpgroups from sharing those that are alive at the worst point: one
/// that is too low, while others are not.
static void noteLowTile(InFlightDiagnostic &diagnostic, tk::KernelOp kernel,
                        const TilePressure &peak, int64_t warpgroups) {
  if (kernel.getConsumers() || findEach(kernel))
    return;
  for (int64_t more = warpgroups + 1; more <= maxConsumers; ++more) {
    std::optional<DistributionObstacle> obstacle = findObstacle(kernel, more);
    if (!obstacle || !obstacle->tile)
      continue;
    auto getRows = [](Value tile) { return cast<tk::ElementsInterface>(tile.getType()).getRows(); };
    const int64_t rows = getRows(obstacle->tile);
    if (llvm::none_of(peak.alive, [&](Value tile) { return getRows(tile) > rows; }))
      continue;
    diagnostic.attachNote(getDeclaration(obstacle->tile))
        << quoteTileName(obstacle->tile) << " has " << rows << " rows, too few for " << more
        << " warpgroups, which share all tiles or none; with a multiple of "
        << more * getTarget().getRowUnit(TileHolder::Warpgroups)
        << " rows in every tile, each would hold fewer registers";
    return;
  }
}

/// Refuses `warpgroups`: the values alive at the worst point, how long, and a shape that would fit.
static LogicalResult refuseRegisters(tk::KernelOp kernel, int64_t warpgroups) {
  TilePressure peak = TileRegisters(kernel, getSharers(kernel, warpgroups)).getPeak();
  int64_t available = getTileRegisterLimit(kernel, warpgroups);
  InFlightDiagnostic diagnostic = peak.op->emitError()
                                  << "register tiles alive here need " << peak.registers
                                  << " registers per thread, but with " << warpgroups
                                  << " compute warpgroup" << (warpgroups == 1 ? "" : "s")
                                  << " a thread has " << available << " for tiles";
  noteLiveTiles(diagnostic, peak, getSharers(kernel, warpgroups));
  noteFix(diagnostic, peak, getSharers(kernel, warpgroups),
          getMaxTileRegisters(kernel, warpgroups));
  noteLowTile(diagnostic, kernel, peak, warpgroups);
  return failure();
}

/// Refuses `warpgroups`: an MMA is wider than the registers at the kernel's start allow.
static LogicalResult refuseWidth(tk::MmaOp mma, int64_t warpgroups) {
  InFlightDiagnostic diagnostic =
      mma.emitError() << "an MMA of " << getInstructionWidth(mma) << " columns does not fit "
                      << warpgroups << " compute warpgroups, which allow at most "
                      << getMaxInstructionWidth(warpgroups) << " columns";
  diagnostic.attachNote(getDeclaration(mma.getAcc()))
      << quoteTileName(mma.getAcc()) << " is declared here, with "
      << cast<tk::TileType>(mma.getAcc().getType()).getRows() << " rows";
  diagnostic.attachNote(mma.getLoc())
      << "use a narrower tile, or " << 2 * getTarget().getRowUnit(TileHolder::Warpgroups)
      << " rows for 2 compute warpgroups";
  return failure();
}

/// The user's choice is refused where it surely spills.
static bool fits(tk::KernelOp kernel, int64_t warpgroups) {
  return fits(kernel, warpgroups, getTileRegisterLimit(kernel, warpgroups));
}

/// Says why `warpgroups`, which divides the heights, does not fit.
static LogicalResult refuse(tk::KernelOp kernel, int64_t warpgroups) {
  if (countTiles(kernel, warpgroups) > getTileRegisterLimit(kernel, warpgroups))
    return refuseRegisters(kernel, warpgroups);
  return refuseWidth(findWideMma(kernel, warpgroups), warpgroups);
}

/// Refuses a hint: which tile cannot be shared so.
static LogicalResult refuseObstacle(tk::KernelOp kernel, const DistributionObstacle &obstacle,
                                    int64_t warpgroups) {
  if (obstacle.part) {
    InFlightDiagnostic diagnostic = obstacle.part->emitError()
                                    << "this moves rows of a tile to other rows, but " << warpgroups
                                    << " compute warpgroups hold different rows of it";
    diagnostic.attachNote(kernel.getLoc()) << "the kernel asks for " << warpgroups
                                           << " compute warpgroups; one would do, or write the "
                                           << "tile to shared memory and read the rows from there";
    return failure();
  }
  Value uneven = obstacle.tile;
  InFlightDiagnostic diagnostic = emitError(uneven.getLoc())
                                  << quoteTileName(uneven) << " has "
                                  << cast<tk::ElementsInterface>(uneven.getType()).getRows()
                                  << " rows, which " << warpgroups
                                  << " compute warpgroups cannot share in blocks of "
                                  << getTarget().getRowUnit(TileHolder::Warpgroups);
  diagnostic.attachNote(kernel.getLoc())
      << "the kernel asks for " << warpgroups << " compute warpgroups; a height of "
      << warpgroups * getTarget().getRowUnit(TileHolder::Warpgroups)
      << " or a multiple of it would do";
  return failure();
}

/// Compares a scope of warpgroups or warps with the hint.
static LogicalResult verifyScope(tk::KernelOp kernel, tk::EachOp each) {
  int64_t count = each.getCount();
  if (each.getWorker() == tk::EachWorker::Warp && count % getTarget().getWarpgroupWarps())
    return each.emitError() << "the scope has " << count << " warps when it should have a multiple "
                            << "of " << getTarget().getWarpgroupWarps() << ", whole warpgroups";
  if (getConsumersOf(each) > maxConsumers)
    return each.emitError() << "the scope has " << count << " "
                            << tk::stringifyEachWorker(each.getWorker())
                            << "s, but a block has at most " << maxConsumers
                            << " compute warpgroups";
  return success();
}

/// The user's choice: it must divide the heights and fit.
static LogicalResult verifyHint(tk::KernelOp kernel, int64_t warpgroups) {
  if (warpgroups < 1 || warpgroups > maxConsumers)
    return kernel.emitError() << "a block has 1 to " << maxConsumers << " compute warpgroups, not "
                              << warpgroups;
  if (std::optional<DistributionObstacle> obstacle = findObstacle(kernel, warpgroups))
    return refuseObstacle(kernel, *obstacle, warpgroups);
  return fits(kernel, warpgroups) ? success() : refuse(kernel, warpgroups);
}

/// Every worker of the scope has tiles of its own, so there is nothing to choose.
static LogicalResult distribute(tk::KernelOp kernel, tk::EachOp each) {
  if (failed(verifyScope(kernel, each)))
    return failure();
  int64_t warpgroups = getConsumersOf(each);
  if (std::optional<uint64_t> hint = kernel.getConsumers(); hint && int64_t(*hint) != warpgroups) {
    InFlightDiagnostic diagnostic = kernel.emitError()
                                    << "the kernel asks for " << *hint << " compute warpgroups";
    diagnostic.attachNote(each.getLoc()) << "but its scope here has " << warpgroups;
    return failure();
  }
  if (!fits(kernel, warpgroups))
    return refuse(kernel, warpgroups);
  kernel.setConsumers(warpgroups);
  return success();
}

/// Two warpgroups, each with tiles of the grid of its own.
static LogicalResult distributePingPong(tk::KernelOp kernel) {
  constexpr int64_t warpgroups = 2;
  if (tk::EachOp each = findEach(kernel))
    return each.emitError()
           << "the warpgroups of a kernel with 'pingpong_tiles' ping-pong over tiles of the "
           << "grid, so its grid has no scope of warpgroups or warps";
  if (std::optional<uint64_t> hint = kernel.getConsumers(); hint && int64_t(*hint) != warpgroups)
    return kernel.emitError() << "'pingpong_tiles' is for " << warpgroups
                              << " compute warpgroups, but the kernel asks for " << *hint;
  if (std::optional<DistributionObstacle> obstacle = findObstacle(kernel, 1))
    return refuseObstacle(kernel, *obstacle, 1);
  if (!fits(kernel, warpgroups))
    return refuse(kernel, warpgroups);
  kernel.setConsumers(warpgroups);
  return success();
}

static LogicalResult distribute(tk::KernelOp kernel) {
  if (kernel->hasAttr(tk::pingpongTilesAttrName))
    return distributePingPong(kernel);
  if (tk::EachOp each = findEach(kernel))
    return distribute(kernel, each);
  if (std::optional<uint64_t> hint = kernel.getConsumers())
    return verifyHint(kernel, *hint);
  SmallVector<int64_t, 4> dividing = getPossibleConsumers(kernel);
  // With room, the fastest; without any that has room, the fastest that may do without.
  for (bool hasRoom : {true, false})
    for (int64_t warpgroups : dividing)
      if (fits(kernel, warpgroups,
               hasRoom ? getMaxTileRegisters(kernel, warpgroups)
                       : getTileRegisterLimit(kernel, warpgroups))) {
        kernel.setConsumers(warpgroups);
        return success();
      }
  if (!dividing.empty())
    return refuse(kernel, dividing.front());
  // Not even one warpgroup divides the heights: tk-verify-layouts refuses this tile too.
  Value uneven = findObstacle(kernel, 1)->tile;
  return emitError(uneven.getLoc())
         << quoteTileName(uneven) << " has "
         << cast<tk::ElementsInterface>(uneven.getType()).getRows()
         << " rows when a register tile's height should be a multiple of "
         << getTarget().getRowUnit(TileHolder::Warpgroups);
}

namespace {
struct Distribute : tkc::impl::DistributeBase<Distribute> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect>();
  }

  void runOnOperation() override {
    std::mutex mutex;
    std::vector<tk::KernelOp> mined;
    forEachKernel<tk::KernelOp>(getOperation(), [&](tk::KernelOp kernel) {
      assignRoles(kernel);
      if (!assignRecurrence(kernel))
        assignScanner(kernel);
      if (!stripMine(kernel))
        return;
      std::lock_guard lock(mutex);
      mined.push_back(kernel);
    });
    // An operation of a column block has one reader where that of a tile had several.
    OpPassManager simplify(tk::KernelOp::getOperationName());
    simplify.addPass(createCanonicalizerPass());
    simplify.addPass(createCSEPass());
    simplify.addPass(createFuseElementwise());
    for (tk::KernelOp kernel : mined)
      if (failed(runPipeline(simplify, kernel)))
        return signalPassFailure();
    auto choose = [](tk::KernelOp kernel) { return distribute(kernel); };
    if (failed(forEachKernel<tk::KernelOp>(getOperation(), choose)))
      signalPassFailure();
  }
};
} // namespace
