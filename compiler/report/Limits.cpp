//===- Limits.cpp - Which part of the machine a kernel keeps busiest ------===//
#include "report/Limits.h"

#include "analysis/cost/CostModel.h"
#include "analysis/cost/RoleWork.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperTileOps.h"
#include "dialect/tk/SourceNames.h"
#include "target/HopperModel.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// The loop whose body has the most MMAs; null if none has.
static scf::ForOp findBusiestLoop(RoleOp role) {
  scf::ForOp busiest;
  int64_t most = 0;
  role.walk([&](scf::ForOp loop) {
    if (getTileShare(loop))
      return;
    int64_t operations = countWork(*loop.getBody()).operations;
    if (operations > most && !loop->hasAttr(unrollAttrName)) {
      most = operations;
      busiest = loop;
    }
  });
  return busiest;
}

void tkc::gatherLimits(KernelOp kernel, KernelReport &report) {
  WorkCounts counts;
  scf::ForOp loop;
  for (auto role : kernel.getBody().front().getOps<RoleOp>())
    if (role.getKind() == RoleKind::Consumer) {
      loop = findBusiestLoop(role);
      counts.add(countWork(loop ? *loop.getBody() : role.getBody().front()), role.getWarpgroups());
    }
  report.limitLine = loop ? getSourceLine(loop.getLoc()) : 0;
  // The loop that loads has the same line: the producer's copy, or, of a reducer that loads, the
  // one before its own.
  for (auto role : kernel.getBody().front().getOps<RoleOp>()) {
    if (role.getKind() == RoleKind::Consumer || !loadsTiles(role))
      continue;
    bool isFound = false;
    role.walk([&](scf::ForOp copy) {
      if (loop && getSourceLine(copy.getLoc()) == report.limitLine && !isFound) {
        counts.add(countWork(*copy.getBody()), 1);
        isFound = true;
      }
    });
    if (!loop)
      counts.add(countWork(role.getBody().front()), 1);
  }
  const PartCycles cycles = getPartCycles(counts);
  auto add = [&](StringRef part, int64_t amount, StringRef unit, double rate, double cycles,
                 StringRef remark = "") {
    if (amount > 0)
      report.limits.push_back(
          {part.str(), llvm::formatv("{0} {1} / {2} a cycle{3}", amount, unit, rate, remark).str(),
           cycles});
  };
  add("tensor cores", counts.operations, "operations", mmaOperationsPerCycle, cycles.tensorCores);
  add("special functions", int64_t(counts.functions), "functions", specialFunctionsPerCycle,
      cycles.specialFunctions);
  add("shared memory", counts.sharedBytes, "bytes", sharedBytesPerCycle, cycles.sharedMemory);
  add("L2", counts.loadedBytes, "bytes", l2BytesPerCycle, cycles.l2);
  add("HBM", counts.loadedBytes, "bytes", memoryBytesPerCycle, cycles.memory,
      " if no other block has loaded them; not compared with the others");
}
