//===- Protocol.cpp - Can a kernel hang, or its roles race? ---------------===//
#include "analysis/protocol/Protocol.h"

#include "analysis/protocol/ProtocolMachine.h"
#include "analysis/registers/RegisterBudget.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperLimits.h"
#include <map>

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;
using namespace tkc::protocol;

//===----------------------------------------------------------------------===//
// Checks without exploration
//===----------------------------------------------------------------------===//

/// An mbarrier that nobody initialises holds garbage.
static std::optional<ProtocolViolation> checkInitialised(const BarrierNumbers &barriers) {
  for (const Barrier &barrier : barriers) {
    if (isa<TileSchedulerOp>(barrier.op))
      continue; // initialises its own
    int64_t times = llvm::count_if(barrier.op->getUsers(),
                                   [](Operation *user) { return isa<InitBarrierOp>(user); });
    if (times != 1)
      return ProtocolViolation{barrier.op,
                               "'" + barrier.name + "' is initialised " + std::to_string(times) +
                                   " times, which should be once",
                               {}};
  }
  return std::nullopt;
}

/// Two groups of threads that meet at one named barrier can be taken for each other.
static std::optional<ProtocolViolation> checkNamedBarriers(ArrayRef<RoleProgram> programs) {
  struct Use {
    const Step *step;
    RoleOp role;
    int64_t warpgroup; ///< -1: all of the role
  };
  std::map<unsigned, Use> uses;
  for (const RoleProgram &program : programs)
    for (const Step &step : program.steps) {
      if (step.kind != StepKind::Meet)
        continue;
      RoleOp role = program.role;
      for (int64_t warpgroup = 0; warpgroup < int64_t(role.getWarpgroups()); ++warpgroup) {
        unsigned id = step.id + (step.isShared ? 0 : warpgroup);
        if (id == 0 || id >= namedBarriers)
          return ProtocolViolation{step.op,
                                   "named barrier " + std::to_string(id) +
                                       " is not one of 1 to 15; 0 belongs to __syncthreads",
                                   {}};
        // One warpgroup alone is the same group, however it is called.
        bool isAll = step.isShared && role.getWarpgroups() > 1;
        Use use{&step, role, isAll ? -1 : warpgroup};
        auto [known, isNew] = uses.try_emplace(id, use);
        const Use &first = known->second;
        if (first.step->count == step.count && first.role == role &&
            first.warpgroup == use.warpgroup)
          continue;
        return ProtocolViolation{
            step.op,
            "named barrier " + std::to_string(id) + " is used for " + std::to_string(step.count) +
                " threads here and for " +
                (first.step->count == step.count ? "others" : std::to_string(first.step->count)) +
                " elsewhere",
            {{first.step->op, "it is used here first"}}};
      }
    }
  return std::nullopt;
}

/// setmaxnreg takes what the roles ask for out of one pool, and waits for registers that are not
/// there.
static std::optional<ProtocolViolation> checkRegisters(KernelOp kernel) {
  int64_t warpgroups = 0, wanted = 0;
  SmallVector<ProtocolNote, 0> notes;
  for (auto role : kernel.getBody().front().getOps<RoleOp>()) {
    warpgroups += getOwnWarpgroups(role);
    wanted += getOwnWarpgroups(role) * role.getRegisters();
    if (role.getRegisters() == 0)
      continue;
    if (role.getRegisters() % 8 || role.getRegisters() < 24 || role.getRegisters() > 256)
      return ProtocolViolation{role,
                               "setmaxnreg takes a multiple of 8 from 24 to 256, not " +
                                   std::to_string(role.getRegisters()),
                               {}};
    notes.push_back({role, stringifyRoleKind(role.getKind()).str() + ": asks for " +
                               std::to_string(role.getWarpgroups()) + " x " +
                               std::to_string(role.getRegisters())});
  }
  // The table is of one producer and consumers; a block with a reducer starts with as many
  // registers as one of as many warpgroups.
  SmallVector<RegisterSplit> splits = getRegisterSplits(warpgroups - 1, getResidentBlocks(kernel));
  if (splits.empty() || wanted == 0)
    return std::nullopt;
  int64_t entry = splits.front().entry;
  if (wanted > entry * warpgroups)
    return ProtocolViolation{
        kernel,
        "setmaxnreg waits forever: the roles ask for " + std::to_string(wanted) +
            " registers per thread in all, but start with " + std::to_string(entry * warpgroups),
        notes};
  for (auto role : kernel.getBody().front().getOps<RoleOp>()) {
    bool isConsumer = role.getKind() == RoleKind::Consumer;
    int64_t registers = role.getRegisters();
    // Several reducers compute most of the loop, and have what the consumer leaves them.
    if (role.getKind() == RoleKind::Reducer && role.getWarpgroups() > 1)
      continue;
    if (registers != 0 && (isConsumer ? registers < entry : registers > entry))
      return ProtocolViolation{role,
                               "the " + stringifyRoleKind(role.getKind()).str() + " starts with " +
                                   std::to_string(entry) + " registers and may only have " +
                                   (isConsumer ? "more" : "fewer") + ", not " +
                                   std::to_string(registers),
                               {}};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The exploration
//===----------------------------------------------------------------------===//

std::optional<ProtocolViolation> tkc::findProtocolViolation(KernelOp kernel,
                                                            ProtocolStatistics *statistics) {
  BarrierNumbers barriers(kernel);
  SmallVector<RoleProgram, 0> programs;
  for (auto role : kernel.getBody().front().getOps<RoleOp>()) {
    programs.push_back(compileRole(role, barriers));
    if (Operation *unknown = programs.back().unknown)
      return ProtocolViolation{
          unknown,
          "'" + unknown->getName().getStringRef().str() +
              "' synchronises in a way that the protocol's check does not know",
          {}};
  }
  if (auto violation = checkInitialised(barriers))
    return violation;
  if (auto violation = checkNamedBarriers(programs))
    return violation;
  if (auto violation = checkRegisters(kernel))
    return violation;

  Scalars scalars(kernel);
  Machine machine(kernel, programs, barriers, scalars);
  Choices choices;
  std::optional<ProtocolViolation> violation;
  int64_t runs = 0;
  do {
    violation = machine.run(choices, /*isTraced=*/false);
    ++runs;
  } while (!violation && choices.advance());
  if (violation)
    violation = machine.run(choices, /*isTraced=*/true);
  if (statistics)
    *statistics = {runs, machine.getSteps()};
  return violation;
}
