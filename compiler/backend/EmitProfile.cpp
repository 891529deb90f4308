//===- EmitProfile.cpp - The records of --profile -------------------------===//
//
// A record says that a statement begins; the time up to the role's next record is
// that statement's. So neighbours that do the same kind of work share a record, a
// wait has one of its own, and whatever follows a wait ends it. The numbers are
// the line table's: twice the statement's, and one more where the record is at its
// end, which the loop over tiles and waits for MMAs have, or where iterations are
// not recorded.
//
// ptxas moves nothing over a read of the clock, so that a record in the middle of
// arithmetic keeps it apart from the MMA that would run beside it: a third of the
// time of attention (docs/design/experiments/profile-cost.md). Therefore records
// stand, unless all are asked for, where the order is fixed: before a wait at a
// barrier and after it, which is a loop; before the fence of an MMA, which has the
// registers written; and after the wait for an MMA whose accumulator is read next.
// Stores cost issue slots all the same, so that loops record in some iterations only
// unless more is asked for; the iterations between them begin with one record.
//
// runtime/hopper/tile/profile.h has the recording itself.
//
//===----------------------------------------------------------------------===//
#include "backend/KernelEmitter.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/tk/TemplateParameters.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Names and kinds of statements for a reader of the profile
//===----------------------------------------------------------------------===//

static Phase phaseOf(Operation *op) {
  // These belong to the statements that they prepare.
  if (isa<ExpectBytesOp, LoadElementOp>(op))
    return Phase::Load;
  if (isa<FenceRegistersOp>(op))
    return Phase::Mma;
  auto spelled = dyn_cast<CudaSpelling>(op);
  switch (spelled ? spelled.getSpelling().kind : StatementKind::Scalar) {
  case StatementKind::Wait:
  case StatementKind::Sync:
    return Phase::Alone;
  case StatementKind::Load:
    return Phase::Load;
  case StatementKind::Mma:
    return Phase::Mma;
  case StatementKind::Reduction:
  case StatementKind::Elementwise:
    return Phase::Elementwise;
  case StatementKind::Shared:
    return Phase::Shared;
  case StatementKind::Store:
    return Phase::Store;
  default:
    return Phase::None;
  }
}

/// A fence is there for the MMA that follows it, and the bytes are expected of the load.
static Operation *getNamed(Operation *op) {
  if (!isa<FenceRegistersOp, ExpectBytesOp>(op))
    return op;
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (isa<FenceRegistersOp>(op) ? isa<WgmmaOp>(next)
                                  : isa<BarrierUse>(next) && isa<SharedAccess>(next))
      return next;
  return op;
}

static std::string nameOf(KernelEmitter &e, Operation *op) {
  using Result = std::string;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](WaitBarrierOp wait) { return "wait " + e.text(wait.getBarrier()); })
      .Case([](WaitWgmmaOp) { return Result("wait wgmma"); })
      .Case([](WaitStoresReadOp) { return Result("wait stores"); })
      .Case([](WaitGridDependencyOp) { return Result("wait grid"); })
      .Case<PingPongAcquireOp, PingPongEndOp>([](auto) { return Result("wait ping-pong"); })
      .Case([](AwaitWarpgroupOp) { return Result("wait warpgroup"); })
      .Case<SyncWarpgroupOp, SyncConsumersOp>([](auto) { return Result("wait threads"); })
      .Case([](WgmmaOp mma) {
        StringRef name = tk::getVariableName(mma.getResult());
        return name.empty() ? Result("MMA") : ("MMA " + name).str();
      })
      .Default([](Operation *other) -> Result {
        switch (phaseOf(other)) {
        case Phase::Load:
          return "load";
        case Phase::Mma:
          return "MMA";
        case Phase::Elementwise:
          return "elementwise";
        case Phase::Shared:
          return "shared memory";
        case Phase::Store:
          return "store";
        default:
          return "other";
        }
      });
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// Prints `call`(number, more...); for the statement of `op`.
static void emitCall(KernelEmitter &e, Operation *op, ProfileEdge edge, StringRef call,
                     ArrayRef<std::string> more, StringRef name) {
  if (e.statements.empty())
    e.statements = numberStatements(e.facts.op);
  constexpr unsigned mostStatements = 1 << 15;
  unsigned statement = e.statements.lookup(op);
  if (statement >= mostStatements)
    return e.values.error(op, "is statement " + Twine(statement) +
                                  " of its kernel, but --profile can number " +
                                  Twine(mostStatements) + "; profile a smaller kernel");
  SmallVector<std::string> arguments{std::to_string(2 * statement + (edge == ProfileEdge::End))};
  llvm::append_range(arguments, more);
  LineOrigin record{op, LinePart::Kernel};
  record.record = edge;
  Origin origin(e.out, record);
  e.out.line(e.facts.profile->variable + "." + call + "(" + llvm::join(arguments, ", ") + ");",
             name);
}

static bool isProfiling(KernelEmitter &e) { return e.facts.profile && e.role && !e.inLanes(); }

/// The variable of the loop around `op` in its tile; none if there is no such loop.
static SmallVector<std::string> iterationOf(KernelEmitter &e, Operation *op) {
  auto loop = op->getParentOfType<scf::ForOp>();
  if (!loop || getTileShare(loop))
    return {};
  return {e.text(loop.getInductionVar())};
}

static bool recordsAll(KernelEmitter &e) { return e.options.profileDetail == ProfileDetail::All; }

/// Whether nothing would move over a record at the begin of this statement.
static bool isOrdered(KernelEmitter &e, Operation *op, Phase phase) {
  if (recordsAll(e))
    return true;
  if (isa<WaitWgmmaOp, SyncWarpgroupOp, SyncConsumersOp, AwaitWarpgroupOp>(op))
    return false;
  return phase == Phase::Alone || phase == Phase::Mma || e.phase == Phase::Alone ||
         e.phase == Phase::None;
}

/// Whether only some iterations of this loop record.
static bool isSampled(KernelEmitter &e, Operation *op) {
  auto loop = dyn_cast_or_null<scf::ForOp>(op);
  return loop && e.options.profileDetail == ProfileDetail::Sampled && !getTileShare(loop) &&
         !loop->hasAttr(unrollAttrName);
}

static StringRef callFor(KernelEmitter &e, Operation *op) {
  return isSampled(e, op->getParentOfType<scf::ForOp>()) ? "sample" : "record";
}

static void record(KernelEmitter &e, Operation *op, Phase phase) {
  e.phase = phase;
  e.recorded = op;
  Operation *named = getNamed(op);
  emitCall(e, named, ProfileEdge::Begin, callFor(e, op), iterationOf(e, op), nameOf(e, named));
}

void backend::emitRecord(KernelEmitter &e, Operation *op) {
  Phase phase = phaseOf(op);
  if (!isProfiling(e) || phase == Phase::None || e.recorded == op)
    return;
  if (phase == e.phase && phase != Phase::Alone)
    return;
  if (isOrdered(e, op, phase))
    record(e, op, phase);
}

/// Whether work on registers comes before the next MMA or barrier, in the block or in its branches.
static bool hasElementwise(Block::iterator from, Block::iterator end) {
  for (Operation &op : llvm::make_range(from, end)) {
    if (phaseOf(&op) == Phase::Elementwise)
      return true;
    if (isa<WaitBarrierOp, FenceRegistersOp, WgmmaOp, scf::ForOp>(op))
      return false;
    if (isa<scf::IfOp>(op))
      for (Region &region : op.getRegions())
        for (Block &block : region)
          if (hasElementwise(block.begin(), block.end()))
            return true;
  }
  return false;
}

void backend::emitRecordAfter(KernelEmitter &e, Operation *op) {
  if (!isProfiling(e) || recordsAll(e) || !isa<WaitWgmmaOp>(op) || e.phase != Phase::Mma)
    return;
  if (!hasElementwise(std::next(op->getIterator()), op->getBlock()->end()))
    return;
  e.phase = Phase::Elementwise;
  emitCall(e, op, ProfileEdge::End, callFor(e, op), iterationOf(e, op), "elementwise");
}

// A branch goes on with the role's phase before it, as far as only ordered records tell.
Phase backend::enterBlock(KernelEmitter &e, Block &block) {
  Phase before = e.phase;
  if (recordsAll(e) || !isa<scf::IfOp>(block.getParentOp()))
    e.phase = Phase::None;
  return before;
}

void backend::leaveBlock(KernelEmitter &e, Block &block, Phase before) {
  if (Operation *loop = block.getParentOp(); isProfiling(e) && isSampled(e, loop))
    emitCall(e, loop, ProfileEdge::End, "sample", e.text(cast<scf::ForOp>(loop).getInductionVar()),
             "other iterations");
  bool isOther = e.phase != before;
  if (recordsAll(e) || !isa<scf::IfOp>(block.getParentOp()) || isOther)
    e.phase = Phase::None;
}

void backend::beginTile(KernelEmitter &e, Operation *loop, ArrayRef<std::string> indices) {
  if (isProfiling(e))
    emitCall(e, loop, ProfileEdge::Begin, "tile", indices, "tile");
}

void backend::endTile(KernelEmitter &e, Operation *loop) {
  if (isProfiling(e))
    emitCall(e, loop, ProfileEdge::End, "record", {}, "next tile");
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

void backend::emitProfilePlan(KernelEmitter &e) {
  if (!e.facts.profile)
    return;
  e.out.line("constexpr uint64_t profile_build = " +
                 llvm::formatv("{0:x16}", e.options.profileBuild).str() + ";",
             "the profile table of this text has it too");
  e.out.line("constexpr int profile_kernel = " + Twine(e.facts.profile->kernel) + ";",
             "among the file's");
  e.out.line("constexpr int profile_streams = " + Twine(e.facts.profile->streams) + ";",
             "threads of a block that write records");
}

void backend::beginProfile(KernelEmitter &e, const RoleFacts &role) {
  if (!e.facts.profile)
    return;
  std::string stream = std::to_string(role.stream), writes = "true";
  if (!e.inProducer()) {
    if (role.getStreams() > 1) {
      int64_t shift = role.stream - role.first;
      stream = "warpgroup_index()";
      if (shift)
        stream += (shift < 0 ? " - " : " + ") + std::to_string(std::abs(shift));
    }
    writes = "threadIdx.x % 128 == 0";
  }
  e.out.list("profile_stream " + e.facts.profile->variable + "(",
             {e.facts.profile->buffer, "profile_build", "profile_kernel", "profile_streams", stream,
              writes},
             ");");
}

void backend::endProfile(KernelEmitter &e) {
  if (e.facts.profile)
    e.out.line(e.facts.profile->variable + ".finish();");
}
