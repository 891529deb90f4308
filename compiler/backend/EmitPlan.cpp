//===- EmitPlan.cpp - The comment and the constants before a kernel -------===//
//
// A comment with the kernel's roles and barriers as tables, and a namespace with
// the numbers of its plan. All of it is read off the IR.
//
//===----------------------------------------------------------------------===//
#include "backend/ElementTypes.h"
#include "backend/KernelEmitter.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperOrderOps.h"
#include "dialect/hopper/SharedLayout.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {
using Row = SmallVector<std::string>;
} // namespace

/// Takes from the front of `cell` the words that fit into `width` columns.
static StringRef takeWords(StringRef &cell, size_t width) {
  size_t cut = cell.size() <= width ? cell.size() : cell.rfind(' ', width + 1);
  if (cut == StringRef::npos)
    cut = std::min(cell.find(' '), cell.size()); // one word longer than the column stays whole
  StringRef words = cell.take_front(cut);
  cell = cell.drop_front(words.size()).ltrim();
  return words.rtrim();
}

/// As wide as the longest cell, the widest columns narrower where a row would not fit its line.
static SmallVector<size_t> getWidths(ArrayRef<Row> rows, size_t room) {
  constexpr size_t narrowest = 24;
  SmallVector<size_t> widths(rows.front().size());
  for (const Row &row : rows)
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      width = std::max(width, cell.size());
  size_t total = 2 * widths.size();
  for (size_t width : widths)
    total += width;
  for (; total > room; --total) {
    size_t *widest = llvm::max_element(widths);
    if (*widest <= narrowest)
      break;
    --*widest;
  }
  return widths;
}

/// Rows of equal length, the first one the headings; numbers are aligned at their end. Long cells
/// go on in lines of their own below.
static void emitTable(CudaPrinter &out, ArrayRef<Row> rows, size_t numberColumn) {
  SmallVector<size_t> widths = getWidths(rows, out.commentRoom());
  for (const Row &row : rows) {
    SmallVector<StringRef> rest(row.begin(), row.end());
    do {
      std::string text;
      for (auto [column, cell] : llvm::enumerate(rest)) {
        StringRef words = takeWords(cell, widths[column]);
        std::string space(widths[column] - std::min(widths[column], words.size()), ' ');
        text += "  " + (column == numberColumn ? space + words.str() : words.str() + space);
      }
      out.comment(StringRef(text).rtrim());
    } while (llvm::any_of(rest, [](StringRef cell) { return !cell.empty(); }));
  }
}

static std::string join(ArrayRef<std::string> words) {
  std::string text;
  for (auto [index, word] : llvm::enumerate(words))
    text += (index == 0 ? "" : index + 1 == words.size() ? " and " : ", ") + word;
  return text;
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// The ring that a shared tile is part of.
static Value ringOf(Value tile) {
  while (isa_and_nonnull<RowsOp, ColumnsOp>(tile.getDefiningOp()))
    tile = tile.getDefiningOp()->getOperand(0);
  if (auto stage = tile.getDefiningOp<StageOp>())
    return stage.getRing();
  if (auto slot = tile.getDefiningOp<SlotOp>())
    return slot.getRing();
  return tile;
}

/// "loads q and k by TMA and copies elements of positions"; nothing for a role that does neither.
static std::string describeLoads(KernelEmitter &e, RoleOp role) {
  llvm::SmallSetVector<Value, 4> rings;
  role.walk([&](SharedAccess access) {
    if (Value loaded = getTileCompletedBy(access, Completion::Bytes))
      rings.insert(ringOf(loaded));
  });
  SmallVector<std::string> names;
  for (Value ring : rings)
    for (const SharedFacts &shared : e.facts.shared)
      if (shared.getValue() == ring)
        names.push_back(shared.name);
  SmallVector<std::string> elements;
  role.walk([&](CopyElementOp copy) {
    BlockArgument tensor = tensorBehind(copy.getSource());
    std::string name = e.facts.interface.arguments[tensor.getArgNumber()].userName.str();
    if (!llvm::is_contained(elements, name))
      elements.push_back(name);
  });
  std::string text = names.empty() ? "" : "loads " + join(names) + " by TMA";
  if (!elements.empty())
    text += (text.empty() ? "" : " and ") + ("copies elements of " + join(elements));
  return text;
}

static std::string describeProducer(KernelEmitter &e, RoleOp role) {
  std::string loads = describeLoads(e, role);
  return loads.empty() ? "one thread" : "one thread " + loads;
}

static std::string describeConsumer(RoleOp role) {
  bool multiplies = false, stores = false;
  int64_t rows = 0;
  role.walk([&](Operation *op) {
    multiplies |= isa<WgmmaOp, MmaSyncOp>(op);
    stores |= writesTensor(op);
    for (Type type : op->getResultTypes())
      if (auto fragment = dyn_cast<FragmentType>(type); fragment && !rows)
        rows = fragment.getRows();
  });
  SmallVector<std::string> actions;
  if (multiplies)
    actions.push_back("multiplies");
  if (stores)
    actions.push_back("stores");
  if (actions.empty())
    actions.push_back("computes");
  std::string text = join(actions);
  if (role.getEach())
    return "each " + tk::stringifyEachWorker(*role.getEach()).str() + " " + text +
           " tiles of its own";
  if (role.getWarpgroups() == 1)
    return text + " the tile";
  if (role.hasPingPongTiles())
    return "ping-pong over tiles: one multiplies while the other stores";
  return "each " + text + " " +
         (rows ? std::to_string(rows) + " rows of the tile" : "a part of the tile");
}

/// The rings into which the kernel's threads write.
static llvm::SmallSetVector<Value, 4> getWrittenRings(KernelOp kernel) {
  llvm::SmallSetVector<Value, 4> rings;
  kernel.walk([&](SharedAccess access) {
    for (const SharedUse &use : access.getSharedUses())
      if (use.isWrittenByThreads())
        rings.insert(ringOf(use.tile));
  });
  return rings;
}

/// "multiplies ds, which the consumers write, and adds the result to Sum; one thread loads q by
/// TMA"; "each computes every other iteration's part of Y, from past, which the consumer writes".
static std::string describeReducer(KernelEmitter &e, RoleOp role) {
  llvm::SmallSetVector<Value, 4> written = getWrittenRings(e.facts.op);
  SmallVector<std::string> rings, tensors;
  role.walk([&](WgmmaOp wgmma) {
    for (const SharedUse &use : wgmma.getSharedUses())
      for (const SharedFacts &shared : e.facts.shared)
        if (Value ring = ringOf(use.tile); shared.getValue() == ring && written.contains(ring) &&
                                           !llvm::is_contained(rings, shared.name))
          rings.push_back(shared.name);
  });
  role.walk([&](Operation *op) {
    Value dest;
    if (auto store = dyn_cast<TmaStoreOp>(op))
      dest = store.getDest();
    else if (auto store = dyn_cast<StoreGlobalOp>(op))
      dest = store.getDest();
    else
      return;
    BlockArgument tensor = tensorBehind(dest);
    std::string name = e.facts.interface.arguments[tensor.getArgNumber()].userName.str();
    if (!llvm::is_contained(tensors, name))
      tensors.push_back(name);
  });
  if (int64_t warpgroups = role.getWarpgroups(); warpgroups > 1)
    return "each computes one of " + std::to_string(warpgroups) + " iterations' tiles of " +
           join(tensors) + " from " + join(rings) + ", which the consumer writes";
  std::string loads = describeLoads(e, role);
  return "multiplies " + join(rings) + ", which the consumers write, and adds the result to " +
         join(tensors) + (loads.empty() ? "" : "; one thread " + loads);
}

/// "each warp computes now and from of a consumer ahead of it".
static std::string describeScanner(KernelEmitter &e, RoleOp role) {
  llvm::SmallSetVector<Value, 4> rings;
  role.walk([&](StoreVectorOp store) { rings.insert(ringOf(store.getDest())); });
  SmallVector<std::string> names;
  for (Value ring : rings)
    for (const SharedFacts &shared : e.facts.shared)
      if (shared.getValue() == ring)
        names.push_back(shared.name);
  std::string what = "writes the vectors of " + join(names);
  if (role.getWarps() == 1)
    return what + ", ahead of the consumers";
  bool isOfScope = llvm::any_of(
      e.facts.roles, [](const RoleFacts &facts) { return RoleOp(facts.op).getEach().has_value(); });
  return isOfScope
             ? "each " + what + " for one consumer, ahead of it"
             : "each writes some of the vectors of " + join(names) + ", ahead of the consumers";
}

static std::string describeRole(KernelEmitter &e, RoleOp role) {
  switch (role.getKind()) {
  case RoleKind::Producer:
    return describeProducer(e, role);
  case RoleKind::Consumer:
    return describeConsumer(role);
  case RoleKind::Reducer:
    return describeReducer(e, role);
  case RoleKind::Scanner:
    return describeScanner(e, role);
  }
  llvm_unreachable("a role of another kind");
}

static void emitRoleTable(KernelEmitter &e) {
  SmallVector<Row> rows{{"warpgroup", "role", "registers", "does"}};
  for (const RoleFacts &facts : e.facts.roles) {
    RoleOp role = facts.op;
    std::string warpgroups = isJoined(role) ? "0, first" : std::to_string(facts.first);
    if (isScanner(role))
      warpgroups +=
          role.getWarps() > 1 ? ", warps 1-" + std::to_string(role.getWarps()) : ", warp 1";
    else if (facts.end - facts.first > 1)
      warpgroups += "-" + std::to_string(facts.end - 1);
    rows.push_back({warpgroups, stringifyRoleKind(role.getKind()).str(),
                    role.getRegisters() ? std::to_string(role.getRegisters())
                    : isScanner(role)   ? "producer's"
                                        : "as launched",
                    describeRole(e, role)});
  }
  emitTable(e.out, rows, 2);
}

static int64_t countReducers(KernelEmitter &e) {
  for (const RoleFacts &facts : e.facts.roles)
    if (RoleOp role = facts.op; role.getKind() == RoleKind::Reducer)
      return role.getWarpgroups();
  return 0;
}

/// The role that loads.
static std::string getLoader(KernelEmitter &e) {
  for (const RoleFacts &facts : e.facts.roles)
    if (RoleOp role = facts.op; role.getKind() == RoleKind::Reducer && startsLoads(role))
      return "reducer";
  return "producer";
}

static bool hasSeveralConsumers(KernelEmitter &e) {
  return llvm::any_of(e.facts.roles, [](const RoleFacts &facts) {
    RoleOp role = facts.op;
    return role.getKind() == RoleKind::Consumer && role.getWarpgroups() > 1;
  });
}

static void emitBarrierTable(KernelEmitter &e) {
  SmallVector<Row> rows{{"barrier", "count", "arrives", "waits", "means"}};
  for (const SharedFacts &shared : e.facts.shared)
    if (auto barrier = dyn_cast<AllocBarrierOp>(shared.op))
      rows.push_back(
          {shared.name + (barrier.getResult().getType().getStages() > 1 ? "[stage]" : ""),
           std::to_string(barrier.getArrivals()), barrier.getArrives().value_or("").str(),
           barrier.getWaits().value_or("").str(), barrier.getGuards().value_or("").str()});
  for (const NamedBarrierFacts &barrier : e.facts.namedBarriers)
    rows.push_back({barrier.name, std::to_string(barrier.threads), barrier.arrives, barrier.waits,
                    barrier.means});
  if (rows.size() == 1)
    return;
  e.out.comment("");
  emitTable(e.out, rows, 1);
}

/// Which tiles a block computes, and in which order.
static std::string describeTileLoop(KernelEmitter &e) {
  const std::string inLptOrder = "in LPT order (longest processing time first).";
  if (TileSchedulerOp scheduler = e.facts.scheduler) {
    Value group = scheduler.getHeadGroup();
    return "Persistent: a dynamic tile scheduler hands out tiles of the grid from an atomic "
           "counter, " +
           (group && matchPattern(group, m_One()) ? "in the grid's order." : inLptOrder);
  }
  if (isPersistent(e.facts.op))
    return "Persistent, with a static tile scheduler: each block computes one tile of the grid "
           "after another.";
  if (getTileOrder(KernelOp(e.facts.op)))
    return "Each block computes one tile of the grid, " + inLptOrder;
  return "Each block computes one tile of the grid.";
}

void backend::emitKernelComment(KernelEmitter &e) {
  e.out.rule();
  e.out.comment(e.facts.interface.title, 2);
  e.out.comment("");
  if (e.facts.roles.size() > 1)
    e.out.comment("Warp-specialized: the " + getLoader(e) +
                  " loads tiles ahead of the consumers, which compute.");
  if (llvm::any_of(e.facts.roles, [](const RoleFacts &facts) { return isScanner(facts.op); }))
    e.out.comment("Scanner warps compute vectors that depend on loads alone, running sums and what "
                  "follows from them.");
  if (countReducers(e) > 1)
    e.out.comment("The consumer carries tiles from one iteration to the next; the reducer's "
                  "warpgroups compute what leaves them, on alternate iterations.");
  else if (countReducers(e))
    e.out.comment("The reducer takes over an MMA whose result leaves its iteration, so that the "
                  "consumers need not meet.");
  if (e.facts.tileLoop) {
    e.out.comment(describeTileLoop(e));
    e.out.comment("");
  }
  emitRoleTable(e);
  emitBarrierTable(e);
  e.out.rule();
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

static std::string counted(int64_t count, StringRef one) {
  return std::to_string(count) + " " + one.str() + (count == 1 ? "" : "s");
}

static std::string describeShared(Operation *op) {
  if (isa<TileSchedulerOp>(op))
    return "dynamic tile scheduler, the block's tiles: 2 slots with mbarriers";
  if (auto barrier = dyn_cast<AllocBarrierOp>(op))
    return counted(barrier.getResult().getType().getStages(), "mbarrier");
  auto ring = cast<AllocRingOp>(op);
  RingType type = ring.getResult().getType();
  const ElementType *element = elementType(type.getElementType());
  std::string text = ring.getWhat() ? ring.getWhat()->str() : counted(type.getStages(), "stage");
  text += " of " + (holdsVectors(type) ? "" : std::to_string(type.getRows()) + "x") +
          std::to_string(type.getCols()) + " " + (element ? element->name.str() : "");
  if (ring.getSwizzle() && !holdsVectors(type))
    text += ", " + std::to_string(*ring.getSwizzle()) + "-byte swizzle";
  if (ring.getWhat() && ring.getWhat()->ends_with("x 2 buffers"))
    text += "; TMA stores from one buffer while threads write the other";
  if (ring.getOver())
    text += ", over " + ring.getOver().getDefiningOp<AllocRingOp>().getName().str() +
            ", which nobody reads any more by then";
  if (type.getWithOnes())
    text += ", and a swizzle-atom column of ones for row sums";
  return text;
}

static void emitOffset(KernelEmitter &e, const SharedFacts &shared) {
  auto ring = dyn_cast<AllocRingOp>(shared.op);
  auto scheduler = dyn_cast<TileSchedulerOp>(shared.op);
  std::optional<uint64_t> offset = ring        ? ring.getOffset()
                                   : scheduler ? scheduler.getOffset()
                                               : cast<AllocBarrierOp>(shared.op).getOffset();
  if (!offset)
    return e.values.error(shared.op, "has no offset yet; run tk-allocate-shared first");
  // TMA writes at multiples of 128 bytes, a swizzle begins with its pattern.
  int64_t alignment =
      ring ? std::max<int64_t>(128, getAlignment(ring.getSwizzle().value_or(0))) : 8;
  if (*offset % alignment)
    return e.values.error(shared.op, "has offset " + Twine(*offset) +
                                         ", which is not a multiple of " + Twine(alignment));
  Origin origin(e.out, shared.op);
  e.out.line("constexpr int " + shared.offset + " = " + Twine(*offset) + ";",
             describeShared(shared.op));
}

/// True if threads write the stages of the ring, and not TMA.
static bool isHandedOver(KernelEmitter &e, const StagesFacts &stages) {
  return llvm::any_of(getWrittenRings(e.facts.op), [&](Value ring) {
    return llvm::any_of(ring.getUsers(), [](Operation *op) { return isa<StageOp>(op); }) &&
           e.facts.stagesOf(ring) == stages.name;
  });
}

/// True if scanner warps write them: vectors.
static bool isScanned(KernelEmitter &e, const StagesFacts &stages) {
  return llvm::any_of(getWrittenRings(e.facts.op), [&](Value ring) {
    return cast<RingType>(ring.getType()).getRows() == 1 && e.facts.stagesOf(ring) == stages.name;
  });
}

void backend::emitPlan(KernelEmitter &e) {
  KernelOp kernel = e.facts.op;
  if (!kernel.getThreads())
    e.values.error(kernel, "has no number of threads yet; run tk-allocate-registers first");
  e.out.line("namespace " + e.facts.planName + " {");
  e.out.blank();
  SmallVector<std::string> parameters;
  for (const Parameter &parameter : e.facts.parameters)
    parameters.push_back(parameter.name + " = " + std::to_string(parameter.value));
  if (!parameters.empty())
    e.out.list("[[maybe_unused]] constexpr int ", parameters, ";");
  for (const StagesFacts &stages : e.facts.stages)
    e.out.line("constexpr int " + stages.name + " = " + Twine(stages.count) + ";",
               stages.count < 2 ? ""
               : isHandedOver(e, stages)
                   ? (!isScanned(e, stages)
                          ? "of the ring: the consumers run up to this many steps ahead of the "
                            "reducer"
                          : "of the ring: scanner warps run up to this many steps ahead of the "
                            "consumers")
                   : "of the ring: loads run up to this many steps ahead of their readers");
  e.out.line("constexpr int threads = " + Twine(kernel.getThreads()) + ";");
  for (const TransactionFacts &transaction : e.facts.transactions)
    e.out.line("constexpr int " + transaction.name + " = " + Twine(transaction.bytes) + ";",
               "TMA bytes of one stage");
  for (const NamedBarrierFacts &barrier : e.facts.namedBarriers)
    e.out.line("constexpr int " + barrier.name + " = " + Twine(barrier.id) + ";",
               barrier.isPerWarpgroup && hasSeveralConsumers(e)
                   ? "of the first consumer; each has one"
                   : "");
  emitProfilePlan(e);
  e.out.blank();
  if (!e.facts.shared.empty())
    e.out.comment("Shared memory: byte offsets from a 1024-byte boundary, where a swizzle atom (8 "
                  "rows of 128 bytes) "
                  "may begin.");
  for (const SharedFacts &shared : e.facts.shared)
    emitOffset(e, shared);
  e.out.line("constexpr int shared_bytes = " + Twine(kernel.getSharedBytes()) + ";");
  e.out.blank();
  e.out.line("} // namespace " + e.facts.planName);
}
