//===- AssignRecurrence.cpp - Loops whose carried tiles are a role --------===//
//
// A layer with a state computes two things in each chunk: the state after it, which depends on the
// one before, and outputs, which depend on the state but leave the iteration. In one warpgroup they
// are one chain of MMAs and elementwise code. Only the state's own part of it has to be: the
// strongly connected component of the loop's body, its recurrence. So the consumers keep the
// recurrence and hand the state over as shared tiles, and all else is the reducer's, two warpgroups
// that take alternate iterations:
//
//     consumer     | state 0 | state 1 | state 2 | state 3 | ...
//     reducer 0              | outputs 0         | outputs 2         | ...
//     reducer 1                        | outputs 1         | ...
//
// A loop is divided so if
//
// 1. it is the only one of the grid that loads, and carries register tiles of one warpgroup and
//    nothing else; the grid has no scope of warpgroups or warps, and the user has not chosen how
//    blocks take tiles;
// 2. what leaves the iteration takes of the recurrence only tiles that the program writes to shared
//    memory, whole and once, and reads there with MMAs;
// 3. both parts have an MMA, and the outputs are stored, those of each iteration to a place of
//    their own: two warpgroups keep no order;
// 4. nothing but maps, MMAs, reads, writes and stores of tiles stands in the loop, no branches;
// 5. the registers of the three roles fit (RoleSplit.h).
//
// Reads of loads, and of vectors that scanner warps hand over, are repeated where both parts need
// them, and so is what the outputs need of reads and maps before the loop. Where the registers do
// not suffice otherwise, the recurrence reads loads where it needs them, not where the program
// does: that may be after the MMAs of another tile. And the outputs are computed one after the
// other, not side by side: only MMAs of shared tiles start before the output before is stored.
//
//===----------------------------------------------------------------------===//
#include "passes/tile/AssignRecurrence.h"

#include "analysis/TileNames.h"
#include "analysis/registers/RoleSplit.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/Scanner.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TileValues.h"
#include "dialect/tk/TkChoiceOp.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/tile/AssignScanner.h"
#include "passes/tile/Distribution.h"
#include "remarks/Remarks.h"

using namespace mlir;
using namespace tkc;

/// Warpgroups that compute the outputs. Measured: with one of them it is the limit.
static constexpr int64_t outputWarpgroups = 2;

namespace {
/// The two parts of a loop's body.
class Recurrence {
public:
  explicit Recurrence(scf::ForOp loop) : loop(loop), body(*loop.getBody()) {}

  /// Finds the parts; false if the loop has no such form.
  bool find();
  /// Marks the outputs as the reducer's.
  void assign();
  /// Moves the recurrence's reads of loads, after `assign`, to their first uses.
  void sinkReads();
  /// Orders the outputs' operations, after `assign`, by the stores that need them.
  void orderOutputs();
  Value getCarried() const { return carried; }

private:
  bool isKnown(Operation *op) const;
  void addWithOperands(Operation *op);
  bool isHandOver(tk::WriteOp write) const;
  bool carriesTilesAlone();
  bool hasOwnPlace(tk::StoreOp store);
  bool isSeparate() const;
  bool isRepeatable(Operation *made) const;
  Operation *repeat(Operation *made, Operation *user);

  scf::ForOp loop;
  Block &body;
  Value carried;
  llvm::SetVector<Operation *> recurrence; ///< operations of the body that touch register tiles
  SmallVector<Operation *> outputs;        ///< the others of them, in program order
  llvm::DenseMap<Operation *, Operation *> ownCopies; ///< the reducer's, of reads and maps before
};
} // namespace

static bool isRegisterTile(Type type) { return isTile(type) && !isShared(type); }

/// True for operations of the body that belong to neither part: loads, buffers, fills, which are
/// made anew wherever they are used, and the scanner's work.
static bool isNeutral(Operation *op) {
  return isa<tk::LoadOp, tk::AllocOp, tk::FillOp, scf::YieldOp>(op) || tk::isScanners(op) ||
         !touchesTiles(op);
}

bool Recurrence::isKnown(Operation *op) const {
  return isNeutral(op) ||
         isa<tk::MapOp, tk::MmaOp, tk::ReadOp, tk::WriteOp, tk::StoreOp, tk::TransposeOp>(op);
}

/// A reducer computes every second iteration, and could not count. Two warpgroups that share
/// higher tiles have registers enough for all of the loop.
bool Recurrence::carriesTilesAlone() {
  return llvm::all_of(loop.getInitArgs().getTypes(), [](Type type) {
    auto elements = dyn_cast<tk::ElementsInterface>(type);
    return elements && isRegisterTile(type) &&
           (elements.getRows() == 0 || elements.getRows() == hopper::mBlockRows);
  });
}

/// True if no other iteration stores there, or it adds, in any order.
bool Recurrence::hasOwnPlace(tk::StoreOp store) {
  return store.getAccumulate() || llvm::is_contained(store.getIndices(), loop.getInductionVar());
}

/// Adds what a value of the recurrence is computed from, in this iteration.
void Recurrence::addWithOperands(Operation *op) {
  if (!op || op->getBlock() != &body || isNeutral(op) || !recurrence.insert(op))
    return;
  for (Value operand : op->getOperands())
    addWithOperands(operand.getDefiningOp());
}

/// True if the tile is written whole, by this alone, and MMAs of the body read it.
bool Recurrence::isHandOver(tk::WriteOp write) const {
  auto alloc = write.getDest().getDefiningOp<tk::AllocOp>();
  return alloc && alloc->hasOneUse() && write.getIndices().empty() &&
         isa<tk::TileType>(write.getValue().getType()) &&
         llvm::all_of(write->getUsers(), [&](Operation *user) {
           return isa<tk::MmaOp>(user) && user->getBlock() == &body;
         });
}

/// True if the value depends, in registers, on tiles that the loop carries.
static bool dependsOnCarried(Value value, scf::ForOp loop) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == loop.getBody() && isTile(value.getType());
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != loop.getBody() || isa<tk::WriteOp>(op) || isNeutral(op))
    return false;
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return dependsOnCarried(operand, loop); });
}

/// True for a register tile that the outputs can make for themselves: a fill, a read of a load, and
/// before the loop maps of such reads, which they then compute in every iteration.
bool Recurrence::isRepeatable(Operation *made) const {
  if (isa<tk::FillOp>(made))
    return true;
  auto read = dyn_cast<tk::ReadOp>(made);
  if (made->getBlock() == &body)
    return bool(read);
  if (read && read->getBlock() == loop->getBlock())
    return read.getIndices().empty() && read.getSource().getDefiningOp<tk::LoadOp>();
  return isa<tk::MapOp>(made) && made->getBlock() == loop->getBlock() &&
         made->getNumResults() == 1 && llvm::all_of(made->getOperands(), [&](Value operand) {
           Operation *before = operand.getDefiningOp();
           return before ? isRepeatable(before) : !isTile(operand.getType());
         });
}

/// True if the outputs take from the recurrence only shared tiles, and values that they can make
/// again for themselves.
bool Recurrence::isSeparate() const {
  for (auto write : body.getOps<tk::WriteOp>())
    if (!tk::isScanners(write) &&
        llvm::any_of(write->getUsers(), [&](Operation *user) { return recurrence.contains(user); }))
      return false;
  for (Operation *op : outputs)
    for (Value operand : op->getOperands()) {
      if (!isRegisterTile(operand.getType()))
        continue;
      Operation *made = operand.getDefiningOp();
      bool isOthers = !made || made->getBlock() != &body || recurrence.contains(made);
      if (isOthers && !(made && isRepeatable(made)))
        return false;
    }
  return true;
}

bool Recurrence::find() {
  auto pipeline = loop->getAttrOfType<tk::PipelineAttr>(tk::pipelineAttrName);
  if (pipeline && pipeline.getStages() % outputWarpgroups)
    return false; // a promise that rings cannot keep
  if (body.getOps<tk::LoadOp>().empty() || !isa<tk::GridOp>(loop->getParentOp()) ||
      !carriesTilesAlone() || !llvm::all_of(body, [&](Operation &op) { return isKnown(&op); }))
    return false;
  for (Value yielded : loop.getYieldedValues())
    if (isRegisterTile(yielded.getType())) {
      carried = carried ? carried : yielded;
      addWithOperands(yielded.getDefiningOp());
    }
  bool handsOver = false;
  for (auto write : body.getOps<tk::WriteOp>())
    if (!tk::isScanners(write)) {
      if (!isHandOver(write) || !dependsOnCarried(write.getValue(), loop))
        return false;
      addWithOperands(write);
      handsOver = true;
    }
  for (Operation &op : body)
    if (!isNeutral(&op) && !recurrence.contains(&op))
      outputs.push_back(&op);
  auto isMma = [](Operation *op) { return isa<tk::MmaOp>(op); };
  auto stores = body.getOps<tk::StoreOp>();
  return handsOver && llvm::any_of(recurrence, isMma) && llvm::any_of(outputs, isMma) &&
         !stores.empty() &&
         llvm::all_of(stores, [&](tk::StoreOp store) { return hasOwnPlace(store); }) &&
         isSeparate();
}

/// The outputs' own copy of a read or map before the loop, made where the first of them needs it.
Operation *Recurrence::repeat(Operation *made, Operation *user) {
  Operation *&own = ownCopies[made];
  if (own)
    return own;
  Operation *copy = OpBuilder(user).clone(*made);
  copy->setAttr(tk::reducerAttrName, UnitAttr::get(loop.getContext()));
  for (OpOperand &operand : copy->getOpOperands())
    if (Operation *before = operand.get().getDefiningOp();
        before && isRegisterTile(operand.get().getType()))
      operand.set(repeat(before, copy)->getResult(0));
  return ownCopies[made] = copy;
}

void Recurrence::assign() {
  auto unit = UnitAttr::get(loop.getContext());
  llvm::SmallPtrSet<Operation *, 4> shared; // fills that CSE has made one, at the line of the first
  loop->getParentOfType<tk::KernelOp>().walk([&](tk::FillOp fill) {
    if (!fill->hasOneUse())
      shared.insert(fill);
  });
  for (Operation *op : outputs) {
    op->setAttr(tk::reducerAttrName, unit);
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *made = operand.get().getDefiningOp();
      if (!made || !isRegisterTile(operand.get().getType()) || tk::isReducers(made))
        continue;
      if (made->getBlock() != &body && !isa<tk::FillOp>(made)) {
        operand.set(repeat(made, op)->getResult(0));
        continue;
      }
      if (!isa<tk::FillOp>(made) && !recurrence.contains(made))
        continue;
      Operation *own = OpBuilder(op).clone(*made);
      own->setAttr(tk::reducerAttrName, unit);
      if (shared.contains(made))
        own->setLoc(getUnnamedLoc(op->getLoc()));
      made->getResult(0).replaceUsesWithIf(own->getResult(0), [&](OpOperand &use) {
        return use.getOwner() == op || (isa<tk::ReadOp>(own) && own->getBlock() == &body &&
                                        llvm::is_contained(outputs, use.getOwner()));
      });
      if (made->use_empty())
        made->erase();
    }
  }
  // The consumers do not compute what the outputs alone use. Users are erased first.
  SmallVector<Operation *> before;
  for (Operation &op : *loop->getBlock())
    if (ownCopies.contains(&op))
      before.push_back(&op);
  for (Operation *op : llvm::reverse(before))
    if (op->use_empty())
      op->erase();
}

void Recurrence::sinkReads() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body))) {
    auto read = dyn_cast<tk::ReadOp>(op);
    bool isRead =
        (read && read.getSource().getDefiningOp<tk::LoadOp>()) || isa<tk::TransposeOp>(op);
    if (!isRead || tk::isReducers(&op) || tk::isScanners(&op))
      continue;
    Operation *first = nullptr;
    for (Operation *user : op.getUsers()) {
      Operation *here = body.findAncestorOpInBlock(*user);
      if (!first || here->isBeforeInBlock(first))
        first = here;
    }
    if (first)
      op.moveBefore(first);
  }
}

/// The reducer's operations of the body that a store needs, in any order.
static void addNeeded(Operation *op, llvm::SetVector<Operation *> &needed) {
  for (Value operand : op->getOperands()) {
    Operation *made = operand.getDefiningOp();
    if (made && made->getBlock() == op->getBlock() && tk::isReducers(made) && needed.insert(made))
      addNeeded(made, needed);
  }
}

/// True for an MMA that waits for no register tile, and for what its accumulator begins with.
static bool startsAtOnce(Operation *op) {
  if (isa<tk::FillOp>(op))
    return true;
  auto mma = dyn_cast<tk::MmaOp>(op);
  return mma && isShared(mma.getA().getType()) && isShared(mma.getB().getType()) &&
         mma.getAcc().getDefiningOp<tk::FillOp>();
}

void Recurrence::orderOutputs() {
  SmallVector<tk::StoreOp> stores(body.getOps<tk::StoreOp>());
  Operation *end = body.getTerminator();
  llvm::SmallPtrSet<Operation *, 16> placed;
  auto place = [&](Operation *op) {
    if (placed.insert(op).second)
      op->moveBefore(end);
  };
  Operation *before = nullptr; // the store before
  for (tk::StoreOp store : stores) {
    llvm::SetVector<Operation *> needed;
    addNeeded(store, needed);
    SmallVector<Operation *> inOrder = needed.takeVector();
    llvm::sort(inOrder, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    if (before) {
      llvm::for_each(llvm::make_filter_range(inOrder, startsAtOnce), place);
      place(before);
    }
    llvm::for_each(inOrder, place);
    before = store;
  }
  place(before);
}

bool tkc::assignRecurrence(tk::KernelOp kernel) {
  if (findEach(kernel) || kernel->hasAttr(tk::pingpongTilesAttrName) || kernel.getRegisters() ||
      kernel.getPersistent() || kernel.getCluster() || kernel.getConsumers().value_or(1) != 1 ||
      tk::holdsReducers(kernel))
    return false;
  OwningOpRef<tk::KernelOp> plain = kernel.clone();
  auto restore = [&] {
    kernel.getBody().takeBody(plain->getBody());
    kernel->removeAttr(tk::reducersAttrName); // attributes are not in the body
    return false;
  };
  assignScanner(kernel, ScannerCheck::None);
  std::optional<Recurrence> found;
  int64_t loops = 0; // that load
  kernel.walk([&](scf::ForOp loop) {
    if (loop.getBody()->getOps<tk::LoadOp>().empty())
      return;
    ++loops;
    if (Recurrence parts(loop); parts.find())
      found.emplace(std::move(parts));
  });
  if (!found || loops > 1)
    return restore();
  const Location loc = found->getCarried().getLoc();
  const std::string name = quoteTileName(found->getCarried());
  found->assign();
  kernel->setAttr(tk::reducersAttrName,
                  IntegerAttr::get(IntegerType::get(kernel.getContext(), 64), outputWarpgroups));
  if (!splitWithOutputs(kernel).entry)
    found->sinkReads();
  if (!splitWithOutputs(kernel).entry)
    found->orderOutputs();
  if (!splitWithOutputs(kernel).entry) {
    restore();
    reportRemark(kernel, loc, Remark::RecurrenceRegisters, name);
    return false;
  }
  kernel.setConsumers(1);
  kernel.setPersistent(false); // numbers of iterations need not be counted over tiles
  reportRemark(kernel, loc, Remark::RecurrenceDone, name);
  return true;
}
