//===- Report.cpp - Gathers the decisions about a kernel ------------------===//
#include "report/Report.h"

#include "analysis/TileNames.h"
#include "analysis/hazards/BankConflicts.h"
#include "analysis/protocol/BarrierRoles.h"
#include "analysis/registers/RegisterBound.h"
#include "analysis/registers/RegisterPrediction.h"
#include "analysis/registers/TileRegisters.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/Hopper.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/SourceNames.h"
#include "remarks/Remarks.h"
#include "report/Limits.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

static std::string getText(std::optional<StringRef> text) { return text.value_or("").str(); }

static std::string getRole(Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  return role ? stringifyRoleKind(role.getKind()).str() : "block";
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// The names of the tiles alive, each with its registers.
static std::vector<std::string> nameTiles(ArrayRef<Value> tiles) {
  std::vector<std::string> names;
  for (Value tile : tiles) {
    StringRef name = findTileName(tile);
    names.push_back((name.empty() ? "a tile" : name.str()) + " (" +
                    std::to_string(TileRegisters::getRegisters(tile.getType(), 1)) + ")");
  }
  return names;
}

static RoleReport gatherRole(RoleOp role) {
  RoleReport report{stringifyRoleKind(role.getKind()).str(),
                    int64_t(role.getWarpgroups()),
                    int64_t(role.getRegisters()),
                    0,
                    0,
                    0,
                    0,
                    false,
                    false,
                    {}};
  report.warps = role.getWarps();
  TileRegisters registers(role);
  report.peak = registers.getPeak().registers;
  int64_t available = getAvailableRegisters(role);
  RegisterPrediction prediction = predictRegisters(role);
  // Nobody else wants the registers of a lone consumer: ptxas spends the rest on addresses that
  // it computes before the loop.
  bool sharesSm = getResidentBlocks(role->getParentOfType<KernelOp>()) > 1;
  bool isAlone = role.getWarpgroups() == 1 && (sharesSm || available >= maxThreadRegisters);
  bool takesAll = isAlone || prediction.isOpenEnded;
  report.isBound = report.peak == 0 || takesAll || isScanner(role);
  int64_t expected = takesAll ? maxThreadRegisters : prediction.expected;
  report.least = report.peak ? std::min(prediction.advised, prediction.most) : 0;
  report.most = report.peak ? prediction.most : 0;
  report.mayNotFit = report.most > available;
  report.predicted = std::min({expected, available, maxThreadRegisters});
  // The curve: a point for each line, its worst; lines that change nothing are left out.
  role.walk<WalkOrder::PreOrder>([&](Operation *op) {
    unsigned line = getSourceLine(op->getLoc());
    if (op == role || line == 0 || op->hasTrait<OpTrait::IsTerminator>())
      return;
    TilePressure pressure = registers.getPressure(op);
    RegisterPoint point{line, pressure.registers, nameTiles(pressure.alive)};
    std::vector<RegisterPoint> &curve = report.curve;
    if (!curve.empty() && curve.back().line == line) {
      if (curve.back().registers < point.registers)
        curve.back() = std::move(point);
    } else if (curve.empty() || curve.back().registers != point.registers) {
      curve.push_back(std::move(point));
    }
  });
  return report;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// True if loads fill the ring.
static bool isLoaded(AllocRingOp ring) {
  return ring->getParentOp()
      ->walk([&](SharedAccess access) {
        Value loaded = getTileCompletedBy(access, Completion::Bytes);
        return loaded && BarrierRoles::getRing(loaded) == ring.getResult() ? WalkResult::interrupt()
                                                                           : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Why a ring has its stages: what another one of all loaded rings of this depth would take.
static std::string explainDepth(KernelOp kernel, AllocRingOp ring) {
  RingType type = ring.getResult().getType();
  if (!isLoaded(ring))
    return getText(ring.getWhat());
  int64_t left = getSharedBudget(kernel) - int64_t(kernel.getSharedBytes()), more = 0;
  for (auto other : kernel.getBody().front().getOps<AllocRingOp>())
    if (other.getResult().getType().getStages() == type.getStages() && isLoaded(other))
      more += other.getResult().getType().getStageBytes();
  if (type.getStages() == 1)
    return "one stage: it is loaded once for each tile of the grid, or less memory is left";
  return more > left
             ? "as deep as shared memory allows: one stage more of all rings of this depth "
               "takes " +
                   std::to_string(more) + " bytes, " + std::to_string(left) + " are left"
             : "as deep as was asked for, or as the loads' latency needs: " + std::to_string(left) +
                   " bytes are left";
}

static void gatherShared(KernelOp kernel, KernelReport &report) {
  for (auto ring : kernel.getBody().front().getOps<AllocRingOp>()) {
    RingType type = ring.getResult().getType();
    report.buffers.push_back({ring.getName().str(), getText(ring.getWhat()),
                              explainDepth(kernel, ring), int64_t(ring.getOffset().value_or(0)),
                              type.getStages(), type.getStageBytes(),
                              int64_t(ring.getSwizzle().value_or(0))});
  }
  llvm::stable_sort(report.buffers, [](const BufferReport &a, const BufferReport &b) {
    return a.offset < b.offset;
  });
  for (auto barrier : kernel.getBody().front().getOps<AllocBarrierOp>())
    report.barriers.push_back(
        {barrier.getName().str(), getText(barrier.getArrives()), getText(barrier.getWaits()),
         getText(barrier.getGuards()), int64_t(barrier.getOffset().value_or(0)),
         barrier.getResult().getType().getStages(), int64_t(barrier.getArrivals())});
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static std::string getBufferName(Value tile) {
  Value ring = BarrierRoles::getRing(tile);
  auto alloc = ring ? ring.getDefiningOp<AllocRingOp>() : AllocRingOp();
  return alloc ? alloc.getName().str() : "shared memory";
}

static void gatherRemarks(KernelOp kernel, KernelReport &report) {
  const RemarkCollector *collector = RemarkCollector::find(kernel.getContext());
  if (!collector)
    return;
  for (const CollectedRemark &remark : collector->getRemarks())
    if (remark.kernel == report.name)
      (isMissed(remark.remark) ? report.missed : report.done)
          .push_back({getPassFlag(remark.remark).str(), remark.text, remark.line});
  for (std::vector<RemarkReport> *remarks : {&report.done, &report.missed})
    llvm::stable_sort(*remarks,
                      [](const RemarkReport &a, const RemarkReport &b) { return a.line < b.line; });
}

static KernelReport gather(KernelOp kernel) {
  KernelReport report;
  report.name = kernel.getSymName().str();
  report.threads = kernel.getThreads();
  report.blocksPerSm = getResidentBlocks(kernel);
  report.sharedBytes = kernel.getSharedBytes();
  report.sharedBudget = getSharedBudget(kernel);
  for (auto role : kernel.getBody().front().getOps<RoleOp>())
    report.roles.push_back(gatherRole(role));
  gatherShared(kernel, report);
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    unsigned line = getSourceLine(op->getLoc());
    if (auto reason = op->getAttrOfType<StringAttr>("reason"))
      report.waits.push_back(
          {getRole(op), op->getName().stripDialect().str(), reason.getValue().str(), line});
    for (const BankConflictAnalysis &access : analyzeBankConflicts(op))
      report.accesses.push_back(
          {getRole(op), access.how, getBufferName(access.tile), access.pattern, access.ways, line});
  });
  gatherRemarks(kernel, report);
  gatherLimits(kernel, report);
  return report;
}

const LimitReport *KernelReport::getLimiter() const {
  const LimitReport *limiter = nullptr;
  for (const LimitReport &limit : limits)
    if (limit.part != "HBM" && (!limiter || limit.cycles > limiter->cycles))
      limiter = &limit;
  return limiter;
}

std::vector<KernelReport> tkc::gatherReports(ModuleOp module) {
  std::vector<KernelReport> reports;
  for (auto kernel : module.getOps<KernelOp>())
    reports.push_back(gather(kernel));
  return reports;
}
