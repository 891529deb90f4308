//===- ShareCursors.cpp - Rings that advance in step have one cursor -------===//
//
// Rings of as many stages that advance as often, in the same blocks, are always at the same stage.
// One cursor, which advances where the last of them did, serves them: two registers and three
// instructions an iteration less for each other ring, and fewer names to read.
//
// A role that may not have the registers that it needs keeps its cursors: with one, mamba2_128
// spills (docs/design/experiments/shared-cursors.md).
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/RegisterBound.h"
#include "analysis/registers/RegisterPrediction.h"
#include "dialect/hopper/Hopper.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"

namespace tkc {
#define GEN_PASS_DEF_SHARECURSORS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

namespace {
/// A cursor and all places at which it advances, in order.
struct Walk {
  CursorOp cursor;
  SmallVector<AdvanceOp> advances;
};

/// Cursors that are at the same stage wherever they are used, if they advance where the last of
/// them does.
struct Group {
  SmallVector<Walk> walks;
  SmallVector<AdvanceOp> last; // of each place
};
} // namespace

/// True if a role waits for an empty barrier and arrives at a full one with the cursor: by that it
/// tells which barriers hand a tile over (BarrierRoles).
static bool handsOver(CursorOp cursor) {
  bool waits = false, arrives = false;
  for (Operation *user : cursor->getUsers()) {
    auto wait = dyn_cast<WaitBarrierOp>(user);
    waits |= wait && wait.getPrevious();
    arrives |= isa<ArriveOp>(user);
  }
  return waits && arrives;
}

static SmallVector<Walk> getWalks(RoleOp role) {
  llvm::MapVector<Value, Walk> walks;
  role.walk([&](Operation *op) {
    if (auto cursor = dyn_cast<CursorOp>(op); cursor && !handsOver(cursor))
      walks[cursor.getResult()].cursor = cursor;
    else if (auto advance = dyn_cast<AdvanceOp>(op); advance && walks.contains(advance.getCursor()))
      walks[advance.getCursor()].advances.push_back(advance);
  });
  SmallVector<Walk> found;
  for (auto &entry : walks)
    found.push_back(std::move(entry.second));
  return found;
}

/// True if a cursor is used between where it advances and `later` in the same block.
static bool isUsedBetween(CursorOp cursor, AdvanceOp advance, AdvanceOp later) {
  return llvm::any_of(cursor->getUsers(), [&](Operation *user) {
    Operation *place = later->getBlock()->findAncestorOpInBlock(*user);
    return place && advance->isBeforeInBlock(place) && place->isBeforeInBlock(later);
  });
}

static bool join(Group &group, const Walk &walk) {
  CursorOp first = group.walks.front().cursor, cursor = walk.cursor;
  if (cursor.getType() != first.getType() || cursor->getBlock() != first->getBlock() ||
      walk.advances.size() != group.last.size())
    return false;
  SmallVector<AdvanceOp> all;
  for (size_t i = 0; i < walk.advances.size(); ++i) {
    AdvanceOp advance = walk.advances[i], known = group.last[i];
    if (advance->getBlock() != known->getBlock() || advance.getBy() != known.getBy())
      return false;
    all.push_back(known->isBeforeInBlock(advance) ? advance : known);
  }
  auto fits = [&](const Walk &each) {
    return llvm::none_of(llvm::zip_equal(each.advances, all), [&](auto pair) {
      return isUsedBetween(each.cursor, std::get<0>(pair), std::get<1>(pair));
    });
  };
  if (!fits(walk) || !llvm::all_of(group.walks, fits))
    return false;
  group.walks.push_back(walk);
  group.last = all;
  return true;
}

/// The first cursor takes the others' places. A name like `k_use` becomes `use`, unless there is
/// one.
static void share(const Group &group, RoleOp role) {
  CursorOp first = group.walks.front().cursor;
  for (const Walk &walk : group.walks) {
    for (AdvanceOp advance : walk.advances)
      if (!llvm::is_contained(group.last, advance))
        advance->erase();
    CursorOp cursor = walk.cursor;
    if (cursor == first)
      continue;
    cursor.getResult().replaceAllUsesWith(first.getResult());
    cursor->erase();
  }
  StringRef name = first.getName();
  name = name.substr(name.rfind('_') + 1);
  WalkResult taken = role.walk([&](CursorOp other) {
    return other.getName() == name ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!taken.wasInterrupted())
    first.setName(name);
}

static void shareCursors(KernelOp kernel) {
  for (auto role : kernel.getBody().front().getOps<RoleOp>()) {
    RegisterPrediction prediction = predictRegisters(role);
    if (prediction.mostAt && prediction.most > getAvailableRegisters(role))
      continue;
    SmallVector<Group> groups;
    for (const Walk &walk : getWalks(role))
      if (llvm::none_of(groups, [&](Group &group) { return join(group, walk); }))
        groups.push_back({{walk}, walk.advances});
    // The largest one gets the short name.
    llvm::stable_sort(
        groups, [](const Group &a, const Group &b) { return a.walks.size() > b.walks.size(); });
    for (const Group &group : groups)
      if (group.walks.size() > 1)
        share(group, role);
  }
}

namespace {
struct ShareCursors : tkc::impl::ShareCursorsBase<ShareCursors> {
  void runOnOperation() override { forEachKernel<KernelOp>(getOperation(), shareCursors); }
};
} // namespace
