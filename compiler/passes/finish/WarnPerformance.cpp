//===- WarnPerformance.cpp - Code that is right but slow ------------------===//
//
// Looks at the finished kernel, where all decisions are visible, and says at the
// line of the source that leads there what keeps the machine from its full rate.
// Each kind has its flag (PerformanceWarnings.def). Code that the user cannot change is
// not warned of, nor work once per tile where a loop does the work.
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "analysis/cost/CostModel.h"
#include "analysis/hazards/BankConflicts.h"
#include "analysis/protocol/BarrierRoles.h"
#include "analysis/registers/RegisterBound.h"
#include "analysis/registers/RegisterBudget.h"
#include "analysis/registers/RegisterPrediction.h"
#include "analysis/registers/RoleSplit.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/HopperTileOps.h"
#include "dialect/hopper/WarpgroupPrograms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include "passes/tile/LoadParts.h"
#include "target/HopperModel.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <set>

namespace tkc {
#define GEN_PASS_DEF_WARNPERFORMANCE
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

namespace {
enum class Warning {
#define TKC_PERFORMANCE_WARNING(name, flag, meaning) name,
#include "passes/finish/PerformanceWarnings.def"
};
} // namespace

static StringRef getFlag(Warning warning) {
  static constexpr StringLiteral flags[] = {
#define TKC_PERFORMANCE_WARNING(name, flag, meaning) flag,
#include "passes/finish/PerformanceWarnings.def"
  };
  return flags[size_t(warning)];
}

namespace {
/// Says each thing once at each place: a loop and its prologue come from the same line, and so do
/// instances of a kernel.
class Reporter {
public:
  using Said = std::set<std::pair<Warning, const void *>>;

  explicit Reporter(ArrayRef<std::string> silenced) {
    for (const std::string &flag : silenced)
      this->silenced.insert(flag);
  }

  void warn(Location loc, Warning warning, const Twine &message) {
    if (!silenced.contains(getFlag(warning)))
      found.push_back({loc, warning, message.str()});
  }

  /// `said` is what reporters before this one have said.
  void report(Said &said) const {
    for (const auto &[loc, warning, message] : found)
      if (said.insert({warning, loc.getAsOpaquePointer()}).second)
        emitWarning(loc) << message << " [-Wtk-perf-" << getFlag(warning) << "]";
  }

private:
  llvm::StringSet<> silenced;
  std::vector<std::tuple<Location, Warning, std::string>> found;
};
} // namespace

/// The innermost loop around `op` that stays a loop; null if there is none within its role.
static scf::ForOp getLoop(Operation *op) {
  auto loop = op->getParentOfType<scf::ForOp>();
  while (loop && loop->hasAttr(unrollAttrName))
    loop = loop->getParentOfType<scf::ForOp>();
  return loop;
}

//===----------------------------------------------------------------------===//
// MMAs
//===----------------------------------------------------------------------===//

/// One instruction multiplies 64 rows by `width` columns over 32 bytes of k. It reads both operands
/// from shared memory while it multiplies.
static void checkWidth(WgmmaOp wgmma, Reporter &reporter) {
  int64_t width = getInstructionWidth(wgmma);
  if (width <= 0 || !isa<SharedType>(wgmma.getA().getType()))
    return;
  constexpr int64_t depth = 16, depthBytes = 32;
  WorkCounts counts;
  counts.operations = 2 * mBlockRows * width * depth;
  counts.sharedBytes = (mBlockRows + width) * depthBytes;
  const PartCycles cycles = getPartCycles(counts);
  int64_t multiplying = int64_t(cycles.tensorCores), reading = int64_t(cycles.sharedMemory);
  if (reading > multiplying)
    reporter.warn(wgmma.getLoc(), Warning::NarrowMma,
                  "an MMA of " + Twine(width) + " columns multiplies for " + Twine(multiplying) +
                      " cycles and reads shared memory for " + Twine(reading) +
                      "; give the tile 64 columns or more, or keep the left operand in registers");
}

/// Code of threads on fragments, during which MMAs could run.
static bool isElementwiseWork(Operation &op) {
  return isa<MapOp, ReduceRowsOp, ScaleColumnsOp>(op) &&
         isa<FragmentType>(op.getOperand(0).getType());
}

/// Visits what a block and the branches within it do, but not their loops.
static void walkOnce(Block &block, function_ref<void(Operation &)> visit) {
  for (Operation &op : block) {
    visit(op);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      for (Region &region : branch->getRegions())
        for (Block &inner : region)
          walkOnce(inner, visit);
  }
}

/// True if a warpgroup of the op's block does nothing but MMAs that others hand over to it.
static bool isBesideReducer(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  return kernel && llvm::any_of(kernel.getBody().front().getOps<RoleOp>(),
                                [](RoleOp role) { return role.getKind() == RoleKind::Reducer; });
}

/// A loop in which every MMA is waited for before the threads touch a fragment, and the other
/// way round.
static void checkOverlap(scf::ForOp loop, Reporter &reporter) {
  if (getTileShare(loop)) // its MMAs are those of a loop inside
    return;
  if (isBesideReducer(loop) || getOwnProgram(loop)) // others' MMAs run meanwhile
    return;
  WgmmaOp mma;
  int64_t inFlight = 0, work = 0, overlapped = 0;
  walkOnce(*loop.getBody(), [&](Operation &op) {
    if (auto wgmma = dyn_cast<WgmmaOp>(op)) {
      mma = mma ? mma : wgmma;
    } else if (isa<CommitWgmmaOp>(op)) {
      ++inFlight;
    } else if (auto wait = dyn_cast<WaitWgmmaOp>(op)) {
      inFlight = std::min<int64_t>(inFlight, wait.getPending());
    } else if (op.getNumOperands() && isElementwiseWork(op)) {
      ++work;
      overlapped += inFlight > 0;
    }
  });
  if (!mma || !work || overlapped)
    return;
  auto pipeline = loop->getAttrOfType<tk::PipelineAttr>(tk::pipelineAttrName);
  const bool isAsked = pipeline && !pipeline.getOverlap();
  reporter.warn(mma.getLoc(), Warning::SerialMma,
                "in this loop the tensor cores and elementwise work wait for each other; " +
                    Twine(isAsked ? "without 'overlap(false)'" : "with smaller tiles") +
                    " MMAs of one iteration may run beside the work of another");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static std::string getRingName(Value tile) {
  Value ring = BarrierRoles::getRing(tile);
  auto alloc = ring ? ring.getDefiningOp<AllocRingOp>() : AllocRingOp();
  return alloc ? "'" + alloc.getName().str() + "'" : "shared memory";
}

/// The columns that a tile needs for rows of a multiple of 128 bytes; 0 if it has such rows, or is
/// no tile of the user's choosing: then there is nothing to do about its conflicts.
static int64_t getColumnsWithoutConflicts(Value tile) {
  auto type = dyn_cast<SharedType>(tile.getType());
  const int64_t bits = type ? tk::getStorageBits(type.getElementType()) : 0;
  if (!type || type.getRows() == 1 || type.getCols() * bits % (128 * 8) == 0)
    return 0;
  return llvm::alignTo(type.getCols() * bits, 128 * 8) / bits;
}

static void checkBanks(Operation *op, Reporter &reporter) {
  for (const BankConflictAnalysis &access : analyzeBankConflicts(op))
    if (int64_t columns = getColumnsWithoutConflicts(access.tile); columns && !access.isFree())
      reporter.warn(op->getLoc(), Warning::BankConflict,
                    Twine(access.how) + " of " + getRingName(access.tile) + " takes " +
                        Twine(access.ways) +
                        " wavefronts where one would do, because of bank conflicts (" +
                        access.pattern + "); make the tile " + Twine(columns) +
                        " columns wide, rows of a multiple of 128 bytes, which have none");
}

/// Threads that compute fetch what they gather themselves, and wait for it.
static void checkGather(GatherOp gather, Reporter &reporter) {
  scf::ForOp loop = getLoop(gather);
  if (loop && loop->hasAttr(tk::pipelineAttrName))
    reporter.warn(gather.getLoc(), Warning::SynchronousGather,
                  "a gather does not run ahead in a pipelined loop: the threads that compute wait "
                  "for memory in each iteration; load tiles instead, whose place may come from "
                  "memory, as in 'load(X, {Pages.at(i), 0})', or gather before the loop what all "
                  "iterations use");
}

/// A ring of one stage that is filled in a loop.
static void checkDepth(Operation *load, Value dest, Reporter &reporter) {
  Value ring = BarrierRoles::getRing(dest);
  if (!getLoop(load) || !ring || cast<RingType>(ring.getType()).getStages() > 1)
    return;
  // Parts of a tile are loaded while others are read.
  if (Operation *alloc = ring.getDefiningOp(); alloc && alloc->hasAttr(isPartAttrName))
    return;
  reporter.warn(load->getLoc(), Warning::ShallowRing,
                getRingName(dest) +
                    " has one stage, so that each load of this loop waits until the one before "
                    "has been read; smaller tiles leave room for two");
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static void checkCopy(CopyOp copy, Reporter &reporter) {
  auto fragment = dyn_cast<FragmentType>(copy.getResult().getType());
  if (!fragment || !getLoop(copy))
    return;
  reporter.warn(copy.getLoc(), Warning::TileCopy,
                quoteTileName(copy.getSource()) + " is copied in every iteration, " +
                    Twine(fragment.getRegisters()) +
                    " registers a thread, because two values of it are needed at once");
}

static void checkColumns(ReduceColumnsOp reduce, Reporter &reporter) {
  if (reduce.getScratch() && getLoop(reduce))
    reporter.warn(reduce.getLoc(), Warning::ColumnReduction,
                  "a reduction along columns goes through shared memory, and all warps meet "
                  "twice; add tiles up in the loop and reduce after it, or reduce along rows");
}

static void checkRegisters(RoleOp role, Reporter &reporter) {
  // tk-allocate-registers has seen to it that their tiles fit.
  if (isBesideReducer(role))
    return;
  RegisterPrediction prediction = predictRegisters(role);
  int64_t available = getAvailableRegisters(role);
  if (!prediction.mostAt || prediction.most <= available)
    return;
  reporter.warn(prediction.mostAt->getLoc(), Warning::Registers,
                "up to " + Twine(prediction.most) + " registers a thread are needed here and " +
                    Twine(available) +
                    " are there, so ptxas may spill, or serialise wgmma; give "
                    "the tiles fewer columns, or rows for more compute warpgroups ('--emit=report "
                    "--ptxas' shows what ptxas does)");
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

/// Known only where all extents that the grid divides are.
static std::optional<int64_t> getTiles(TileLoopOp loop) {
  int64_t tiles = 1;
  for (Value extent : loop.getExtents()) {
    std::optional<int64_t> count = getConstantIntValue(extent);
    if (!count)
      return std::nullopt;
    tiles *= *count;
  }
  return tiles;
}

static void checkGrid(TileLoopOp loop, Reporter &reporter) {
  std::optional<int64_t> tiles = getTiles(loop);
  if (!tiles || *tiles <= 0)
    return;
  int64_t rounds = llvm::divideCeil(*tiles, numSms);
  int64_t percent = 100 * *tiles / (rounds * numSms);
  if (percent >= 75)
    return;
  reporter.warn(loop.getLoc(), Warning::IdleSms,
                "the grid has " + Twine(*tiles) + " tile" + (*tiles == 1 ? "" : "s") + " for " +
                    Twine(numSms) + " SMs, which are busy " + Twine(percent) + " % of the time; " +
                    (rounds == 1 ? "smaller tiles occupy more of them"
                                 : "other tile sizes may leave less in the last round"));
}

/// The warps of a role that reach the op, if a branch around it lets only the first ones through.
static std::optional<int64_t> getWarpsAt(Operation *op, RoleOp role) {
  for (auto branch = op->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>()) {
    auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
    if (compare && compare.getPredicate() == arith::CmpIPredicate::slt &&
        llvm::is_contained(role.getBody().getArguments(), compare.getLhs()))
      return getConstantIntValue(compare.getRhs());
  }
  return std::nullopt;
}

/// Half of a warpgroup's warps, or more, only make it whole: what they compute is not stored.
static void checkWarps(RoleOp role, Reporter &reporter) {
  if (role.getEach() != tk::EachWorker::Warp)
    return;
  Operation *first = nullptr;
  int64_t storing = 0;
  WalkResult result = role.walk([&](Operation *op) {
    if (!isa<TmaStoreOp, StoreGlobalOp, ScatterOp>(op))
      return WalkResult::advance();
    std::optional<int64_t> warps = getWarpsAt(op, role);
    if (!warps)
      return WalkResult::interrupt();
    storing = std::max(storing, *warps);
    if (!first)
      first = op;
    return WalkResult::advance();
  });
  if (result.wasInterrupted() || !first || 2 * storing > warpgroupWarps)
    return;
  reporter.warn(first->getLoc(), Warning::IdleWarps,
                Twine(storing) + " of " + Twine(warpgroupWarps) +
                    (storing == 1 ? " warps computes" : " warps compute") +
                    " the stored values; give the tiles " + Twine(mBlockRows) +
                    " rows, which all share, or each of " + Twine(warpgroupWarps) +
                    " warps tiles of its own, as a part of the columns, in a loop over warps(" +
                    Twine(warpgroupWarps) + ")");
}

static void check(KernelOp kernel, Reporter &reporter) {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    checkBanks(op, reporter);
    if (auto wgmma = dyn_cast<WgmmaOp>(op))
      checkWidth(wgmma, reporter);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      checkOverlap(loop, reporter);
    else if (Value loaded = getTileCompletedBy(op, Completion::Bytes))
      checkDepth(op, loaded, reporter);
    else if (auto gather = dyn_cast<GatherOp>(op))
      checkGather(gather, reporter);
    else if (auto copy = dyn_cast<CopyOp>(op))
      checkCopy(copy, reporter);
    else if (auto reduce = dyn_cast<ReduceColumnsOp>(op))
      checkColumns(reduce, reporter);
    else if (auto role = dyn_cast<RoleOp>(op)) {
      checkRegisters(role, reporter);
      checkWarps(role, reporter);
    } else if (auto loop = dyn_cast<TileLoopOp>(op))
      checkGrid(loop, reporter);
  });
}

namespace {
struct WarnPerformance : tkc::impl::WarnPerformanceBase<WarnPerformance> {
  using WarnPerformanceBase::WarnPerformanceBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    std::map<Operation *, Reporter> reporters; // threads find theirs, and add none
    for (auto kernel : getOperation().getOps<KernelOp>())
      reporters.try_emplace(kernel, silenced);
    forEachKernel<KernelOp>(getOperation(),
                            [&](KernelOp kernel) { check(kernel, reporters.at(kernel)); });
    Reporter::Said said;
    for (auto kernel : getOperation().getOps<KernelOp>())
      reporters.at(kernel).report(said);
  }
};
} // namespace
