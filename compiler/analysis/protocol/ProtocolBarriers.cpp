//===- ProtocolBarriers.cpp - mbarriers and named barriers of a run -------===//
#include "analysis/protocol/ProtocolBarriers.h"

using namespace tkc;
using namespace tkc::protocol;

void MBarriers::reset() {
  for (const Barrier &barrier : barriers) {
    for (int64_t stage = 0; stage < barrier.stages; ++stage) {
      MBarrier &state = stages[barrier.firstStage + stage];
      state.needed = barrier.arrivals;
      state.completed = state.arrivals = state.expected = state.delivered = 0;
      state.hasBytes = false;
      state.waits.clear();
      state.clock.reset(layout);
    }
  }
}

BarrierFault MBarriers::checkPhase(unsigned stage, int64_t phase, const Clock &clock) const {
  if (stages[stage].completed > phase)
    return BarrierFault::PhaseOver;
  if (clock[layout.getBarrier(stage)] < phase)
    return BarrierFault::PhaseUnknown;
  return BarrierFault::None;
}

BarrierFault MBarriers::arrive(unsigned stage, int64_t phase, int64_t count, int64_t bytes,
                               const Clock &clock) {
  MBarrier &state = stages[stage];
  if (BarrierFault fault = checkPhase(stage, phase, clock); fault != BarrierFault::None)
    return fault;
  if (state.arrivals + count > state.needed)
    return BarrierFault::TooManyArrivals;
  state.arrivals += count;
  state.expected += bytes;
  state.clock.join(clock);
  return completeIfDone(stage);
}

BarrierFault MBarriers::deliver(unsigned stage, int64_t phase, int64_t bytes, const Clock &clock) {
  if (BarrierFault fault = checkPhase(stage, phase, clock); fault != BarrierFault::None)
    return fault;
  stages[stage].delivered += bytes;
  return completeIfDone(stage);
}

BarrierFault MBarriers::completeIfDone(unsigned stage) {
  MBarrier &state = stages[stage];
  if (state.arrivals < state.needed || state.expected != state.delivered)
    return BarrierFault::None;
  int64_t phase = state.completed++;
  state.hasBytes = state.delivered > 0;
  state.arrivals = state.expected = state.delivered = 0;
  state.clock[layout.getBarrier(stage)] = state.completed;
  // Who waited for the phase before must have passed, or its bit means this phase now.
  for (const MBarrier::Wait &wait : state.waits)
    if (wait.phase == phase - 1 && state.clock[wait.agent] < wait.time)
      return BarrierFault::Lapped;
  llvm::erase_if(state.waits, [&](const MBarrier::Wait &wait) { return wait.phase < phase; });
  return BarrierFault::None;
}

BarrierFault MBarriers::checkWait(unsigned stage, int64_t phase, const Clock &clock) const {
  if (stages[stage].completed > phase + 1)
    return BarrierFault::Lapped;
  if (int64_t(clock[layout.getBarrier(stage)]) < phase)
    return BarrierFault::PhaseUnknown;
  return BarrierFault::None;
}

void MBarriers::pass(unsigned stage, int64_t phase, unsigned agent, Clock &clock) {
  MBarrier &state = stages[stage];
  if (phase >= 0)
    clock.join(state.clock);
  state.waits.push_back({agent, clock[agent], phase});
}
