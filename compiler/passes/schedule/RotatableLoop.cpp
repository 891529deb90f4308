//===- RotatableLoop.cpp - Loops whose first MMA can come early -----------===//
//
// Such a loop begins with the MMA that the threads wait for, whose result they make an operand of
// all others: the head. Its last MMA's result is carried, and after it come releases of stages
// alone. The head must be possible before the iteration begins: it reads nothing that the loop
// carries, hands on one tile, and its ring moves on at the end of the iteration.
//
//===----------------------------------------------------------------------===//
#include "passes/schedule/RotatableLoop.h"

#include "dialect/hopper/SkippedBlocks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// MMAs
//===----------------------------------------------------------------------===//

/// The commit of an MMA that closes its group alone.
static Operation *findCommit(WgmmaOp mma) {
  for (Operation *op = mma->getNextNode(); op && !isa<WgmmaOp>(op); op = op->getNextNode())
    if (isa<CommitWgmmaOp>(op))
      return op;
  return nullptr;
}

/// The last operation before the second MMA that computes a tile from the first one's.
static Operation *findEndOfHead(WgmmaOp first, WgmmaOp second) {
  for (Operation *op = second->getPrevNode(); op && op != first; op = op->getPrevNode())
    if (isa<MapOp>(op) && isa<FragmentType>(op->getResult(0).getType()))
      return op;
  return nullptr;
}

/// Finds the first and the last MMA and the tile that is handed on.
static bool findMmas(RotatableLoop &parts) {
  SmallVector<WgmmaOp> mmas(parts.loop.getBody()->getOps<WgmmaOp>());
  if (mmas.size() < 3)
    return false;
  parts.first = mmas.front();
  parts.last = mmas.back();
  parts.firstCommit = findCommit(parts.first);
  parts.lastCommit = findCommit(parts.last);
  parts.handedOn = dyn_cast_or_null<MapOp>(findEndOfHead(parts.first, mmas[1]));
  bool isOnlyYielded = llvm::all_of(parts.last.getResult().getUsers(),
                                    [](Operation *user) { return isa<scf::YieldOp>(user); });
  return parts.firstCommit && parts.lastCommit && parts.handedOn &&
         parts.handedOn.getNumResults() == 1 && isOnlyYielded &&
         parts.first.getAcc().getDefiningOp<UninitializedOp>();
}

//===----------------------------------------------------------------------===//
// The parts of the body
//===----------------------------------------------------------------------===//

bool tkc::isRepeatable(Operation *op) {
  return isa<StageOp, RowsOp, ColumnsOp>(op) ||
         (op->getNumRegions() == 0 && isPure(op) &&
          llvm::none_of(op->getResults(), [](Value result) { return isInRegisters(result); }));
}

/// True for what may stand in the head.
static bool isOfHead(Operation *op, const RotatableLoop &parts) {
  if (auto wait = dyn_cast<WaitBarrierOp>(op))
    return !wait.getPrevious();
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return isMemoryEffectFree(branch);
  return op == parts.first || op == parts.firstCommit || isRepeatable(op) ||
         isa<MapOp, LoadFragmentOp, UninitializedOp>(op);
}

/// Divides the body into its parts; false if an operation fits into none.
static bool divideBody(RotatableLoop &parts) {
  SmallVector<Operation *> *part = &parts.head;
  for (Operation &op : parts.loop.getBody()->without_terminator()) {
    if (&op == parts.last)
      part = nullptr;
    if (part)
      part->push_back(&op);
    else if (isa<ArriveOp, AdvanceOp>(op))
      parts.others.push_back(&op);
    else if (&op != parts.last && &op != parts.lastCommit)
      return false;
    if (&op == parts.handedOn)
      part = &parts.middle;
    if (part != &parts.head)
      continue;
    if (!isOfHead(&op, parts))
      return false;
    if (auto wait = dyn_cast<WaitBarrierOp>(op)) {
      if (parts.cursor)
        return false;
      parts.cursor = wait.getCursor().getDefiningOp<CursorOp>();
    }
  }
  return bool(parts.cursor);
}

/// True if the rest of the body gets nothing from the head in registers but `handedOn`.
static bool handsOnOneTile(const RotatableLoop &parts) {
  SmallPtrSet<Operation *, 16> head(parts.head.begin(), parts.head.end());
  for (Operation *op : parts.head)
    for (Value result : op->getResults())
      for (Operation *user : result.getUsers()) {
        Operation *reader = parts.first->getBlock()->findAncestorOpInBlock(*user);
        if (!head.contains(reader) && !isRepeatable(op) && op != parts.handedOn)
          return false;
      }
  return true;
}

/// True if the head reads what the loop carries.
static bool readsCarried(RotatableLoop &parts) {
  for (BlockArgument argument : parts.loop.getRegionIterArgs())
    for (Operation *user : argument.getUsers())
      if (llvm::is_contained(parts.head, parts.loop.getBody()->findAncestorOpInBlock(*user)))
        return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

/// Tells the releases of the first MMA's ring from those of others; false if its cursor is used
/// where it would be at another stage.
static bool findReleases(RotatableLoop &parts) {
  auto usesCursor = [&](Operation *op) {
    return llvm::is_contained(op->getOperands(), parts.cursor.getResult());
  };
  llvm::copy_if(parts.others, std::back_inserter(parts.release), usesCursor);
  llvm::erase_if(parts.others, usesCursor);
  bool movesInMiddle = llvm::any_of(
      parts.middle, [&](Operation *op) { return isa<ArriveOp, AdvanceOp>(op) && usesCursor(op); });
  bool isUsedElsewhere = false;
  for (Operation *user : parts.cursor->getUsers()) {
    bool skips = user->getParentOp()->hasAttr(skipsBlocksAttrName);
    isUsedElsewhere |= user->getParentOp() != parts.loop && !skips;
    if (auto advance = dyn_cast<AdvanceOp>(user); advance && skips)
      parts.skips.push_back(advance);
  }
  return !parts.release.empty() && !movesInMiddle && !isUsedElsewhere;
}

/// Takes the wait for a load out of the middle that begins it, if its ring moves on in the loop.
static void takeNextWait(RotatableLoop &parts) {
  auto place = llvm::find_if(parts.middle, [](Operation *op) { return !isRepeatable(op); });
  auto wait = place == parts.middle.end() ? WaitBarrierOp() : dyn_cast<WaitBarrierOp>(*place);
  if (!wait || wait.getPrevious())
    return;
  auto movesOn = [&](Operation *op) {
    return isa<AdvanceOp>(op) && llvm::is_contained(op->getOperands(), wait.getCursor());
  };
  if (llvm::none_of(parts.middle, movesOn) && llvm::none_of(parts.others, movesOn))
    return;
  parts.nextWait = wait;
  parts.middle.erase(place);
}

std::optional<RotatableLoop> tkc::findRotatable(scf::ForOp loop) {
  RotatableLoop parts;
  parts.loop = loop;
  if (!findMmas(parts) || !divideBody(parts) || !handsOnOneTile(parts) || readsCarried(parts) ||
      !findReleases(parts))
    return std::nullopt;
  takeNextWait(parts);
  return parts;
}
