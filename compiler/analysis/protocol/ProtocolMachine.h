//===- ProtocolMachine.h - One run of a kernel's roles --------------------===//
//
// The agents of a block: the producer's thread, and of each consumer warpgroup
// its leading warp, which starts stores, and its other warps; in a role `each
// warp`, every warp. Each goes as far as it can, one after the other; a fault that one
// order of events shows, all orders show (Protocol.h says why).
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_PROTOCOLMACHINE_H
#define TKC_ANALYSIS_PROTOCOLMACHINE_H

#include "analysis/protocol/Protocol.h"
#include "analysis/protocol/ProtocolBarriers.h"
#include "analysis/protocol/ProtocolMemory.h"
#include "analysis/protocol/ProtocolScalars.h"
#include "analysis/protocol/ProtocolTrace.h"

namespace tkc::protocol {

struct LoopFrame {
  int64_t iteration = 0, count = 0;
};

/// Warps that take the same steps at the same time.
struct Agent {
  const RoleProgram *program = nullptr;
  unsigned number = 0;
  unsigned warpgroup = 0; ///< or, in a role `each warp`, the warp
  bool isLeader = true;   ///< starts TMA stores
  int64_t threads = 0;    ///< as a named barrier counts them
  int64_t arrivals = 0;   ///< of one hopper.arrive

  unsigned next = 0; ///< step
  bool isDone = false, isMeeting = false;
  Clock clock;
  Environment environment;
  llvm::SmallVector<int64_t> cursors; ///< how often they have been advanced
  llvm::SmallVector<TilePlace> tiles;
  llvm::SmallVector<LoopFrame> loops;
  uint32_t mmas = 0; ///< groups that are closed
  bool hasOpenMma = false;
  uint32_t stores = 0;
  uint64_t accesses = 0; ///< of this agent so far; equal for all warps of a warpgroup
  uint64_t loads = 0;    ///< the same; a leader's alone
};

inline bool isSameWarpgroup(const Agent &a, const Agent &b) {
  return a.program == b.program && a.warpgroup == b.warpgroup;
}

class Machine {
public:
  Machine(hopper::KernelOp kernel, llvm::ArrayRef<RoleProgram> programs,
          const BarrierNumbers &barriers, Scalars &scalars);

  /// Runs all roles with the given choices; what went wrong, if anything did.
  std::optional<ProtocolViolation> run(Choices &choices, bool isTraced);

  /// Steps taken in all runs.
  int64_t getSteps() const { return steps; }

private:
  enum class Progress { Next, Blocked, Failed };

  void addAgents(const RoleProgram &program);
  void reset();
  Progress take(Agent &agent, const Step &step);

  Progress wait(Agent &agent, const Step &step);
  Progress arrive(Agent &agent, const Step &step, int64_t count, int64_t bytes);
  Progress load(Agent &agent, const Step &step);
  Progress access(Agent &agent, const Step &step, bool isWrite);
  Progress mma(Agent &agent, const Step &step);
  Progress waitWgmma(Agent &agent, const Step &step);
  Progress store(Agent &agent, const Step &step);
  std::optional<unsigned> getNamedBarrier(const Agent &agent, const Step &step) const;
  Progress meet(Agent &agent, const Step &step);
  Progress begin(Agent &agent, const Step &step, int64_t count);
  Progress end(Agent &agent, const Step &step);
  Progress finish(Agent &agent, const Step &step);

  void setCounters(Agent &agent, mlir::Operation *loop, int64_t iteration);
  void assign(Agent &agent, mlir::ValueRange targets, mlir::ValueRange sources);
  TilePlace takeRows(Agent &agent, const Step &step);
  TilePlace takeColumns(Agent &agent, const Step &step);
  unsigned getStage(const Agent &agent, const Step &step) const;
  /// By how many stages a cursor advances.
  int64_t getDistance(Agent &agent, const Step &step);
  int64_t getPingPong(const Agent &agent, const Step &step) const;

  /// Checks an access and keeps it.
  Progress use(Agent &agent, const Step &step, const TilePlace &place, CellAccess access,
               bool isWrite);
  // Faults (ProtocolFaults.cpp).
  Progress fail(mlir::Operation *op, std::string message, llvm::ArrayRef<Subject> subjects,
                llvm::ArrayRef<ProtocolNote> notes);
  Progress refuse(Agent &agent, const Step &step, BarrierFault fault, unsigned stage,
                  int64_t phase);
  Progress refuse(Agent &agent, const Step &step, const TilePlace &place, const Conflict &conflict);
  Progress refuseMeeting(Agent &agent, const Step &step, unsigned id);
  Progress refuseSignal(Agent &agent, const Step &step, unsigned id);
  Progress refuseEnd(Agent &agent, const Step &step, llvm::StringRef what);
  void refuseDeadlock();
  void checkLeftLoads();
  void checkLeftSignals();
  std::string getName(const Agent &agent) const;
  std::string getBarrierName(unsigned barrier, unsigned stage) const;
  std::string describe(const TilePlace &place) const;
  std::string describeStep(const Agent &agent, const std::string &action, const Step &step,
                           unsigned stage, int64_t phase) const;
  std::string describeWait(const Agent &agent);

  hopper::KernelOp kernel;
  const BarrierNumbers &barriers;
  Scalars &scalars;
  ClockLayout layout;
  llvm::SmallVector<Agent, 0> agents;
  std::optional<MBarriers> mbarriers;
  llvm::SmallVector<NamedBarrier, 0> named;
  SharedCells cells;
  Trace trace;
  std::optional<ProtocolViolation> violation;
  int64_t steps = 0;
};

} // namespace tkc::protocol

#endif // TKC_ANALYSIS_PROTOCOLMACHINE_H
