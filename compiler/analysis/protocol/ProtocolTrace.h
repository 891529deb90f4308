//===- ProtocolTrace.h - The steps of a counterexample --------------------===//
//
// A run takes hundreds of steps; a person wants the few that lead to the fault.
// So each step is kept with its subjects, and the last ones with the subjects that
// the fault is about are shown.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_PROTOCOLTRACE_H
#define TKC_ANALYSIS_PROTOCOLTRACE_H

#include "analysis/protocol/Protocol.h"
#include "llvm/ADT/SmallVector.h"

namespace tkc::protocol {

/// The subject of a step, -1 for none.
struct Subject {
  int64_t barrierStage = -1; ///< among all stages of all mbarriers
  int64_t ring = -1, ringStage = -1;
  int64_t namedBarrier = -1;

  bool touches(const Subject &other) const {
    return (barrierStage >= 0 && barrierStage == other.barrierStage) ||
           (ring >= 0 && ring == other.ring && ringStage == other.ringStage) ||
           (namedBarrier >= 0 && namedBarrier == other.namedBarrier);
  }
};

class Trace {
public:
  bool isOn = false;

  void clear() {
    events.clear();
    loops.clear();
  }
  /// A step of a warpgroup's leader or, not shown where it says the same, of its other warps.
  void add(bool isLeader, mlir::Operation *op, const Subject &subject, std::string text) {
    events.push_back({isLeader, op, subject, std::move(text)});
  }
  /// How often a loop runs, said once: by the agent that comes there first.
  void addLoop(mlir::Operation *loop, unsigned agent, int64_t count);

  /// The choices of the run, then the last steps about any of the subjects.
  void explain(ProtocolViolation &violation, llvm::ArrayRef<Subject> subjects) const;

private:
  struct Event {
    bool isLeader;
    mlir::Operation *op;
    Subject subject;
    std::string text;
  };
  struct Loop {
    mlir::Operation *op;
    unsigned agent;
    llvm::SmallVector<int64_t> counts;
  };
  llvm::SmallVector<Event, 0> events;
  llvm::SmallVector<Loop, 0> loops;
};

} // namespace tkc::protocol

#endif // TKC_ANALYSIS_PROTOCOLTRACE_H
