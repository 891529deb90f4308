//===- LineTable.cpp - Origin and kind of every line of the CUDA ----------===//
#include "backend/LineTable.h"

#include "analysis/protocol/BarrierRoles.h"
#include "backend/EmitCuda.h"
#include "backend/KernelFacts.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperElementOps.h"
#include "dialect/hopper/HopperPartOps.h"
#include "dialect/hopper/HopperTileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <set>

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Kinds of ops for a reader
//===----------------------------------------------------------------------===//

static StringRef describe(StatementKind kind) {
  switch (kind) {
  case StatementKind::Load:
    return "load";
  case StatementKind::Wait:
    return "wait";
  case StatementKind::Sync:
    return "sync";
  case StatementKind::Arrive:
    return "arrive";
  case StatementKind::Release:
    return "release";
  case StatementKind::Fence:
    return "fence";
  case StatementKind::Commit:
    return "commit";
  case StatementKind::Mma:
    return "mma";
  case StatementKind::Store:
    return "store";
  case StatementKind::Shared:
    return "shared";
  case StatementKind::Reduction:
    return "reduction";
  case StatementKind::Elementwise:
    return "elementwise";
  case StatementKind::Loop:
    return "loop";
  case StatementKind::BarrierInit:
    return "barrier init";
  case StatementKind::Scheduler:
    return "scheduler";
  case StatementKind::Cursor:
    return "cursor";
  case StatementKind::Declaration:
    return "declaration";
  case StatementKind::Scalar:
    break;
  }
  return "scalar";
}

static StringRef kindOf(Operation *op) {
  if (auto spelled = dyn_cast<CudaSpelling>(op))
    return describe(spelled.getSpelling().kind);
  using Result = StringRef;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<scf::ForOp>([](auto) { return "loop"; })
      .Case<scf::IfOp>([](auto) { return "branch"; })
      .Case<KernelOp, RoleOp>([](auto) { return "code"; })
      .Default([](Operation *) { return "scalar"; });
}

/// The mbarrier that an op waits for or arrives at, and which of them it does.
static std::pair<Value, StringRef> signalOf(Operation *op) {
  using Result = std::pair<Value, StringRef>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([](WaitBarrierOp wait) { return Result(wait.getBarrier(), "wait"); })
      .Case([](BarrierUse arrival) { return Result(arrival.getBarrier(), "arrive"); })
      .Case([](InitBarrierOp init) { return Result(init.getBarrier(), "init"); })
      .Case([](AllocBarrierOp alloc) { return Result(alloc.getResult(), ""); })
      .Default([](Operation *) { return Result(); });
}

static std::pair<std::optional<int64_t>, StringRef> namedSignalOf(Operation *op) {
  using Result = std::pair<std::optional<int64_t>, StringRef>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<SyncWarpgroupOp, SyncConsumersOp>(
          [](auto sync) { return Result(sync.getBarrierId(), "sync"); })
      .Case<PingPongAcquireOp, PingPongEndOp, AwaitWarpgroupOp>(
          [](auto wait) { return Result(wait.getBarrierId(), "wait"); })
      .Case<PingPongBeginOp, PingPongReleaseOp, SignalWarpgroupOp>(
          [](auto arrival) { return Result(arrival.getBarrierId(), "arrive"); })
      .Default([](Operation *) { return Result(); });
}

/// Why an op is there, if nothing beside its line says so.
static std::string reasonOf(Operation *op) {
  for (StringRef name : {StringRef("reason"), StringRef(becauseAttrName)})
    if (auto reason = op->getAttrOfType<StringAttr>(name))
      return reason.getValue().str();
  if (isa<TileSchedulerOp>(op))
    return "the producer takes tiles from the atomic counter; the consumers follow it from tile to "
           "tile";
  if (!isa<ExpectBytesOp, ArriveOp, InitBarrierOp>(op))
    return {};
  // An arrival is what makes the barrier's meaning true.
  auto barrier = signalOf(op).first.getDefiningOp<AllocBarrierOp>();
  return barrier ? barrier.getGuards().value_or("").str() : std::string();
}

static StringRef reasonOfRegisters(RoleOp role) {
  if (isScanner(role))
    return "scanner warps have the registers of the producer's warpgroup";
  if (role.getKind() == RoleKind::Reducer && role.getWarpgroups() == 1)
    return "the reducer needs its accumulator and little else; the rest goes to the consumers";
  return role.getKind() == RoleKind::Producer
             ? "a thread that only starts loads needs few registers; the others leave the SM's "
               "pool "
               "to the consumers"
             : "the register tiles of this role need more than an equal share of the SM's pool";
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::string KernelNames::find(Value value) const {
  for (const auto &[named, name] : shared)
    if (named == value)
      return name;
  return {};
}

llvm::DenseMap<Operation *, unsigned> tkc::numberStatements(Operation *kernel) {
  llvm::DenseMap<Operation *, unsigned> statements;
  kernel->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { statements.try_emplace(op, statements.size()); });
  return statements;
}

void LineTable::add(const KernelFacts &facts) {
  KernelNames &names = kernels[facts.op];
  for (const SharedFacts &shared : facts.shared)
    if (Value value = shared.getValue())
      names.shared.emplace_back(value, shared.name);
  names.namedBarriers.assign(facts.namedBarriers.begin(), facts.namedBarriers.end());
  names.statements = numberStatements(facts.op);
  for (const RoleFacts &role : facts.roles)
    for (int64_t i = 0; facts.profile && i < role.getStreams(); ++i)
      names.streams.push_back({stringifyRoleKind(RoleOp(role.op).getKind()), role.first + i});
}

const KernelNames *LineTable::findNames(Operation *kernel) const {
  auto found = kernels.find(kernel);
  return found == kernels.end() ? nullptr : &found->second;
}

static KernelOp kernelOf(Operation *op) {
  auto kernel = dyn_cast<KernelOp>(op);
  return kernel ? kernel : op->getParentOfType<KernelOp>();
}

static StringRef roleOf(const LineOrigin &origin) {
  static constexpr StringLiteral parts[] = {"file", "plan", "kernel", "launcher", "choice"};
  RoleOp role;
  if (origin.op && origin.part == LinePart::Kernel)
    role = isa<RoleOp>(origin.op) ? cast<RoleOp>(origin.op) : origin.op->getParentOfType<RoleOp>();
  return role ? stringifyRoleKind(role.getKind()) : StringRef(parts[int(origin.part)]);
}

static void addBarrier(LineFacts &facts, const KernelNames &names, Operation *op) {
  if (auto [barrier, signal] = signalOf(op); barrier) {
    facts.barrier = names.find(barrier);
    facts.signal = signal;
  } else if (auto [id, named] = namedSignalOf(op); id) {
    for (const NamedBarrierFacts &candidate : names.namedBarriers)
      if (candidate.id == *id)
        facts.barrier = candidate.name;
    facts.signal = facts.barrier.empty() ? "" : named;
  }
}

static void addRings(LineFacts &facts, const KernelNames &names, Operation *op) {
  auto add = [&](Value ring) {
    std::string name = ring ? names.find(ring) : std::string();
    if (!name.empty() && !llvm::is_contained(facts.rings, name))
      facts.rings.push_back(name);
  };
  if (auto ring = dyn_cast<AllocRingOp>(op))
    add(ring.getResult());
  for (Value operand : op->getOperands())
    if (isa<SharedType>(operand.getType()))
      add(BarrierRoles::getRing(operand));
}

LineFacts LineTable::describe(const CudaLine &line) const {
  LineFacts facts;
  facts.role = roleOf(line.origin);
  facts.reason = line.reason;
  Operation *op = line.origin.op;
  bool isCode = line.text == LineText::Code;
  static constexpr StringLiteral texts[] = {"code", "comment", "reason", "source", "blank"};
  facts.kind = texts[int(line.text)];
  if (!op || line.text == LineText::Blank)
    return facts;

  KernelOp kernel = kernelOf(op);
  facts.kernel = kernel.getSymName().str();
  facts.source = line.origin.source ? line.origin.source : sourceLineOf(op->getLoc());
  const KernelNames *names = findNames(kernel);
  if (names) {
    addBarrier(facts, *names, op);
    addRings(facts, *names, op);
  }
  if (line.origin.part != LinePart::Kernel) {
    if (isCode)
      facts.kind = facts.role;
    return facts;
  }
  if (names && !isa<KernelOp, RoleOp>(op))
    facts.statement = names->statements.lookup(op);
  if (line.origin.record != ProfileEdge::None) {
    facts.kind = "record";
    return facts;
  }
  if (isCode)
    facts.kind = line.origin.isRegisters ? "setmaxnreg" : kindOf(op);
  if (isCode && facts.reason.empty())
    facts.reason =
        line.origin.isRegisters ? reasonOfRegisters(cast<RoleOp>(op)).str() : reasonOf(op);
  return facts;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

std::string tkc::reasonId(StringRef reason) {
  std::string digits = llvm::utohexstr(llvm::xxh3_64bits(reason), /*LowerCase=*/true, 16);
  digits[0] = 'r'; // so that it can be a name
  return digits.substr(0, 11);
}

static void print(llvm::json::OStream &json, const SourceLine &source, const EmitOptions &options) {
  json.attribute("file", llvm::sys::path::filename(source.file));
  json.attribute("line", source.line);
  json.attribute("column", source.column);
  unsigned length =
      options.tokenLength ? options.tokenLength(source.file, source.line, source.column) : 1;
  json.attribute("end", source.column + std::max(length, 1u));
}

void tkc::printLinesAsJson(const LineTable &table, const EmitOptions &options, StringRef cudaName,
                           raw_ostream &os) {
  std::set<std::string> reasons;
  llvm::json::OStream json(os, 1);
  json.object([&] {
    json.attribute("format", 1);
    json.attribute("source", options.sourceName);
    json.attribute("cuda", cudaName);
    json.attributeArray("lines", [&] {
      for (const auto &[index, line] : llvm::enumerate(table.getLines())) {
        LineFacts facts = table.describe(line);
        json.object([&] {
          json.attribute("line", int64_t(index + 1));
          json.attribute("role", facts.role);
          json.attribute("kind", facts.kind);
          if (!facts.kernel.empty())
            json.attribute("kernel", facts.kernel);
          if (facts.statement)
            json.attribute("statement", *facts.statement);
          if (facts.source)
            json.attributeObject("source", [&] { print(json, *facts.source, options); });
          if (!facts.reason.empty()) {
            json.attribute("reason", reasonId(facts.reason));
            reasons.insert(facts.reason);
          }
          if (!facts.barrier.empty())
            json.attribute("barrier", facts.barrier);
          if (!facts.signal.empty())
            json.attribute("signal", facts.signal);
          if (!facts.rings.empty())
            json.attributeArray("rings", [&] {
              for (const std::string &ring : facts.rings)
                json.value(ring);
            });
        });
      }
    });
    json.attributeObject("reasons", [&] {
      for (const std::string &reason : reasons)
        json.attribute(reasonId(reason), reason);
    });
  });
  os << '\n';
}
