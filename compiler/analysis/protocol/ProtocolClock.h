//===- ProtocolClock.h - The events that an agent knows of ----------------===//
//
// A vector clock with one entry for everything that makes progress by itself:
// each agent, its groups of MMAs, its groups of TMA stores, and each stage
// of each mbarrier, whose entry counts completed phases. An asynchronous access
// is over, for an agent, once the agent's clock says so: it has waited, or has met
// somebody who has. This does not depend on the order in which a run happens to
// take the agents, which is why one order is enough.
//
// Beside it, up to when each agent's writes through the generic proxy are visible
// to the async proxy (a fence on the way; PTX ISA, "Proxies").
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_PROTOCOLCLOCK_H
#define TKC_ANALYSIS_PROTOCOLCLOCK_H

#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <cstdint>

namespace tkc::protocol {

/// Where the entries of a clock are.
struct ClockLayout {
  unsigned agents = 0, barrierStages = 0;

  unsigned getAgent(unsigned agent) const { return agent; }
  unsigned getMmas(unsigned agent) const { return agents + agent; }
  unsigned getStores(unsigned agent) const { return 2 * agents + agent; }
  unsigned getBarrier(unsigned stage) const { return 3 * agents + stage; }
  unsigned size() const { return 3 * agents + barrierStages; }
};

class Clock {
public:
  void reset(const ClockLayout &layout) {
    known.assign(layout.size(), 0);
    fenced.assign(layout.agents, 0);
  }

  uint32_t operator[](unsigned entry) const { return known[entry]; }
  uint32_t &operator[](unsigned entry) { return known[entry]; }
  uint32_t getFenced(unsigned agent) const { return fenced[agent]; }

  /// Learns what the other clock knows.
  void join(const Clock &other) {
    for (size_t i = 0; i < known.size(); ++i)
      known[i] = std::max(known[i], other.known[i]);
    for (size_t i = 0; i < fenced.size(); ++i)
      fenced[i] = std::max(fenced[i], other.fenced[i]);
  }

  /// A proxy fence by an agent: what it has written so far is visible to the async proxy, for all
  /// who learn of it.
  void fence(unsigned agent) { fenced[agent] = known[agent]; }

private:
  llvm::SmallVector<uint32_t, 48> known;
  llvm::SmallVector<uint32_t, 8> fenced;
};

} // namespace tkc::protocol

#endif // TKC_ANALYSIS_PROTOCOLCLOCK_H
