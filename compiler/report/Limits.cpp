//===- Limits.cpp - Which part of the machine a kernel keeps busiest ------===//
#include "report/Limits.h"

#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/HopperRates.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

namespace {
struct Counts {
  int64_t operations = 0; ///< of products, in units of a 16-bit one
  int64_t functions = 0;
  int64_t sharedBytes = 0, loadedBytes = 0;

  void add(const Counts &other, int64_t times) {
    operations += times * other.operations;
    functions += times * other.functions;
    sharedBytes += times * other.sharedBytes;
    loadedBytes += times * other.loadedBytes;
  }
};
} // namespace

static int64_t getBytes(Type type) {
  auto tile = cast<SharedType>(type);
  return tile.getRows() * tile.getCols() * tk::getStorageBits(tile.getElementType()) / 8;
}

static bool isSpecialFunction(Operation *op) {
  return isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::SqrtOp, math::RsqrtOp,
             math::TanhOp, math::SinOp, math::CosOp>(op);
}

/// What one op does, by one warpgroup.
static void count(Operation *op, Counts &counts) {
  if (auto wgmma = dyn_cast<WgmmaOp>(op)) {
    FragmentType acc = wgmma.getAcc().getType();
    SharedType b = wgmma.getB().getType();
    int64_t depth = b.getRows() * b.getCols() / acc.getCols();
    counts.operations +=
        2 * acc.getRows() * acc.getCols() * depth * tk::getStorageBits(b.getElementType()) / 16;
    counts.sharedBytes += getBytes(b) * (acc.getRows() / slabRows);
    if (isa<SharedType>(wgmma.getA().getType()))
      counts.sharedBytes += getBytes(wgmma.getA().getType());
  } else if (auto map = dyn_cast<MapOp>(op)) {
    int64_t elements = 0;
    for (Type type : map->getResultTypes()) {
      if (auto fragment = dyn_cast<FragmentType>(type))
        elements = std::max(elements, fragment.getRows() * fragment.getCols());
      else if (auto vector = dyn_cast<FragmentVectorType>(type))
        elements = std::max(elements, vector.getRegisters() * warpgroupThreads);
    }
    map.getBody().walk(
        [&](Operation *inner) { counts.functions += isSpecialFunction(inner) ? elements : 0; });
  } else if (auto load = dyn_cast<TmaLoadOp>(op)) {
    counts.loadedBytes += getBytes(load.getDest().getType());
    counts.sharedBytes += getBytes(load.getDest().getType());
  }
}

/// What a block of code does once; loops inside count once, unless marked for unrolling.
static Counts count(Block &block) {
  Counts counts;
  for (Operation &op : block) {
    if (isa<MapOp>(op) || op.getNumRegions() == 0) {
      count(&op, counts);
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        counts.add(count(inner), 1);
  }
  return counts;
}

/// The loop whose body has the most products; null if none has.
static scf::ForOp findBusiestLoop(RoleOp role) {
  scf::ForOp busiest;
  int64_t most = 0;
  role.walk([&](scf::ForOp loop) {
    int64_t operations = count(*loop.getBody()).operations;
    if (operations > most && !loop->hasAttr(unrollAttrName)) {
      most = operations;
      busiest = loop;
    }
  });
  return busiest;
}

void tkc::gatherLimits(KernelOp kernel, KernelReport &report) {
  Counts counts;
  scf::ForOp loop;
  for (auto role : kernel.getBody().front().getOps<RoleOp>())
    if (role.getKind() == RoleKind::Consumer) {
      loop = findBusiestLoop(role);
      counts.add(count(loop ? *loop.getBody() : role.getBody().front()), role.getWarpgroups());
    }
  report.limitLine = loop ? getSourceLine(loop.getLoc()) : 0;
  // The producer's copy of the loop has the same line.
  for (auto role : kernel.getBody().front().getOps<RoleOp>()) {
    if (role.getKind() != RoleKind::Producer)
      continue;
    bool isFound = false;
    role.walk([&](scf::ForOp copy) {
      if (loop && getSourceLine(copy.getLoc()) == report.limitLine && !isFound) {
        counts.add(count(*copy.getBody()), 1);
        isFound = true;
      }
    });
    if (!loop)
      counts.add(count(role.getBody().front()), 1);
  }
  auto add = [&](StringRef part, int64_t amount, StringRef unit, double rate) {
    if (amount > 0)
      report.limits.push_back({part.str(),
                               llvm::formatv("{0} {1} / {2} a clock", amount, unit, rate).str(),
                               double(amount) / rate});
  };
  add("tensor cores", counts.operations, "operations", productOperationsPerClock);
  add("special functions", counts.functions, "functions", specialFunctionsPerClock);
  add("shared memory", counts.sharedBytes, "bytes", sharedBytesPerClock);
  add("L2", counts.loadedBytes, "bytes", l2BytesPerClock);
  add("HBM", counts.loadedBytes, "bytes, if no other block has loaded them,", memoryBytesPerClock);
}
