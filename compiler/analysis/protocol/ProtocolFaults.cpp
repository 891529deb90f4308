//===- ProtocolFaults.cpp - Faults of a run, in words ---------------------===//
#include "analysis/protocol/ProtocolMachine.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;
using namespace tkc::protocol;

static std::string count(int64_t number, StringRef noun) {
  return std::to_string(number) + " " + noun.str() + (number == 1 ? "" : "s");
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string Machine::getName(const Agent &agent) const {
  RoleOp role = agent.program->role;
  std::string name = stringifyRoleKind(role.getKind()).str();
  if (role.getEach() == tk::EachWorker::Warp || role.getWarps() > 1)
    name += " warp " + std::to_string(agent.warpgroup);
  else if (role.getWarpgroups() > 1)
    name += " " + std::to_string(agent.warpgroup);
  return name;
}

std::string Machine::getBarrierName(unsigned barrier, unsigned stage) const {
  return barriers[barrier].name + "[" + std::to_string(stage - barriers[barrier].firstStage) + "]";
}

std::string Machine::describe(const TilePlace &place) const {
  std::string name = cells.getRingOp(place.ring).getName().str();
  return name + "[" + (place.stage < 0 ? "?" : std::to_string(place.stage)) + "]";
}

std::string Machine::describeStep(const Agent &agent, const std::string &action, const Step &step,
                                  unsigned stage, int64_t phase) const {
  std::string text = getName(agent) + ": " + action + getBarrierName(step.barrier, stage);
  return phase < 0 ? text + ", which begins free" : text + ", phase " + std::to_string(phase);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

Machine::Progress Machine::fail(Operation *op, std::string message, ArrayRef<Subject> subjects,
                                ArrayRef<ProtocolNote> notes) {
  violation = ProtocolViolation{op, std::move(message), SmallVector<ProtocolNote, 0>(notes)};
  if (trace.isOn)
    trace.explain(*violation, subjects);
  return Progress::Failed;
}

Machine::Progress Machine::refuse(Agent &agent, const Step &step, BarrierFault fault,
                                  unsigned stage, int64_t phase) {
  std::string barrier = "'" + getBarrierName(step.barrier, stage) + "'", message;
  const MBarrier &state = (*mbarriers)[stage];
  Operation *alloc = barriers[step.barrier].op;
  SmallVector<ProtocolNote, 0> notes;
  switch (fault) {
  case BarrierFault::None:
    break;
  case BarrierFault::TooManyArrivals:
    message = barrier + " gets more arrivals than the " + std::to_string(state.needed) +
              " that complete its phase " + std::to_string(phase);
    notes.push_back({alloc, "its count is given here"});
    break;
  case BarrierFault::PhaseOver:
    message = "phase " + std::to_string(phase) + " of " + barrier + " completes before this: " +
              (step.kind == StepKind::Load && step.count > 0
                   ? "more bytes are loaded than are expected"
                   : "its count is too small, or the cursor stands on a stage that was done");
    notes.push_back({alloc, "it completes with " + count(state.needed, "arrival")});
    break;
  case BarrierFault::PhaseUnknown:
    message = "nothing ensures that phase " + std::to_string(phase - 1) + " of " + barrier +
              " is over when " + getName(agent) +
              (step.kind == StepKind::Wait ? " waits for the next one: the phase bit lets it pass"
                                           : " comes to the next one");
    break;
  case BarrierFault::Lapped:
    message = barrier + " may complete phase " + std::to_string(phase + 1) + " before " +
              (phase < 0 ? "all who wait for it to be free have come"
                         : "all who wait for phase " + std::to_string(phase) + " have come") +
              ": its phase bit would make them wait for another one";
    break;
  }
  return fail(step.op, std::move(message), {Subject{stage}}, notes);
}

Machine::Progress Machine::refuseMeeting(Agent &agent, const Step &step, unsigned id) {
  const NamedBarrier &barrier = named[id];
  std::string message = "named barrier " + std::to_string(id);
  if (barrier.count != step.count)
    message += " is used for " + std::to_string(step.count) +
               " threads while others wait there for " + std::to_string(barrier.count);
  else
    message += " is waited for by " + std::to_string(barrier.threads) + " threads, but counts " +
               std::to_string(barrier.count);
  Subject subject;
  subject.namedBarrier = id;
  return fail(step.op, std::move(message), {subject}, {{barrier.op, "the others wait here"}});
}

Machine::Progress Machine::refuseSignal(Agent &agent, const Step &step, unsigned id) {
  Subject subject;
  subject.namedBarrier = id;
  return fail(step.op,
              "nothing ensures that named barrier " + std::to_string(id) +
                  " has let go who waits there when " + getName(agent) + " comes to it again",
              {subject}, {{named[id].op, "the first who came wait here"}});
}

void Machine::checkLeftSignals() {
  for (const auto &[id, barrier] : llvm::enumerate(named))
    if (barrier.threads > 0) {
      Subject subject;
      subject.namedBarrier = id;
      fail(barrier.op,
           "the kernel ends when " + std::to_string(barrier.threads) + " of " +
               std::to_string(barrier.count) + " threads have come to named barrier " +
               std::to_string(id) + ": somebody comes to it once more than the others",
           {subject}, {});
      return;
    }
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Machine::Progress Machine::refuse(Agent &agent, const Step &step, const TilePlace &place,
                                  const Conflict &conflict) {
  TilePlace at = place;
  at.stage = conflict.stage;
  std::string tile = "'" + describe(at) + "'", who = getName(agent), message;
  const CellAccess &earlier = conflict.earlier;
  std::string other = "somebody";
  if (earlier.op) {
    const Agent &first = agents[earlier.agent];
    other = isSameWarpgroup(first, agent) ? "another warp of " + getName(first) : getName(first);
    if (&first == &agent)
      other = "its own earlier operation";
  }
  SmallVector<ProtocolNote, 0> notes;
  auto note = [&](const char *text) { notes.push_back({earlier.op, other + text}); };
  switch (conflict.kind) {
  case ConflictKind::OverWrite:
    message = who + " may overwrite " + tile + " before the write into it has landed";
    note(" writes it here");
    break;
  case ConflictKind::OverRead:
    message = who + " may overwrite " + tile + " while it is still read";
    note(" reads it here");
    break;
  case ConflictKind::TooEarly:
    message = who + " may read " + tile + " before the data has landed";
    note(" writes it here");
    break;
  case ConflictKind::Unfenced:
    message = "TMA and wgmma may not see the data written to " + tile +
              ": a proxy fence is missing in between";
    note(" writes it here");
    break;
  case ConflictKind::UnfencedRead:
    message = "TMA may overwrite " + tile +
              " while threads still read it: a proxy fence is missing in between the read and the "
              "arrival";
    note(" reads it here");
    break;
  case ConflictKind::NeverWritten:
    message = who + " reads " + tile + ", which nobody has written";
    break;
  case ConflictKind::Overwritten:
    message = who + " reads " + tile + ", whose bytes belong to another buffer by now";
    notes.push_back({earlier.op, "it is overwritten here"});
    break;
  }
  Subject subject;
  subject.ring = at.ring;
  subject.ringStage = at.stage;
  SmallVector<Subject> subjects = {subject};
  // The barriers that guard the stage have the same number of stages.
  for (const Barrier &barrier : barriers)
    if (barrier.stages == cells.getRingOp(at.ring).getResult().getType().getStages())
      subjects.push_back(Subject{barrier.firstStage + at.stage});
  return fail(step.op, std::move(message), subjects, notes);
}

Machine::Progress Machine::refuseEnd(Agent &agent, const Step &step, StringRef what) {
  return fail(step.op,
              getName(agent) + " ends while its " + what.str() + " may still read shared memory",
              {}, {});
}

void Machine::checkLeftLoads() {
  Clock all;
  all.reset(layout);
  for (const Agent &agent : agents)
    all.join(agent.clock);
  for (const auto &[number, barrier] : llvm::enumerate(barriers)) {
    for (int64_t i = 0; i < barrier.stages; ++i) {
      unsigned stage = barrier.firstStage + i;
      const MBarrier &state = (*mbarriers)[stage];
      bool isLeft = state.delivered > 0 ||
                    (state.hasBytes && all[layout.getBarrier(stage)] < state.completed);
      if (!isLeft)
        continue;
      fail(barrier.op,
           "the kernel ends without waiting for loads that complete '" +
               getBarrierName(number, stage) + "'",
           {Subject{stage}}, {});
      return;
    }
  }
}

//===----------------------------------------------------------------------===//
// Deadlock
//===----------------------------------------------------------------------===//

std::string Machine::describeWait(const Agent &agent) {
  if (agent.isMeeting) {
    for (const auto &[id, barrier] : llvm::enumerate(named))
      if (llvm::is_contained(barrier.agents, agent.number))
        return getName(agent) + ": waits at named barrier " + std::to_string(id) + ", to which " +
               std::to_string(barrier.threads) + " of " + std::to_string(barrier.count) +
               " threads have come";
  }
  const Step &step = agent.program->steps[agent.next];
  unsigned stage = getStage(agent, step);
  const MBarrier &state = (*mbarriers)[stage];
  std::string text = getName(agent) + ": waits for " + getBarrierName(step.barrier, stage) +
                     ", whose phase " + std::to_string(state.completed) + " has " +
                     std::to_string(state.arrivals) + " of " + count(state.needed, "arrival");
  if (state.expected || state.delivered)
    text += " and " + std::to_string(state.delivered) + " of " + std::to_string(state.expected) +
            " bytes";
  return text;
}

void Machine::refuseDeadlock() {
  SmallVector<ProtocolNote, 0> notes;
  SmallVector<Subject> subjects;
  Operation *first = nullptr;
  std::string message;
  for (const Agent &agent : agents) {
    const Step *step = agent.isDone ? nullptr : &agent.program->steps[agent.next - agent.isMeeting];
    // Who waits for MMAs waits for other warps of its warpgroup, which are here too.
    if (!step || step->kind == StepKind::WaitWgmma)
      continue;
    Subject subject;
    Operation *op = step->op;
    if (agent.isMeeting) {
      for (const auto &[id, barrier] : llvm::enumerate(named))
        if (llvm::is_contained(barrier.agents, agent.number))
          subject.namedBarrier = id;
    } else {
      unsigned stage = getStage(agent, *step);
      subject.barrierStage = stage;
      const MBarrier &state = (*mbarriers)[stage];
      if (state.arrivals == state.needed && message.empty()) {
        first = op;
        message = "'" + getBarrierName(step->barrier, stage) + "' expects " +
                  count(state.expected, "byte") + " in a phase, but the loads bring " +
                  std::to_string(state.delivered) + ": " + getName(agent) + " waits forever";
      }
    }
    subjects.push_back(subject);
    // The warps of a warpgroup that wait at the same place are one line.
    std::string text = describeWait(agent);
    if (notes.empty() || notes.back().op != op || notes.back().text != text)
      notes.push_back({op, std::move(text)});
  }
  if (message.empty()) {
    first = notes.front().op;
    message = "the kernel hangs: nobody can go on";
  }
  fail(first, std::move(message), subjects, notes);
}
