//===- StripMine.cpp - Wide tiles are computed in blocks of columns -------===//
//
// A statement means the whole tile, but a thread has 255 registers: a row of 1024 floats, or an
// epilogue of 256 columns with two vectors and a residual, does not fit. Code that computes each
// element from those of its own column, or combines the elements of a row, can go over blocks of
// columns one after the other (strip-mining):
//
//     x = read X                                  for j: best = max(best, row_max(read X[j]))
//     e = exp(x - row_max(x))             ->      for j: sum += row_sum(exp(read X[j] - best))
//     store Y, e / row_sum(e)                     for j: store Y[j], exp(read X[j] - best) / sum
//
// Each reduction of rows ends a sweep over the blocks, and what later sweeps need again they read
// and compute again: that costs instructions, and a register tile would not have fitted. Blocks of
// a tile that an MMA or a loop has made are slices of its registers, whose places are constants,
// so the sweep is unrolled; the results take the registers of the slices, and later sweeps find
// them there.
//
// Shared tiles are loaded whole, as written, where they fit; otherwise each sweep loads its blocks
// in a pipeline. Where two whole tiles do not fit, several sweeps read one, and it comes in parts,
// of which the next point's first ones are loaded while this one's last ones are read. And two
// warpgroups share the columns then, for one alone has a warp for each of the SM's schedulers.
//
// The code between two loops, branches or MMAs is cut where registers do not suffice. So is the
// epilogue of a loop of MMAs that reads a residual or vectors of its own: these would take
// registers beside the accumulators, and whole tiles shared memory that the loop's rings need.
//
// Measured on an H200 (docs/design/experiments/wide-tiles.md).
//
//===----------------------------------------------------------------------===//
#include "passes/tile/StripMine.h"

#include "analysis/TileNames.h"
#include "analysis/registers/RegisterBudget.h"
#include "analysis/registers/RoleSplit.h"
#include "dialect/tk/TkChoiceOp.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/tile/Distribution.h"
#include "passes/tile/MoveIntoEach.h"
#include "passes/tile/StraightLine.h"
#include "passes/tile/WarpgroupFit.h"
#include "remarks/Remarks.h"
#include "target/Target.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

static TileHolder getHolder(KernelOp kernel) {
  return getDistribution(kernel, /*consumers=*/1).isEachWarp() ? TileHolder::Warp
                                                               : TileHolder::Warpgroups;
}

/// Where the most registers are alive if they fit no number of warpgroups, otherwise null. With
/// `hasRoom`, they fit if surely nothing spills.
static Operation *findTightPlace(KernelOp kernel, bool hasRoom) {
  Operation *place = nullptr;
  for (int64_t consumers : getPossibleConsumers(kernel)) {
    TileRegisters tiles(kernel, getSharers(kernel, consumers), getHolder(kernel));
    const int64_t available =
        hasRoom ? getMaxTileRegisters(kernel, consumers) : getTileRegisterLimit(kernel, consumers);
    if (tiles.getPeak().registers <= available)
      return nullptr;
    if (!place)
      place = tiles.getPeak().op;
  }
  return place;
}

/// Each store of a branch in a branch of its own, so that one may be cut and the other one not.
static void divideGuards(KernelOp kernel) {
  kernel.walk([](scf::IfOp branch) {
    if (!isGuard(branch))
      return;
    Block &body = *branch.thenBlock();
    while (!llvm::hasSingleElement(body.without_terminator())) {
      OpBuilder builder(branch);
      auto first = builder.create<scf::IfOp>(branch.getLoc(), branch.getCondition(),
                                             /*withElseRegion=*/false);
      body.front().moveBefore(first.thenYield());
    }
  });
}

/// True if the kernel fits with blocks of `columns` columns, which so many warpgroups share.
static bool cutsAll(KernelOp kernel, int64_t warpgroups, int64_t columns, bool hasRoom) {
  if (warpgroups > 1) {
    GridOp grid = *kernel.getOps<GridOp>().begin();
    EachOp each = moveIntoEach(grid, EachWorker::Warpgroup, warpgroups, /*alone=*/false);
    each->setAttr(sharesColumnsAttrName, UnitAttr::get(kernel.getContext()));
  }
  divideGuards(kernel);
  while (Operation *place = findTightPlace(kernel, hasRoom)) {
    StraightLine code(place);
    if (!code.choose() || !code.cut(columns))
      return false;
  }
  return true;
}

/// True if two warpgroups can share the columns of a kernel whose tiles have the rows of one.
static bool mayShareColumns(KernelOp kernel, StraightLine &code) {
  return !findEach(kernel) && !kernel.getConsumers() && !kernel.getRegisters() &&
         !kernel->hasAttr(pingpongTilesAttrName) && !kernel->hasAttr(blocksPerSmAttrName) &&
         llvm::equal(getPossibleConsumers(kernel), ArrayRef<int64_t>{1}) &&
         !kernel.walk([](MmaOp) { return WalkResult::interrupt(); }).wasInterrupted() &&
         code.wantsWarpgroups();
}

/// Cuts where tiles do not fit the registers.
static bool cutWhereTight(KernelOp kernel) {
  Operation *place = findTightPlace(kernel, /*hasRoom=*/false);
  if (!place)
    return false;
  StraightLine code(place);
  if (!code.choose())
    return false;
  const int64_t width = code.getWidth();
  const int64_t warpgroups = mayShareColumns(kernel, code) ? 2 : 1;
  for (bool hasRoom : {true, false})
    for (int64_t sharers = warpgroups; sharers > 0; sharers /= 2)
      for (int64_t columns : {128, 64, 32, 16}) {
        if (columns > code.getMostColumns())
          continue;
        OwningOpRef<KernelOp> trial = cast<KernelOp>(kernel->clone());
        if (!cutsAll(*trial, sharers, columns, hasRoom))
          continue;
        reportRemark(kernel, getDeclaration(code.getWidest()),
                     sharers > 1 ? Remark::StripMinedShared : Remark::StripMined, width, columns);
        kernel.getBody().takeBody(trial->getBody());
        return true;
      }
  return false;
}

/// Cuts the epilogues of loops of MMAs that read tiles or vectors of their own. Beside the
/// accumulators these would need many registers, and shared memory that the loop's rings need.
static bool cutEpilogues(KernelOp kernel) {
  constexpr int64_t columns = 64; // of 16 bits, a row of a swizzle atom
  bool changed = false;
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (!loop.getBody()->getOps<MmaOp>().empty() && loop->getNextNode())
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    StraightLine code(loop->getNextNode());
    if (code.getWidth() <= 2 * columns || !code.choose() || !code.readsBesideSlices())
      continue;
    const int64_t width = code.getWidth();
    const Location loc = getDeclaration(code.getWidest());
    if (!code.cut(columns))
      continue;
    reportRemark(kernel, loc, Remark::StripMinedEpilogue, width, columns);
    changed = true;
  }
  return changed;
}

bool tkc::stripMine(KernelOp kernel) {
  if (kernel->hasAttr(reducersAttrName) || getReducerTiles(kernel) > 0)
    return false;
  const bool changed = cutEpilogues(kernel);
  return cutWhereTight(kernel) || changed;
}
