//===- InsertWaits.cpp - Waits, fences and barriers, with their reasons ---===//
//
// analysis/Hazards.h says what is not covered; this pass covers it. It takes the
// first hazard in program order, puts the weakest op that covers it as late as
// possible, and asks again, since one wait often covers several hazards. Each op
// says why it stands there, in words that the emitted CUDA prints beside it.
//
// Waits and fences of the tensor cores never stand inside an `scf.if`: the whole
// warpgroup must execute them, and ptxas serialises products (C7510) when it
// cannot prove that it does.
//
//===----------------------------------------------------------------------===//
#include "analysis/Hazards.h"
#include "analysis/TileNames.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

static void addOnce(SmallVector<std::string> &parts, std::string part) {
  if (!llvm::is_contained(parts, part))
    parts.push_back(std::move(part));
}

static std::string getName(Value fragment) {
  StringRef name = findTileName(fragment);
  return name.empty() ? "the accumulator" : name.str();
}

/// "acc is read on line 12".
static std::string describeUse(Operation *op) {
  Value fragment = isa<StoreFragmentOp, CopyOp>(op) ? op->getOperand(0) : op->getResult(0);
  std::string text = getName(fragment) + (isa<FillOp>(op) ? " is filled" : " is read");
  unsigned line = getSourceLine(op->getLoc());
  return line ? text + " on line " + std::to_string(line) : text + " next";
}

/// Why a wait for products stands before `hazard.op`. If it also covers a later use of the result,
/// that is the better reason.
static std::string explainProductWait(const Hazard &hazard, ArrayRef<Hazard> hazards) {
  SmallVector<std::string> reads, fills;
  for (const Hazard &other : hazards)
    if (other.kind == HazardKind::ProductInFlight && other.pending >= hazard.pending) {
      if (isa<StoreFragmentOp, CopyOp>(other.op))
        addOnce(reads, describeUse(other.op));
      else if (isa<FillOp>(other.op))
        addOnce(fills, describeUse(other.op));
    }
  const SmallVector<std::string> &uses = reads.empty() ? fills : reads;
  if (hazard.pending == 0 && !uses.empty())
    return list(uses);
  if (isa<RoleOp>(hazard.op))
    return "shared memory must outlive the products that read it";
  return hazard.pending == 0   ? "the product has read its stage"
         : hazard.pending == 1 ? "the product before this one has read its stage"
                               : "the product " + std::to_string(hazard.pending) +
                                     " before this one has read its stage";
}

/// The tensors that the kernel loads or stores: "A and B".
template <typename CopyOpType> static std::string listTensors(Operation *root, KernelOp kernel) {
  std::set<unsigned> arguments;
  root->walk([&](CopyOpType copy) {
    Value tensor;
    if constexpr (std::is_same_v<CopyOpType, TmaLoadOp>)
      tensor = copy.getSource();
    else
      tensor = copy.getDest();
    if (auto map = tensor.getDefiningOp<TensorMapOp>())
      tensor = map.getSource();
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      arguments.insert(argument.getArgNumber());
  });
  std::vector<std::string> names;
  for (unsigned argument : arguments)
    names.push_back(kernel.getArgumentName(argument).str());
  return list(names);
}

static std::string explainGridWait(RoleOp role) {
  auto kernel = role->getParentOfType<KernelOp>();
  // The producer waits for all roles: what they store follows what it loads.
  bool isProducer = role.getKind() == RoleKind::Producer;
  std::string loaded = listTensors<TmaLoadOp>(role, kernel);
  std::string stored =
      listTensors<TmaStoreOp>(isProducer ? kernel.getOperation() : role.getOperation(), kernel);
  std::string reason = "the kernel before this one may still be ";
  if (!loaded.empty())
    reason += "writing " + loaded;
  if (!stored.empty())
    reason += (loaded.empty() ? "reading " : ", or reading ") + stored;
  return reason;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Out of every branch around `op`, and of every loop marked for unrolling.
static Operation *leaveBranches(Operation *op) {
  Operation *place = op;
  for (Operation *parent = op->getParentOp();
       isa<scf::IfOp>(parent) || parent->hasAttr(unrollAttrName); parent = parent->getParentOp())
    place = parent;
  return place;
}

/// True if the code of this thread uses registers of a product inside `root`.
static bool touchesRegisters(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return isa<FillOp, UninitializedOp, CopyOp, StoreFragmentOp>(op) ? WalkResult::interrupt()
                                                                         : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Why a fence stands right before a product. By PTX's rules it could stand before a loop in which
/// only products use the registers, but ptxas then puts one of its own into the loop (C7519).
static StringRef explainFencePlace(Operation *product) {
  auto loop = product->getParentOfType<scf::ForOp>();
  return loop && !touchesRegisters(loop) ? "; ptxas wants it in the loop" : "";
}

//===----------------------------------------------------------------------===//
// One hazard after the other
//===----------------------------------------------------------------------===//

/// Fences the registers of all products whose fence has the same place, right before the first of
/// them.
static void fenceRegisters(OpBuilder &builder, const Hazard &hazard, ArrayRef<Hazard> hazards) {
  Operation *place = leaveBranches(hazard.op);
  SmallVector<std::string> names;
  for (const Hazard &other : hazards)
    if (other.kind == HazardKind::RegistersTouched && leaveBranches(other.op) == place)
      addOnce(names, getName(cast<WgmmaOp>(other.op).getAcc()));
  builder.setInsertionPoint(place);
  builder.create<FenceRegistersOp>(getUnnamedLoc(hazard.op->getLoc()),
                                   list(names) + (names.size() == 1 ? " passes" : " pass") +
                                       " from this thread's code to the tensor cores" +
                                       explainFencePlace(hazard.op).str());
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
  builder.create<WaitStoresReadOp>(loc, hazard.pending,
                                   "the store that used this buffer before has read it");
}

static LogicalResult cover(const Hazard &hazard, ArrayRef<Hazard> hazards) {
  OpBuilder builder(hazard.op);
  Location loc = getUnnamedLoc(hazard.op->getLoc());
  switch (hazard.kind) {
  case HazardKind::ProductOpen:
    return hazard.op->emitError()
           << "the product at line " << getSourceLine(hazard.cause->getLoc())
           << " is in no group that a wait could name: hopper.commit_products is missing";
  case HazardKind::ProductInFlight:
    if (auto role = dyn_cast<RoleOp>(hazard.op))
      builder.setInsertionPointToEnd(&role.getBody().front());
    else
      builder.setInsertionPoint(leaveBranches(hazard.op));
    builder.create<WaitProductsOp>(loc, hazard.pending, explainProductWait(hazard, hazards));
    return success();
  case HazardKind::RegistersTouched:
    fenceRegisters(builder, hazard, hazards);
    return success();
  case HazardKind::StoreReading:
    waitForStores(builder, hazard);
    return success();
  case HazardKind::FreedUnknown:
    builder.create<SyncWarpgroupOp>(loc, 1, "the warpgroup knows the buffer is free");
    return success();
  case HazardKind::WriteUnfenced:
    builder.create<FenceAsyncProxyOp>(
        loc, isa<TmaStoreOp>(hazard.op)
                 ? "TMA reads through another proxy what these threads wrote"
                 : "the tensor cores read through another proxy what these threads wrote");
    return success();
  case HazardKind::WriteUnsynced:
    builder.create<SyncWarpgroupOp>(loc, 1, "all of the buffer is written");
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

namespace {
struct InsertWaits : tkc::impl::InsertWaitsBase<InsertWaits> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(coverAll(kernel)))
        return signalPassFailure();
  }

  static LogicalResult coverAll(KernelOp kernel) {
    // Every step removes a hazard; a kernel with more than this many would not fit any machine.
    constexpr int maxSteps = 1000;
    for (int step = 0; step < maxSteps; ++step) {
      SmallVector<Hazard> hazards = findHazards(kernel);
      if (hazards.empty())
        return success();
      if (failed(cover(hazards.front(), hazards)))
        return failure();
    }
    return kernel.emitError() << "no end of hazards after " << maxSteps << " waits";
  }
};
} // namespace
