//===- ProtocolMachine.cpp - One run of a kernel's roles ------------------===//
#include "analysis/protocol/ProtocolMachine.h"

#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperLimits.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;
using namespace tkc::protocol;

//===----------------------------------------------------------------------===//
// Agents
//===----------------------------------------------------------------------===//

Machine::Machine(KernelOp kernel, ArrayRef<RoleProgram> programs, const BarrierNumbers &barriers,
                 Scalars &scalars)
    : kernel(kernel), barriers(barriers), scalars(scalars), cells(kernel) {
  for (const RoleProgram &program : programs)
    addAgents(program);
  layout = {unsigned(agents.size()), barriers.stages};
  mbarriers.emplace(barriers, layout);
  named.resize(namedBarriers);
}

void Machine::addAgents(const RoleProgram &program) {
  auto add = [&](unsigned warpgroup, bool isLeader, int64_t warps) {
    Agent agent;
    agent.program = &program;
    agent.number = agents.size();
    agent.warpgroup = warpgroup;
    agent.isLeader = isLeader;
    agent.threads = warps * 32;
    agent.arrivals = warps;
    agents.push_back(std::move(agent));
  };
  RoleOp role = program.role;
  if (role.getKind() == RoleKind::Producer)
    return add(0, /*isLeader=*/true, /*warps=*/1);
  if (isScanner(role)) {
    for (unsigned warp = 0; warp < role.getWarps(); ++warp)
      add(warp, /*isLeader=*/true, 1);
    return;
  }
  if (role.getEach() == tk::EachWorker::Warp) {
    for (unsigned warp = 0; warp < role.getWarpgroups() * warpgroupWarps; ++warp)
      add(warp, /*isLeader=*/true, 1);
    return;
  }
  for (unsigned warpgroup = 0; warpgroup < role.getWarpgroups(); ++warpgroup) {
    add(warpgroup, /*isLeader=*/true, 1);
    add(warpgroup, /*isLeader=*/false, warpgroupWarps - 1);
  }
}

void Machine::reset() {
  trace.clear();
  violation.reset();
  mbarriers->reset();
  cells.reset();
  for (NamedBarrier &barrier : named) {
    barrier.threads = 0;
    barrier.agents.clear();
    barrier.signalled.clear();
    barrier.passed.clear();
    barrier.clock.reset(layout);
  }
  for (Agent &agent : agents) {
    agent.next = 0;
    agent.isDone = agent.isMeeting = agent.hasOpenMma = false;
    agent.clock.reset(layout);
    agent.clock[agent.number] = 1; // an access at time 0 would be known to all
    agent.environment.values.clear();
    agent.environment.place = 0;
    agent.environment.agent = agent.number;
    agent.cursors.assign(agent.program->cursors, 0);
    agent.tiles.assign(agent.program->tiles, {});
    agent.loops.clear();
    agent.mmas = agent.stores = 0;
    agent.accesses = agent.loads = 0;
    RoleOp role = agent.program->role;
    if (role.getBody().getNumArguments() > 0)
      agent.environment.values[role.getBody().getArgument(0)] = {true, agent.warpgroup};
    role.walk([&](WarpgroupIndexOp again) {
      agent.environment.values[again.getResult()] = {true, agent.warpgroup};
    });
  }
}

std::optional<ProtocolViolation> Machine::run(Choices &choices, bool isTraced) {
  scalars.beginRun(choices);
  trace.isOn = isTraced;
  reset();
  for (bool isAnyoneMoving = true; isAnyoneMoving && !violation;) {
    isAnyoneMoving = false;
    for (Agent &agent : agents) {
      while (!agent.isDone && !agent.isMeeting && !violation) {
        const Step &step = agent.program->steps[agent.next];
        Progress progress = take(agent, step);
        if (progress == Progress::Blocked)
          break;
        ++steps;
        isAnyoneMoving = true;
      }
    }
  }
  if (!violation && !llvm::all_of(agents, [](const Agent &agent) { return agent.isDone; }))
    refuseDeadlock();
  if (!violation)
    checkLeftLoads();
  if (!violation)
    checkLeftSignals();
  return violation;
}

Machine::Progress Machine::take(Agent &agent, const Step &step) {
  ++agent.next; // loops, branches and blocked steps set it anew
  switch (step.kind) {
  case StepKind::NewCursor:
    agent.cursors[step.cursor] = 0;
    return Progress::Next;
  case StepKind::Advance:
    agent.cursors[step.cursor] += getDistance(agent, step);
    return Progress::Next;
  case StepKind::ReadCursor: {
    auto op = cast<CursorStageOp>(step.op);
    agent.environment.values[op.getResult()] = {true, agent.cursors[step.cursor] %
                                                          op.getCursor().getType().getStages()};
    return Progress::Next;
  }
  case StepKind::TakeStage: {
    auto op = cast<StageOp>(step.op);
    RingType ring = op.getRing().getType();
    agent.tiles[step.tiles[0]] = {cells.getRing(op.getRing()),
                                  agent.cursors[step.cursor] % ring.getStages(),
                                  0,
                                  ring.getRows(),
                                  0,
                                  ring.getCols()};
    return Progress::Next;
  }
  case StepKind::TakeSlot: {
    auto op = cast<SlotOp>(step.op);
    RingType ring = op.getRing().getType();
    Scalar index = scalars.evaluate(op.getIndex(), agent.environment);
    bool isKnown = index.isKnown && index.number >= 0 && index.number < ring.getStages();
    agent.tiles[step.tiles[0]] = {cells.getRing(op.getRing()),
                                  isKnown ? index.number : -1,
                                  0,
                                  ring.getRows(),
                                  0,
                                  ring.getCols()};
    return Progress::Next;
  }
  case StepKind::TakeRows:
    agent.tiles[step.tiles[0]] = takeRows(agent, step);
    return Progress::Next;
  case StepKind::TakeColumns:
    agent.tiles[step.tiles[0]] = takeColumns(agent, step);
    return Progress::Next;
  case StepKind::Wait:
    return wait(agent, step);
  case StepKind::Expect:
    return arrive(agent, step, 1, step.count);
  case StepKind::Arrive:
    return arrive(agent, step, agent.arrivals, 0);
  case StepKind::Load:
    return load(agent, step);
  case StepKind::Read:
    return access(agent, step, /*isWrite=*/false);
  case StepKind::Write:
    return access(agent, step, /*isWrite=*/true);
  case StepKind::Mma:
    return mma(agent, step);
  case StepKind::CommitWgmma:
    ++agent.mmas;
    agent.hasOpenMma = false;
    return Progress::Next;
  case StepKind::WaitWgmma:
    return waitWgmma(agent, step);
  case StepKind::Store:
    return store(agent, step);
  case StepKind::WaitStores:
    if (agent.isLeader) {
      uint32_t &known = agent.clock[layout.getStores(agent.number)];
      known = std::max<int64_t>(known, int64_t(agent.stores) - step.count);
    }
    return Progress::Next;
  case StepKind::Meet:
  case StepKind::Signal:
    return meet(agent, step);
  case StepKind::Fence:
    agent.clock.fence(agent.number);
    ++agent.clock[agent.number]; // later writes are not fenced
    return Progress::Next;
  case StepKind::TileLoop:
    return begin(
        agent, step,
        scalars.getTileCount(step.op, cast<TileLoopOp>(step.op).getExtents(), agent.environment));
  case StepKind::Loop: {
    auto loop = cast<scf::ForOp>(step.op);
    assign(agent, loop.getRegionIterArgs(), loop.getInitArgs());
    return begin(agent, step, scalars.getTripCount(loop, agent.environment));
  }
  case StepKind::TileLoopEnd:
  case StepKind::LoopEnd:
    return end(agent, step);
  case StepKind::Branch:
    if ((step.op->hasAttr(leaderAttrName) && !agent.isLeader) ||
        !scalars.decide(cast<scf::IfOp>(step.op).getCondition(), agent.environment))
      agent.next = step.target;
    return Progress::Next;
  case StepKind::Jump:
    agent.next = step.target;
    return Progress::Next;
  case StepKind::SetResults:
    assign(agent, step.op->getParentOp()->getResults(), step.op->getOperands());
    return Progress::Next;
  case StepKind::End:
    return finish(agent, step);
  }
  return Progress::Next;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

void Machine::assign(Agent &agent, ValueRange targets, ValueRange sources) {
  SmallVector<Scalar> scalarsOfSources;
  for (Value source : sources)
    scalarsOfSources.push_back(
        source.getType().isIntOrIndex() ? scalars.evaluate(source, agent.environment) : Scalar());
  for (auto [target, scalar] : llvm::zip(targets, scalarsOfSources))
    if (target.getType().isIntOrIndex())
      agent.environment.values[target] = scalar;
}

void Machine::setCounters(Agent &agent, Operation *loop, int64_t iteration) {
  agent.environment.place = llvm::hash_combine(agent.environment.place, iteration);
  if (auto tiles = dyn_cast<TileLoopOp>(loop)) {
    for (BlockArgument index : tiles.getIndices())
      agent.environment.values[index] = scalars.getTileIndex(
          tiles.getExtents(), iteration, index.getArgNumber(), agent.environment);
    return;
  }
  auto counted = cast<scf::ForOp>(loop);
  agent.environment.values[counted.getInductionVar()] =
      scalars.getCounter(counted, iteration, agent.environment);
}

Machine::Progress Machine::begin(Agent &agent, const Step &step, int64_t count) {
  auto loop = dyn_cast<scf::ForOp>(step.op);
  if (trace.isOn && (!loop || scalars.isChosen(loop)) && agent.warpgroup == 0)
    trace.addLoop(step.op, agent.number, count);
  if (count == 0) {
    if (loop)
      assign(agent, loop.getResults(), loop.getRegionIterArgs());
    agent.next = step.target;
    return Progress::Next;
  }
  agent.loops.push_back({0, count});
  setCounters(agent, step.op, 0);
  return Progress::Next;
}

Machine::Progress Machine::end(Agent &agent, const Step &step) {
  LoopFrame &frame = agent.loops.back();
  auto loop = dyn_cast<scf::ForOp>(step.op);
  if (loop)
    assign(agent, loop.getRegionIterArgs(), loop.getBody()->getTerminator()->getOperands());
  if (++frame.iteration < frame.count) {
    agent.next = step.target + 1;
    setCounters(agent, step.op, frame.iteration);
    return Progress::Next;
  }
  agent.loops.pop_back();
  if (loop)
    assign(agent, loop.getResults(), loop.getRegionIterArgs());
  return Progress::Next;
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

int64_t Machine::getDistance(Agent &agent, const Step &step) {
  auto op = dyn_cast<AdvanceOp>(step.op); // or a tile loop, which takes one tile after another
  if (!op || !op.getBy())
    return 1;
  Scalar count = scalars.evaluate(op.getBy(), agent.environment);
  return count.isKnown ? count.number : 1;
}

unsigned Machine::getStage(const Agent &agent, const Step &step) const {
  const Barrier &barrier = barriers[step.barrier];
  return barrier.firstStage + agent.cursors[step.cursor] % barrier.stages;
}

int64_t Machine::getPingPong(const Agent &agent, const Step &step) const {
  return agent.cursors[step.cursor] / barriers[step.barrier].stages;
}

Machine::Progress Machine::wait(Agent &agent, const Step &step) {
  unsigned stage = getStage(agent, step);
  int64_t phase = getPingPong(agent, step) - step.isPrevious;
  BarrierFault fault = mbarriers->checkWait(stage, phase, agent.clock);
  if (fault != BarrierFault::None)
    return refuse(agent, step, fault, stage, phase);
  if (!(*mbarriers)[stage].isComplete(phase)) {
    --agent.next;
    return Progress::Blocked;
  }
  if (trace.isOn)
    trace.add(agent.isLeader, step.op, {stage},
              describeStep(agent, "waits for ", step, stage, phase));
  mbarriers->pass(stage, phase, agent.number, agent.clock);
  return Progress::Next;
}

Machine::Progress Machine::arrive(Agent &agent, const Step &step, int64_t count, int64_t bytes) {
  unsigned stage = getStage(agent, step);
  int64_t phase = getPingPong(agent, step);
  if (trace.isOn) {
    std::string action =
        bytes ? "arrives and expects " + std::to_string(bytes) + " bytes at " : "arrives at ";
    trace.add(agent.isLeader, step.op, {stage}, describeStep(agent, action, step, stage, phase));
  }
  BarrierFault fault = mbarriers->arrive(stage, phase, count, bytes, agent.clock);
  ++agent.clock[agent.number];
  return fault == BarrierFault::None ? Progress::Next : refuse(agent, step, fault, stage, phase);
}

Machine::Progress Machine::load(Agent &agent, const Step &step) {
  unsigned stage = getStage(agent, step);
  int64_t phase = getPingPong(agent, step);
  const TilePlace &place = agent.tiles[step.tiles[0]];
  if (trace.isOn)
    trace.add(agent.isLeader, step.op, {stage, place.ring, place.stage},
              describeStep(agent,
                           (step.count ? "loads " + std::to_string(step.count) + " bytes into "
                                       : std::string("copies an element into ")) +
                               describe(place) + " for ",
                           step, stage, phase));
  CellAccess access{step.op, agent.number, layout.getBarrier(stage), uint32_t(phase + 1),
                    /*isAsync=*/true};
  access.instance = agent.loads++ * agents.size() + agent.number;
  if (Progress progress = use(agent, step, place, access, /*isWrite=*/true);
      progress == Progress::Failed)
    return progress;
  BarrierFault fault = mbarriers->deliver(stage, phase, step.count, agent.clock);
  return fault == BarrierFault::None ? Progress::Next : refuse(agent, step, fault, stage, phase);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

TilePlace Machine::takeRows(Agent &agent, const Step &step) {
  auto op = cast<RowsOp>(step.op);
  TilePlace place = agent.tiles[step.tiles[1]];
  Scalar first = scalars.evaluate(op.getFirst(), agent.environment);
  int64_t rows = op.getResult().getType().getRows();
  if (first.isKnown && first.number >= 0 && first.number + rows <= place.rows) {
    place.row += first.number;
    place.rows = rows;
  }
  return place;
}

TilePlace Machine::takeColumns(Agent &agent, const Step &step) {
  auto op = cast<ColumnsOp>(step.op);
  TilePlace place = agent.tiles[step.tiles[1]];
  Scalar first = scalars.evaluate(op.getFirst(), agent.environment);
  int64_t cols = op.getResult().getType().getCols();
  if (first.isKnown && first.number >= 0 && first.number + cols <= place.cols) {
    place.col += first.number;
    place.cols = cols;
  }
  return place;
}

Machine::Progress Machine::use(Agent &agent, const Step &step, const TilePlace &place,
                               CellAccess access, bool isWrite) {
  access.col = place.col;
  access.cols = place.cols;
  std::optional<Conflict> conflict =
      isWrite ? cells.write(place, access, agent.clock) : cells.read(place, access, agent.clock);
  return conflict ? refuse(agent, step, place, *conflict) : Progress::Next;
}

Machine::Progress Machine::access(Agent &agent, const Step &step, bool isWrite) {
  const TilePlace &place = agent.tiles[step.tiles[0]];
  if (trace.isOn)
    trace.add(agent.isLeader, step.op, {-1, place.ring, place.stage},
              getName(agent) + (isWrite ? ": writes " : ": reads ") + describe(place));
  // Warps of one warpgroup, and warpgroups that do it together, write different bytes.
  unsigned group = step.isShared ? 0 : agent.warpgroup + 1;
  uint64_t instance = llvm::hash_combine(agent.program, step.op, agent.accesses++, group);
  CellAccess access{
      step.op,           agent.number, layout.getAgent(agent.number), agent.clock[agent.number],
      /*isAsync=*/false, instance};
  return use(agent, step, place, access, isWrite);
}

Machine::Progress Machine::mma(Agent &agent, const Step &step) {
  agent.hasOpenMma = true;
  for (unsigned tile : step.tiles) {
    const TilePlace &place = agent.tiles[tile];
    if (trace.isOn)
      trace.add(agent.isLeader, step.op, {-1, place.ring, place.stage},
                getName(agent) + ": starts an MMA that reads " + describe(place));
    CellAccess access{step.op, agent.number, layout.getMmas(agent.number), agent.mmas + 1,
                      /*isAsync=*/true};
    if (Progress progress = use(agent, step, place, access, /*isWrite=*/false);
        progress == Progress::Failed)
      return progress;
  }
  return Progress::Next;
}

/// A group is that of all warps of a warpgroup: it is not over before each has started its part of
/// the MMAs, and then it is over for all of them (PTX ISA, wgmma.commit_group).
Machine::Progress Machine::waitWgmma(Agent &agent, const Step &step) {
  int64_t last = int64_t(agent.mmas) - step.count;
  for (const Agent &other : agents)
    if (isSameWarpgroup(agent, other) && other.mmas < last) {
      --agent.next;
      return Progress::Blocked;
    }
  for (const Agent &other : agents)
    if (isSameWarpgroup(agent, other)) {
      uint32_t &known = agent.clock[layout.getMmas(other.number)];
      known = std::max<int64_t>(known, last);
    }
  return Progress::Next;
}

Machine::Progress Machine::store(Agent &agent, const Step &step) {
  if (!agent.isLeader)
    return Progress::Next;
  const TilePlace &place = agent.tiles[step.tiles[0]];
  if (trace.isOn)
    trace.add(agent.isLeader, step.op, {-1, place.ring, place.stage},
              getName(agent) + ": starts a TMA store that reads " + describe(place));
  CellAccess access{step.op, agent.number, layout.getStores(agent.number), ++agent.stores,
                    /*isAsync=*/true};
  return use(agent, step, place, access, /*isWrite=*/false);
}

//===----------------------------------------------------------------------===//
// Named barriers
//===----------------------------------------------------------------------===//

/// The barrier that a step of the agent comes to, if this warpgroup's does.
std::optional<unsigned> Machine::getNamedBarrier(const Agent &agent, const Step &step) const {
  unsigned warpgroups = RoleOp(agent.program->role).getWarpgroups();
  if (isa<PingPongBeginOp>(step.op))
    return agent.warpgroup + 1 == warpgroups ? std::optional(step.id) : std::nullopt;
  if (isa<PingPongEndOp>(step.op))
    return agent.warpgroup == 0 ? std::optional(step.id) : std::nullopt;
  if (isa<PingPongReleaseOp>(step.op))
    return step.id + (agent.warpgroup + 1) % warpgroups;
  return step.id + (step.isShared ? 0 : agent.warpgroup);
}

Machine::Progress Machine::meet(Agent &agent, const Step &step) {
  std::optional<unsigned> number = getNamedBarrier(agent, step);
  if (!number)
    return Progress::Next;
  unsigned id = *number;
  bool waits = step.kind == StepKind::Meet;
  NamedBarrier &barrier = named[id];
  // Who comes without waiting must know that those it came for last time have gone on.
  if (!waits && (llvm::is_contained(barrier.signalled, agent.number) ||
                 llvm::any_of(barrier.passed, [&](const auto &waiter) {
                   return agent.clock[waiter.first] < waiter.second;
                 })))
    return refuseSignal(agent, step, id);
  if (trace.isOn) {
    Subject subject;
    subject.namedBarrier = id;
    trace.add(agent.isLeader, step.op, subject,
              getName(agent) + ": comes to named barrier " + std::to_string(id) + " for " +
                  std::to_string(step.count) + " threads");
  }
  if (barrier.threads == 0) {
    barrier.count = step.count;
    barrier.op = step.op;
  }
  barrier.threads += agent.threads;
  barrier.clock.join(agent.clock);
  (waits ? barrier.agents : barrier.signalled).push_back(agent.number);
  ++agent.clock[agent.number];
  if (barrier.count != step.count || barrier.threads > barrier.count)
    return refuseMeeting(agent, step, id);
  agent.isMeeting = waits;
  if (barrier.threads < barrier.count)
    return Progress::Next;
  barrier.passed.clear();
  for (unsigned number : barrier.agents) {
    agents[number].clock.join(barrier.clock);
    agents[number].isMeeting = false;
    barrier.passed.emplace_back(number, agents[number].clock[number]);
  }
  barrier.threads = 0;
  barrier.agents.clear();
  barrier.signalled.clear();
  return Progress::Next;
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

Machine::Progress Machine::finish(Agent &agent, const Step &step) {
  agent.isDone = true;
  if (agent.hasOpenMma || agent.clock[layout.getMmas(agent.number)] < agent.mmas)
    return refuseEnd(agent, step, "MMAs");
  if (agent.clock[layout.getStores(agent.number)] < agent.stores)
    return refuseEnd(agent, step, "TMA stores");
  return Progress::Next;
}
