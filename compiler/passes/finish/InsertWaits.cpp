//===- InsertWaits.cpp - Waits, fences and barriers, with their reasons ---===//
//
// analysis/hazards/Hazards.h says what is not covered; this pass covers it. It takes the
// first hazard in program order, puts the weakest op that covers it as late as
// possible, and asks again, since one wait often covers several hazards. Each op
// says why it stands there, in words that the emitted CUDA prints beside it.
//
// Waits and fences of the tensor cores never stand inside an `scf.if`: the whole
// warpgroup must execute them, and ptxas serialises MMAs (C7510) when it
// cannot prove that it does.
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "analysis/TripCount.h"
#include "analysis/hazards/Hazards.h"
#include "analysis/protocol/BarrierRoles.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/WarpgroupPrograms.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TkElementOp.h"
#include "dialect/tk/TkPartOp.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include <set>

namespace tkc {
#define GEN_PASS_DEF_INSERTWAITS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Reasons
//===----------------------------------------------------------------------===//

/// "a", "a and b", "a, b and c".
static std::string list(ArrayRef<std::string> parts) {
  std::string text;
  for (auto [index, part] : llvm::enumerate(parts)) {
    if (index > 0)
      text += index + 1 == parts.size() ? " and " : ", ";
    text += part;
  }
  return text;
}

/// "line 12", "lines 13 and 14".
static std::string listLines(ArrayRef<unsigned> lines) {
  SmallVector<std::string> numbers;
  for (unsigned line : lines)
    numbers.push_back(std::to_string(line));
  return (lines.size() == 1 ? "line " : "lines ") + list(numbers);
}

static void addOnce(SmallVector<std::string> &parts, std::string part) {
  if (!llvm::is_contained(parts, part))
    parts.push_back(std::move(part));
}

static constexpr StringLiteral unnamed = "the accumulator";

/// The name of the variable, or of the one that an unnamed value is a part of.
static std::string getName(Value value) {
  for (StringRef name = findTileName(value);; name = findTileName(value)) {
    auto part = value.getDefiningOp<SliceOp>();
    if (!name.empty() || !part)
      return name.empty() ? unnamed.str() : name.str();
    value = part.getSource();
  }
}

/// True for what an MMA reads, if the user wrote it into the call.
static bool isUnnamedOperand(const Hazard &hazard) {
  return hazard.value.getType() != cast<WgmmaOp>(hazard.cause).getAcc().getType() &&
         findTileName(hazard.value).empty();
}

namespace {
/// Reads and writes of registers after a wait, by their lines; 0 where there is none.
struct RegisterUses {
  std::string what; // "acc is read"
  SmallVector<unsigned> lines;

  /// "acc is read on line 12".
  std::string describe() const {
    if (llvm::is_contained(lines, 0u))
      return what + " next";
    return lines.empty() ? what : what + " on " + listLines(lines);
  }
};
} // namespace

static RegisterUses getUse(const Hazard &hazard) {
  bool isRead = llvm::is_contained(hazard.op->getOperands(), hazard.value);
  std::string name = isUnnamedOperand(hazard) ? "the MMA's operand" : getName(hazard.value);
  if (isa<KeepAliveOp>(hazard.op))
    return {name + " stays in its registers until the loop ends", {}};
  auto mma = dyn_cast<WgmmaOp>(hazard.op);
  StringRef action = isRead ? " is read"
                     : mma && mma.getAcc().getDefiningOp() == hazard.cause
                         ? " goes on in MMAs of another shape"
                     : isa<FillOp>(hazard.op) ? " is filled"
                                              : " is computed";
  return {name + action.str(), {getSourceLine(hazard.op->getLoc())}};
}

/// Adds `use` to the uses of the same kind.
static void addUse(SmallVector<RegisterUses> &uses, const RegisterUses &use) {
  auto *same =
      llvm::find_if(uses, [&](const RegisterUses &other) { return other.what == use.what; });
  if (same == uses.end()) {
    uses.push_back(use);
    return;
  }
  for (unsigned line : use.lines)
    if (!llvm::is_contained(same->lines, line))
      same->lines.push_back(line);
}

/// The ring of the first shared tile that an op accesses, or of the first one for which `isWanted`.
static AllocRingOp
findRing(Operation *op, llvm::function_ref<bool(Value)> isWanted = [](Value) { return true; }) {
  for (Value operand : op->getOperands())
    if (isa<SharedType>(operand.getType()))
      if (Value ring = BarrierRoles::getRing(operand); ring && isWanted(ring))
        if (auto alloc = ring.getDefiningOp<AllocRingOp>())
          return alloc;
  return {};
}

/// The user's name of the buffer that an op accesses.
static std::string getBufferName(Operation *op) {
  AllocRingOp ring = findRing(op);
  return ring ? ring.getName().str() : "the buffer";
}

/// The ring that `op` accesses and over which the buffer that `over` writes lies; null if none.
static AllocRingOp findRingBelow(Operation *op, Operation *over) {
  AllocRingOp buffer = findRing(over);
  if (!buffer || !buffer.getOver())
    return {};
  return findRing(op, [&](Value ring) { return ring == buffer.getOver(); });
}

/// Why a wait for MMAs stands before `hazard.op`. If it also covers a later use of the result,
/// that is the better reason.
static std::string explainMmaWait(const Hazard &hazard, ArrayRef<Hazard> hazards) {
  SmallVector<RegisterUses> reads, writes;
  for (const Hazard &other : hazards) {
    if (other.kind != HazardKind::MmaInFlight || other.cause != hazard.cause ||
        other.pending < hazard.pending || !other.value)
      continue;
    bool isRead = llvm::is_contained(other.op->getOperands(), other.value);
    if (isRead && isUnnamedOperand(other))
      continue; // its registers hold another value by then
    addUse(isRead ? reads : writes, getUse(other));
  }
  SmallVector<RegisterUses> &uses = reads.empty() ? writes : reads;
  if (hazard.value)
    return getUse(hazard).describe();
  // A pass has computed it from a variable, which says enough.
  auto isUnnamed = [](const RegisterUses &use) { return StringRef(use.what).starts_with(unnamed); };
  if (!llvm::all_of(uses, isUnnamed))
    llvm::erase_if(uses, isUnnamed);
  if (!uses.empty())
    return list(llvm::map_to_vector(uses, [](const RegisterUses &use) { return use.describe(); })) +
           (hazard.pending == 0   ? ""
            : hazard.pending == 1 ? "; the next MMA goes on"
                                  : "; the next MMAs go on");
  if (isa<RoleOp>(hazard.op))
    return "shared memory must outlive the MMAs that read it";
  if (!isa<ArriveOp>(hazard.op))
    return "the MMA has read the old content of " + getBufferName(hazard.op);
  return hazard.pending == 0 ? "the MMA has read its stage"
         : hazard.pending == 1
             ? "the MMA before this one has read its stage"
             : "the MMA " + std::to_string(hazard.pending) + " before this one has read its stage";
}

static std::string explainSync(const Hazard &hazard) {
  auto role = hazard.op->getParentOfType<RoleOp>();
  bool isInWarps = role && role.getEach() == tk::EachWorker::Warp;
  std::string who = hazard.isAcrossWarpgroups ? "all consumers"
                    : isInWarps               ? "the warp"
                                              : "the warpgroup";
  std::string action = hazard.isAcrossWarpgroups ? "have" : "has";
  if (hazard.kind == HazardKind::WriteUnsynced)
    return writesTensor(hazard.op) ? "all of the buffer is written"
                                   : who + " " + action + " written " + getBufferName(hazard.cause);
  if (writesTensor(hazard.cause))
    return who + (hazard.isAcrossWarpgroups ? " know" : " knows") +
           (isa<ArriveOp>(hazard.op) ? " that its stores have read them" : " the buffer is free");
  if (AllocRingOp below = findRingBelow(hazard.cause, hazard.op))
    return who + " " + action + " read " + below.getName().str() + ", over which " +
           getBufferName(hazard.op) + " lies";
  return who + " " + action + " read the old content of " + getBufferName(hazard.op);
}

/// The tensors that are the operands of some ops: "A and B".
static std::string listTensors(Operation *root, KernelOp kernel,
                               llvm::function_ref<bool(Operation *)> isListed) {
  std::set<unsigned> arguments;
  root->walk([&](Operation *copy) {
    if (!isListed(copy))
      return;
    for (Value tensor : copy->getOperands()) {
      if (auto map = tensor.getDefiningOp<TensorMapOp>())
        tensor = map.getSource();
      tensor = tk::getWholeTensor(tensor);
      if (auto argument = dyn_cast<BlockArgument>(tensor);
          argument && isa<tk::GlobalType>(argument.getType()))
        arguments.insert(argument.getArgNumber());
    }
  });
  std::vector<std::string> names;
  for (unsigned argument : arguments)
    names.push_back(kernel.getArgumentName(argument).str());
  return list(names);
}

static std::string explainGridWait(RoleOp role) {
  auto kernel = role->getParentOfType<KernelOp>();
  // Who loads waits for all roles: what they store follows what it loads.
  bool loads = role.getKind() == RoleKind::Producer || startsLoads(role);
  std::string loaded = listTensors(
      role, kernel, [](Operation *op) { return isa<tk::ElementOp>(op) || readsTensor(op); });
  std::string stored =
      listTensors(loads ? kernel.getOperation() : role.getOperation(), kernel, writesTensor);
  std::string reason = "the kernel before this one may still be ";
  if (loaded.empty() && stored.empty())
    return reason + "taking tiles from the counter";
  if (!loaded.empty())
    reason += "writing " + loaded;
  if (!stored.empty())
    reason += (loaded.empty() ? "reading " : ", or reading ") + stored;
  return reason;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Out of every branch and loop around `op` that the cause stands outside of. Out of a loop in
/// which groups are closed, it would have to wait for more of them.
static Operation *leaveControl(const Hazard &hazard) {
  auto mayLeave = [&](Operation *parent) {
    if (!isa<scf::IfOp, scf::ForOp>(parent) || parent->isAncestor(hazard.cause))
      return false;
    auto closesGroup = [](CommitWgmmaOp) { return WalkResult::interrupt(); };
    return !parent->walk(closesGroup).wasInterrupted();
  };
  Operation *place = hazard.op;
  while (mayLeave(place->getParentOp()))
    place = place->getParentOp();
  return place;
}

/// True if the code of this thread uses registers inside `root`.
static bool touchesRegisters(Operation *root) {
  auto touches = [](Operation *op) {
    bool isHandedOn = isa<WgmmaOp, scf::ForOp, scf::IfOp, scf::YieldOp>(op);
    return !isHandedOn && (llvm::any_of(op->getOperands(), isInRegisters) ||
                           llvm::any_of(op->getResults(), isInRegisters))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  return root->walk(touches).wasInterrupted();
}

/// Before the MMA, out of the unrolled loops in which only MMAs use registers.
static Operation *getFencePlace(Operation *mma) {
  Operation *place = mma;
  while (place->getParentOp()->hasAttr(unrollAttrName) && !touchesRegisters(place->getParentOp()))
    place = place->getParentOp();
  return place;
}

/// Why a fence stands right before an MMA. By PTX's rules it could stand before a loop in which
/// only MMAs use the registers, but ptxas then puts one of its own into the loop (C7519).
static StringRef explainFencePlace(Operation *mma) {
  auto loop = mma->getParentOfType<scf::ForOp>();
  return loop && !touchesRegisters(loop) ? "; ptxas wants it in the loop" : "";
}

//===----------------------------------------------------------------------===//
// One hazard after the other
//===----------------------------------------------------------------------===//

/// The names of what a fence at `place` hands over: the registers of all MMAs up to the next
/// code that touches registers.
static SmallVector<std::string> listFenced(Operation *place, ArrayRef<Hazard> hazards) {
  SmallVector<std::string> names;
  for (Operation *op = place; op; op = op->getNextNode()) {
    op->walk([&](WgmmaOp mma) {
      bool isTouched = llvm::any_of(hazards, [&](const Hazard &hazard) {
        return hazard.kind == HazardKind::RegistersTouched && hazard.op == mma;
      });
      if (!isTouched)
        return;
      addOnce(names, getName(mma.getAcc()));
      if (isInRegisters(mma.getA()) && !findTileName(mma.getA()).empty())
        addOnce(names, findTileName(mma.getA()).str());
    });
    if (touchesRegisters(op))
      break;
  }
  return names;
}

static void fenceRegisters(OpBuilder &builder, const Hazard &hazard, ArrayRef<Hazard> hazards) {
  Operation *place = getFencePlace(hazard.op);
  SmallVector<std::string> names = listFenced(place, hazards);
  builder.setInsertionPoint(place);
  builder.create<FenceRegistersOp>(getUnnamedLoc(hazard.op->getLoc()), /*filled=*/ValueRange(),
                                   list(names) + (names.size() == 1 ? " passes" : " pass") +
                                       " from this thread's code to the tensor cores" +
                                       explainFencePlace(hazard.op).str());
}

/// Before the unrolled loops around `op` that have nothing to do with the cause, nor with what
/// else must stand after it first, an `Earlier`: once is enough.
template <typename Earlier> static Operation *leaveUnrolled(const Hazard &hazard) {
  auto interrupt = [](Earlier) { return WalkResult::interrupt(); };
  Operation *place = hazard.op;
  for (Operation *parent = place->getParentOp();
       parent->hasAttr(unrollAttrName) && !parent->isAncestor(hazard.cause) &&
       !parent->walk(interrupt).wasInterrupted();
       parent = parent->getParentOp())
    place = parent;
  return place;
}

/// The named barrier of the warpgroup that executes `op`, or of the first consumer.
static int64_t getWarpgroupBarrier(Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  if (!role || role.getKind() != RoleKind::Reducer)
    return firstWarpgroupBarrier;
  int64_t consumers = 0;
  for (auto other : role->getParentOfType<KernelOp>().getBody().front().getOps<RoleOp>())
    consumers += other.getKind() == RoleKind::Consumer ? other.getWarpgroups() : 0;
  return firstWarpgroupBarrier + consumers;
}

static void sync(OpBuilder &builder, Location loc, const Hazard &hazard) {
  // All come to a barrier of all, so it stands in no branch that only some of them take.
  if (Operation *branch =
          hazard.isAcrossWarpgroups ? getOwnBranch(hazard.op, hazard.cause) : nullptr) {
    builder.setInsertionPoint(branch);
    builder.create<SyncConsumersOp>(loc, firstConsumersBarrier, explainSync(hazard));
    return;
  }
  builder.setInsertionPoint(hazard.kind == HazardKind::FreedUnknown
                                ? leaveUnrolled<WaitStoresReadOp>(hazard)
                                : leaveUnrolled<FenceAsyncProxyOp>(hazard));
  if (hazard.isAcrossWarpgroups)
    builder.create<SyncConsumersOp>(loc, firstConsumersBarrier, explainSync(hazard));
  else
    builder.create<SyncWarpgroupOp>(loc, getWarpgroupBarrier(hazard.op), explainSync(hazard));
}

static void waitForStores(OpBuilder &builder, const Hazard &hazard) {
  Location loc = getUnnamedLoc(hazard.op->getLoc());
  if (auto role = dyn_cast<RoleOp>(hazard.op)) {
    builder.setInsertionPointToEnd(&role.getBody().front());
    builder.create<WaitStoresReadOp>(loc, 0, "shared memory must outlive the stores that read it");
    return;
  }
  // Nothing may stay in flight from before the loop, while inside it something may: wait once,
  // before it.
  Operation *loop = getOutermostUnrolledLoop(hazard.op);
  if (loop && hazard.isFromBeforeLoop && hazard.pending == 0) {
    builder.setInsertionPoint(loop);
    builder.create<WaitStoresReadOp>(loc, 0, "the stores before these have read their buffers");
    return;
  }
  builder.setInsertionPoint(hazard.op);
  std::string reason = "the store that used this buffer before has read it";
  if (isa<ArriveOp>(hazard.op))
    reason = "the next load overwrites the buffers that the stores read";
  builder.create<WaitStoresReadOp>(loc, hazard.pending, reason);
}

/// The MMA after an arrival, in the same iteration, before which a proxy fence will stand
/// anyway; null if there is none.
static Operation *findMmaToFence(Operation *arrive, ArrayRef<Hazard> hazards) {
  for (const Hazard &hazard : hazards)
    if (hazard.kind == HazardKind::WriteUnfenced && isa<WgmmaOp>(hazard.op) &&
        hazard.op->getBlock() == arrive->getBlock() && arrive->isBeforeInBlock(hazard.op))
      return hazard.op;
  return nullptr;
}

/// Gives a stage back only after `place`, together with the next one that is given back there, if
/// nothing in between uses the cursor. A fence and an arrival apart from the others hold up a chain
/// of MMAs by more than the next load gains (Mamba-2: 3 to 8 %).
static bool moveAfterWork(Operation *place, ArriveOp arrive) {
  for (Operation *op = place; op; op = op->getNextNode())
    if (isa<ArriveOp>(op)) {
      place = isa<AdvanceOp>(op->getNextNode()) ? op->getNextNode() : op;
      break;
    }
  auto advance = dyn_cast<AdvanceOp>(arrive->getNextNode());
  if (!advance || advance.getCursor() != arrive.getCursor())
    return false;
  for (Operation *user : arrive.getCursor().getUsers())
    if (Operation *between = arrive->getBlock()->findAncestorOpInBlock(*user))
      if (advance->isBeforeInBlock(between) && !place->isBeforeInBlock(between))
        return false;
  advance->moveAfter(place);
  arrive->moveAfter(place);
  return true;
}

/// Where to fence the reads of what `arrive` gives back: right before it, or, if only a wait
/// for MMAs stands between, before that one, so that the fence takes its time while they
/// run.
static Operation *getReadFencePlace(Operation *arrive) {
  Operation *place = arrive;
  for (Operation *op = arrive->getPrevNode();
       isa_and_nonnull<WaitWgmmaOp, MapOp, ScaleColumnsOp>(op); op = op->getPrevNode())
    if (isa<WaitWgmmaOp>(op))
      place = op;
  return place;
}

static LogicalResult cover(const Hazard &hazard, ArrayRef<Hazard> hazards) {
  OpBuilder builder(hazard.op);
  Location loc = getUnnamedLoc(hazard.op->getLoc());
  switch (hazard.kind) {
  case HazardKind::MmaOpen:
    return hazard.op->emitError()
           << "the MMA at line " << getSourceLine(hazard.cause->getLoc())
           << " is in no group that a wait could name: hopper.commit_wgmma is missing";
  case HazardKind::MmaInFlight:
    if (auto role = dyn_cast<RoleOp>(hazard.op))
      builder.setInsertionPointToEnd(&role.getBody().front());
    else
      builder.setInsertionPoint(leaveControl(hazard));
    builder.create<WaitWgmmaOp>(loc, hazard.pending, /*accumulators=*/ValueRange(),
                                explainMmaWait(hazard, hazards));
    return success();
  case HazardKind::RegistersTouched:
    fenceRegisters(builder, hazard, hazards);
    return success();
  case HazardKind::StoreReading:
    waitForStores(builder, hazard);
    return success();
  case HazardKind::FreedUnknown:
  case HazardKind::WriteUnsynced:
    sync(builder, loc, hazard);
    return success();
  case HazardKind::WriteUnfenced:
    // The writers fence, who may not come to the branch of those that read.
    if (Operation *branch = getOwnBranch(hazard.op, hazard.cause))
      builder.setInsertionPoint(branch);
    else
      builder.setInsertionPoint(leaveUnrolled<StoreFragmentOp>(hazard));
    builder.create<FenceAsyncProxyOp>(
        loc, writesTensor(hazard.op)
                 ? "TMA reads through another proxy what these threads wrote"
                 : "the tensor cores read through another proxy what these threads wrote");
    return success();
  case HazardKind::ReadUnfenced:
    if (Operation *mma = findMmaToFence(hazard.op, hazards);
        mma && moveAfterWork(mma, cast<ArriveOp>(hazard.op)))
      return success();
    builder.setInsertionPoint(getReadFencePlace(hazard.op));
    builder.create<FenceAsyncProxyOp>(
        loc, "TMA writes through another proxy, which could overtake the reads of " +
                 getBufferName(hazard.cause));
    return success();
  case HazardKind::InitUnfenced:
    builder.setInsertionPointAfter(hazard.cause);
    builder.create<FenceBarrierInitOp>(
        loc,
        "TMA completes on these barriers through another proxy, which must see them initialised");
    return success();
  case HazardKind::InitUnsynced:
    builder.setInsertionPointAfter(isa<FenceBarrierInitOp>(hazard.cause->getNextNode())
                                       ? hazard.cause->getNextNode()
                                       : hazard.cause);
    builder.create<SyncBlockOp>(loc, "no thread may use a barrier before it is initialised");
    return success();
  case HazardKind::GridUnwaited: {
    auto role = hazard.op->getParentOfType<RoleOp>();
    builder.setInsertionPointToStart(&role.getBody().front());
    builder.create<WaitGridDependencyOp>(getUnnamedLoc(role.getLoc()), explainGridWait(role));
    return success();
  }
  }
  return failure();
}

/// True for an accumulator with fewer values than registers.
static bool isFilled(Value accumulator) {
  if (auto map = accumulator.getDefiningOp<MapOp>())
    return llvm::none_of(map.getInputs(),
                         [](Value input) { return isa<FragmentType>(input.getType()); });
  return accumulator.getDefiningOp<FillOp>() != nullptr;
}

/// Fences say which of the accumulators after them have been filled.
static void nameFilled(KernelOp kernel) {
  kernel.walk([](WgmmaOp mma) {
    if (!isFilled(mma.getAcc()))
      return;
    Operation *before = mma->getPrevNode();
    while (before && !isa<FenceRegistersOp>(before))
      before = before->getPrevNode();
    if (auto fence = dyn_cast_or_null<FenceRegistersOp>(before);
        fence && mma.getAcc().getDefiningOp()->getBlock() == fence->getBlock())
      fence.getFilledMutable().append(mma.getAcc());
  });
}

namespace {
struct InsertWaits : tkc::impl::InsertWaitsBase<InsertWaits> {
  void runOnOperation() override {
    if (failed(forEachKernel<KernelOp>(getOperation(), coverAll)))
      signalPassFailure();
  }

  static LogicalResult coverAll(KernelOp kernel) {
    // Every step removes a hazard; a kernel with more than this many would not fit any machine.
    constexpr int maxSteps = 1000;
    TripCount tripCount(kernel);
    for (int step = 0; step < maxSteps; ++step) {
      SmallVector<Hazard> hazards = findHazards(kernel, tripCount);
      if (hazards.empty()) {
        for (auto &[wait, accumulators] : findHandedBack(kernel, tripCount))
          wait.getAccumulatorsMutable().assign(accumulators);
        nameFilled(kernel);

        return success();
      }
      if (failed(cover(hazards.front(), hazards)))
        return failure();
    }
    return kernel.emitError() << "no end of hazards after " << maxSteps << " waits";
  }
};
} // namespace
