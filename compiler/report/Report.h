//===- Report.h - Decisions about a kernel, and their reasons -------------===//
//
// The decisions of all passes about one kernel, gathered from the finished IR and
// from the passes' remarks: nothing here decides. Printed as text for
// people (ReportText.cpp) and as JSON for tools (ReportJson.cpp), which show the
// same.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_REPORT_REPORT_H
#define TKC_REPORT_REPORT_H

#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>
#include <vector>

namespace tkc {

/// Registers of a thread that tiles occupy from a line on.
struct RegisterPoint {
  unsigned line;
  int64_t registers;
  std::vector<std::string> alive; ///< "acc (128)"
};

struct RoleReport {
  std::string kind;
  int64_t warpgroups, registers; ///< registers: 0 if setmaxnreg is not used
  int64_t peak;                  ///< of tiles
  int64_t least;                 ///< with fewer it may spill
  int64_t predicted;             ///< expected of ptxas: tiles and the values beside them
  int64_t most;                  ///< with this many it neither spills nor serialises wgmma
  bool mayNotFit;                ///< `most` is more than the role has
  bool isBound;                  ///< it uses no more than that, perhaps far less
  std::vector<RegisterPoint> curve;
  int64_t warps = 0; ///< of a scanner, in the producer's warpgroup; 0 for whole warpgroups
};

struct BufferReport {
  std::string name, what, reason; ///< reason: why this many stages
  int64_t offset, stages, stageBytes, swizzle;
};

struct BarrierReport {
  std::string name, arrives, waits, guards;
  int64_t offset, stages, arrivals;
};

struct WaitReport {
  std::string role, op, reason;
  unsigned line;
};

struct AccessReport {
  std::string role, how, buffer, pattern;
  int64_t ways;
  unsigned line;
};

/// Cycles that one iteration of the busiest loop needs from one part of the machine.
struct LimitReport {
  std::string part, arithmetic;
  double cycles;
};

/// The figures of ptxas for a kernel.
struct PtxasReport {
  int64_t registers;                   ///< of a thread, when the kernel starts
  int64_t spilledStores, spilledLoads; ///< bytes
  std::vector<std::string> messages;   ///< "C7512, wgmma.mma_async instructions are serialized ..."
};

/// A change that a pass made, or nearly made and why not.
struct RemarkReport {
  std::string pass, text;
  unsigned line;
};

struct KernelReport {
  std::string name;
  int64_t threads, blocksPerSm, sharedBytes, sharedBudget;
  std::vector<RoleReport> roles;
  std::vector<BufferReport> buffers;
  std::vector<BarrierReport> barriers;
  std::vector<WaitReport> waits;
  std::vector<AccessReport> accesses;
  std::vector<RemarkReport> done, missed; ///< by line
  unsigned limitLine = 0;                 ///< of the loop; 0: the whole tile
  std::vector<LimitReport> limits;
  std::optional<PtxasReport> ptxas; ///< if it was asked

  /// The part with the most cycles; null if nothing was counted.
  const LimitReport *getLimiter() const;
};

/// One report for each kernel of a module that has been through all passes.
std::vector<KernelReport> gatherReports(mlir::ModuleOp module);

void printReportsAsText(llvm::ArrayRef<KernelReport> reports, llvm::raw_ostream &out);
void printReportsAsJson(llvm::ArrayRef<KernelReport> reports, llvm::raw_ostream &out);

} // namespace tkc

#endif // TKC_REPORT_REPORT_H
