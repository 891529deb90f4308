//===- ProtocolBarriers.h - mbarriers and named barriers of a run ---------===//
//
// A thread names a phase of an mbarrier by one bit. That works while nobody is two
// phases away, which hangs on the order of events; so each wait and arrival here
// means one phase, counted from 0, and is a fault unless the agent knows
// (ProtocolClock.h) that in every order of events the bit means the same.
//
// PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_PROTOCOLBARRIERS_H
#define TKC_ANALYSIS_PROTOCOLBARRIERS_H

#include "analysis/protocol/ProtocolClock.h"
#include "analysis/protocol/ProtocolProgram.h"
#include <optional>

namespace tkc::protocol {

enum class BarrierFault {
  None,
  TooManyArrivals, ///< more than complete the phase
  PhaseOver,       ///< the phase that is meant has completed without this
  PhaseUnknown,    ///< the phase before may not have completed
  Lapped,          ///< the next phase may complete before somebody has seen this one
};

/// One stage of an mbarrier.
struct MBarrier {
  int64_t needed = 0;                                ///< arrivals that complete a phase
  int64_t completed = 0;                             ///< phases
  int64_t arrivals = 0, expected = 0, delivered = 0; ///< of the phase after these
  bool hasBytes = false;                             ///< of the last phase that completed
  Clock clock;                                       ///< what everybody knew who has arrived
  struct Wait {
    unsigned agent;
    uint32_t time;
    int64_t phase;
  };
  llvm::SmallVector<Wait, 4> waits;

  bool isComplete(int64_t phase) const { return completed > phase; }
};

class MBarriers {
public:
  MBarriers(const BarrierNumbers &barriers, const ClockLayout &layout)
      : barriers(barriers), layout(layout), stages(barriers.stages) {}

  void reset();
  MBarrier &operator[](unsigned stage) { return stages[stage]; }

  /// Arrives `count` times and expects `bytes`, for `phase`.
  BarrierFault arrive(unsigned stage, int64_t phase, int64_t count, int64_t bytes,
                      const Clock &clock);
  /// A load brings bytes, for `phase`.
  BarrierFault deliver(unsigned stage, int64_t phase, int64_t bytes, const Clock &clock);
  /// Whether a wait for `phase` means what it should.
  BarrierFault checkWait(unsigned stage, int64_t phase, const Clock &clock) const;
  /// Passes a wait for a completed phase.
  void pass(unsigned stage, int64_t phase, unsigned agent, Clock &clock);

private:
  BarrierFault checkPhase(unsigned stage, int64_t phase, const Clock &clock) const;
  BarrierFault completeIfDone(unsigned stage);

  const BarrierNumbers &barriers;
  const ClockLayout &layout;
  llvm::SmallVector<MBarrier, 0> stages;
};

/// One of the sixteen named barriers of a block (PTX ISA, "barrier{.cta}").
struct NamedBarrier {
  int64_t threads = 0;           ///< that have come
  int64_t count = 0;             ///< that are waited for
  mlir::Operation *op = nullptr; ///< of the first who came
  Clock clock;
  llvm::SmallVector<unsigned, 8> agents;    ///< that wait
  llvm::SmallVector<unsigned, 8> signalled; ///< that have come and do not wait
  /// Who waited last, and at which time of their own they went on.
  llvm::SmallVector<std::pair<unsigned, uint32_t>, 4> passed;
};

} // namespace tkc::protocol

#endif // TKC_ANALYSIS_PROTOCOLBARRIERS_H
