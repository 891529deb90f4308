//===- EmitKernel.cpp - The __global__ function ---------------------------===//
//
// Signature, shared memory, set-up of the block, then the roles as one if/else
// over the warpgroups.
//
//===----------------------------------------------------------------------===//
#include "backend/ElementTypes.h"
#include "backend/KernelEmitter.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/SharedLayout.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Names what the launcher passes, and declares it.
static SmallVector<std::string> bindParameters(KernelEmitter &e) {
  SmallVector<std::string> parameters;
  for (const TensorMapFacts &map : e.facts.maps) {
    TensorMapOp op = map.op;
    parameters.push_back(
        ("const __grid_constant__ " + mapTypeName(op.getOutput()) + " " + map.name).str());
    e.values.bind(op.getResult(), map.name);
  }
  for (const GlobalFacts &global : e.facts.globals) {
    const std::string &name = e.facts.interface.arguments[global.argument].name;
    parameters.push_back("const " + global.type + " " + name);
    e.values.bind(KernelOp(e.facts.op).getBody().getArgument(global.argument), name);
  }
  if (e.facts.scheduler)
    parameters.push_back("const tile_counter " + e.facts.counterName);
  for (const ExtentFacts &extent : e.facts.extents) {
    parameters.push_back("const int " + extent.name);
    for (Value value : extent.values)
      e.values.bind(value, extent.name);
  }
  KernelOp kernel = e.facts.op;
  for (auto [index, argument] : llvm::enumerate(e.facts.interface.arguments)) {
    if (argument.tensor)
      continue;
    StringRef type = scalarTypeName(argument.scalar);
    if (type.empty())
      e.values.error(kernel, "has a parameter '" + argument.userName +
                                 "' of a type that has no spelling in CUDA");
    if (!kernel.getBody().getArgument(index).use_empty())
      parameters.push_back(("const " + type + " " + argument.name).str());
    e.values.bind(kernel.getBody().getArgument(index), argument.name);
  }
  if (e.facts.profile)
    parameters.push_back("const profile_buffer " + e.facts.profile->buffer);
  return parameters;
}

//===----------------------------------------------------------------------===//
// Shared memory and set-up
//===----------------------------------------------------------------------===//

static void emitRing(KernelEmitter &e, AllocRingOp op, const SharedFacts &shared) {
  RingType type = op.getResult().getType();
  const ElementType *element = elementType(type.getElementType());
  if (!element)
    return e.values.error(op, "has an element type without a spelling in CUDA");
  std::string rows = spellExtent(e, op.getName(), 2, 0, type.getRows());
  unsigned rank = holdsVectors(type) ? 1 : 2;
  std::string cols = spellExtent(e, op.getName(), rank, rank - 1, type.getCols());
  int64_t rowBytes = type.getCols() * tk::getStorageBits(type.getElementType()) / 8;
  // The type says the swizzle in the runtime.
  if (!holdsVectors(type) && op.getSwizzle() && int64_t(*op.getSwizzle()) != getSwizzle(rowBytes))
    e.values.error(op, "has a swizzle of " + Twine(*op.getSwizzle()) +
                           " bytes, but the runtime stores rows of " + Twine(rowBytes) +
                           " bytes with " + Twine(getSwizzle(rowBytes)));
  e.values.bind(op.getResult(), shared.name);
  if (holdsVectors(type))
    return e.out.line("const vector_ring<" + element->name + ", " + cols + ", " +
                      e.facts.stagesOf(op.getResult()) + "> " + shared.name + "(shared + " +
                      shared.offset + ");");
  e.out.line("const shared_ring" + Twine(type.getWithOnes() ? "_with_ones<" : "<") + element->name +
             ", " + rows + ", " + cols + ", " + e.facts.stagesOf(op.getResult()) + "> " +
             shared.name + "(shared + " + shared.offset + ");");
}

static void emitShared(KernelEmitter &e) {
  if (e.facts.shared.empty())
    return;
  e.out.line("const uint32_t shared = shared_memory_base();");
  for (const SharedFacts &shared : e.facts.shared) {
    Origin origin(e.out, shared.op);
    if (auto ring = dyn_cast<AllocRingOp>(shared.op)) {
      emitRing(e, ring, shared);
      continue;
    }
    if (isa<TileSchedulerOp>(shared.op)) {
      e.out.line("const tile_scheduler " + shared.name + "(shared + " + shared.offset + ");");
      continue;
    }
    Value barrier = shared.getValue();
    e.values.bind(barrier, shared.name);
    e.out.line("const barrier_ring<" + e.facts.stagesOf(barrier) + "> " + shared.name +
               "(shared + " + shared.offset + ");");
  }
}

/// Code that computes the scalars that the roles share.
static bool isScalarCode(Operation &op) {
  return isa_and_nonnull<arith::ArithDialect, scf::SCFDialect>(op.getDialect());
}

/// The ops before the roles; those that one thread of the block does share an `if`.
static void emitSetup(KernelEmitter &e) {
  auto isForOneThread = [](Operation &op) {
    return isa<InitBarrierOp, TileSchedulerOp, FenceBarrierInitOp>(op);
  };
  Block &body = KernelOp(e.facts.op).getBody().front();
  for (auto it = body.begin(); it != body.end();) {
    if (isa<RoleOp>(*it) || isScalarCode(*it)) {
      ++it;
    } else if (!isForOneThread(*it)) {
      emitOp(e, &*it++);
    } else {
      Origin origin(e.out, &*it);
      e.out.open("if (threadIdx.x == 0) {");
      while (it != body.end() && isForOneThread(*it))
        emitOp(e, &*it++);
      e.out.close();
    }
  }
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// "---- consumers ----...", up to one column in all kernels.
static void emitBanner(KernelEmitter &e, RoleOp role, unsigned indent) {
  constexpr size_t width = 98;
  std::string text = "---- " + stringifyRoleKind(role.getKind()).str();
  if (role.getWarpgroups() > 1 || role.getWarps() > 1)
    text += "s";
  text += " ";
  text.append(width - indent - 3 - text.size(), '-');
  e.out.comment(text);
}

static void emitRegisters(KernelEmitter &e, RoleOp role) {
  Origin origin(e.out, {role, LinePart::Kernel, /*isRegisters=*/true});
  int64_t registers = role.getRegisters();
  if (!registers)
    return;
  KernelOp kernel = e.facts.op;
  const int64_t threads = int64_t(kernel.getThreads()) * getResidentBlocks(kernel);
  bool gives = threads == 0 || registers < getEntryRegisters(threads); // 0 is said by emitPlan
  e.out.line((gives ? "setmaxnreg_dec<" : "setmaxnreg_inc<") + Twine(registers) + ">();",
             gives ? "of each thread; the others go back to the block's pool"
                   : "of each thread, as soon as the pool has them");
}

template <typename... Ops> static bool holds(RoleOp role) {
  return role
      .walk([](Operation *op) {
        return isa<Ops...>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The function that gives the index of a warpgroup, or of a warp, among those of the role.
static std::string spellIndex(KernelEmitter &e) {
  int64_t first = e.roleFirstWarpgroup * (e.inWarps() ? warpgroupWarps : 1);
  return (e.inWarps() ? "warp_index()" : "warpgroup_index()") +
         (first ? " - " + std::to_string(first) : "");
}

void backend::emit(KernelEmitter &e, WarpgroupIndexOp op) {
  if (!e.role || e.inProducer())
    return e.values.error(op, "needs the whole warpgroup, which only a consumer is");
  e.out.line("const int " + e.declare(op.getIndex(), "consumer") + " = " + spellIndex(e) + ";",
             op.getReason());
}

static void emitConsumer(KernelEmitter &e, const RoleFacts &facts) {
  RoleOp role = facts.op;
  Value index = role.getBody().getArgument(0);
  // Warps name shared memory by their own index, not by their warpgroup's.
  bool isOneOfSeveral = role.getWarpgroups() > 1 && !e.inWarps();
  if (!index.use_empty() ||
      (isOneOfSeveral && holds<SyncWarpgroupOp, PingPongAcquireOp, Exchange>(role))) {
    std::string name = e.declare(index, e.inWarps() ? "warp" : "consumer");
    if (isOneOfSeveral && !e.inWarps())
      e.consumer = name;
    e.out.line("const int " + name + " = " + spellIndex(e) + ";");
  }
  auto isForLeader = [](Operation *op) {
    return isForOneThread(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  if (role.walk(isForLeader).wasInterrupted())
    e.out.line("const bool leader = threadIdx.x % " + Twine(e.inWarps() ? 32 : 128) + " == 0;",
               e.inWarps() ? "starts the warp's TMA" : "starts the warpgroup's TMA");
  beginProfile(e, facts);
  emitStoreFunctions(e);
  emitBlock(e, role.getBody().front(), KernelOp(e.facts.op).getLoc());
  endProfile(e);
}

/// The warps of the producer's warpgroup after the one that loads.
static void emitScanner(KernelEmitter &e, const RoleFacts &facts) {
  RoleOp role = facts.op;
  int64_t first = warpgroupWarps * e.roleFirstWarpgroup + 1, last = first + role.getWarps() - 1;
  e.out.open("if (warp_index() " +
             (first == last ? "== " + Twine(first)
                            : ">= " + Twine(first) + " && warp_index() <= " + Twine(last)) +
             ") {");
  if (Value index = role.getBody().getArgument(0); !index.use_empty()) {
    bool isOfConsumer = getSourceName(index.getLoc()) == "consumer";
    e.out.line("const int " + e.declare(index, isOfConsumer ? "consumer" : "scanner") +
                   " = warp_index() - " + Twine(first) + ";",
               isOfConsumer ? "whose vectors this warp computes" : "of those that share the work");
  }
  emitBlock(e, role.getBody().front(), KernelOp(e.facts.op).getLoc());
  e.out.close();
}

static void emitProducer(KernelEmitter &e, const RoleFacts &facts) {
  RoleOp role = facts.op;
  e.out.open("if (warp_index() == " + Twine(4 * e.roleFirstWarpgroup) + " && elect_one()) {");
  beginProfile(e, facts);
  emitBlock(e, role.getBody().front(), KernelOp(e.facts.op).getLoc());
  endProfile(e);
  e.out.close();
  if (isJoined(role)) {
    e.out.line("__syncwarp();", "the warp's lanes go on together");
    e.out.blank();
  }
}

/// Which warpgroups enter the branch, given that those before have not come here.
static std::string roleCondition(const RoleFacts &role) {
  if (role.end - role.first == 1)
    return "warpgroup_index() == " + std::to_string(role.first);
  return "warpgroup_index() < " + std::to_string(role.end);
}

static void emitRoles(KernelEmitter &e) {
  // The roles that share the warpgroups; a role of one of their threads before them is no branch of
  // them, nor are scanner warps, which share the producer's.
  auto hasBranch = [](const RoleFacts &facts) { return getOwnWarpgroups(facts.op) > 0; };
  size_t branches = llvm::count_if(e.facts.roles, hasBranch);
  size_t index = 0;
  for (const RoleFacts &facts : e.facts.roles) {
    bool isBranch = branches > 1 && hasBranch(facts);
    bool isFirst = index == 0, isLast = index + 1 == branches;
    index += hasBranch(facts);
    if (isBranch && isFirst && !isLast)
      e.out.open("if (" + roleCondition(facts) + ") {");
    else if (isBranch && !isFirst)
      e.out.closeAndOpen(isLast ? "} else {" : "} else if (" + roleCondition(facts) + ") {");

    Names::Scope scope(e.names);
    RoleOp role = facts.op;
    Origin origin(e.out, role);
    e.role = role;
    e.roleFirstWarpgroup = facts.first;
    e.consumer.clear();
    emitBanner(e, role, isBranch || isScanner(role) ? 4 : 2);
    emitRegisters(e, role);
    e.variables.emplace(role);
    for (Value made : e.variables->getOverwriting())
      e.values.error(
          made.getDefiningOp() ? made.getDefiningOp() : made.getParentBlock()->getParentOp(),
          "overwrites a register tile that is still needed: run tk-assign-variables first");
    if (e.inProducer())
      emitProducer(e, facts);
    else if (e.inLanes())
      emitScanner(e, facts);
    else
      emitConsumer(e, facts);
    e.role = {};
  }
  if (branches > 1)
    e.out.close();
}

void backend::emitKernel(KernelEmitter &e) {
  KernelOp kernel = e.facts.op;
  e.values.parameters = e.facts.parameters;
  e.variables.emplace(kernel);
  if (std::optional<SourceLine> line = sourceLineOf(kernel.getLoc()))
    e.linesAround.push_back(*line);
  e.out.line(Twine(e.options.isDeviceOnly ? "extern \"C\" " : "") +
             "__global__ void __launch_bounds__(" + e.facts.planName + "::threads, " +
             Twine(getResidentBlocks(kernel)) + ")");
  SmallVector<std::string> parameters = bindParameters(e);
  e.out.list(e.facts.kernelName + "(", parameters, ") {");
  e.out.indent();
  e.out.line("using namespace " + e.facts.planName + ";");
  e.out.blank();
  for (Operation &op : kernel.getBody().front())
    if (isScalarCode(op))
      emitOp(e, &op);
  e.out.blank();
  emitShared(e);
  e.out.blank();
  emitSetup(e);
  e.out.blank();
  emitRoles(e);
  e.out.close();
  e.linesAround.clear();
}
