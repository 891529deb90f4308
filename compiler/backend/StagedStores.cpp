//===- StagedStores.cpp - Stores that a role makes in the same way --------===//
//
// Scalars that are computed between the statements do not count: nothing stops the
// backend from printing them before the store.
//
// Only copies of one statement of the source are alike. Two statements that store to
// one tensor stay two texts: nvcc orders the code around a lambda differently, which
// is worth up to 1.5 % where it is called many times, but cost the convolution of 4096
// points, which stores a real and an imaginary part, 2.3 % (and gave the causal one
// 2.6 %, measured on an H200).
//
//===----------------------------------------------------------------------===//
#include "backend/StagedStores.h"

#include "backend/SourceLines.h"
#include "dialect/hopper/EmissionAttributes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

/// Scalars and places in shared memory, which have no effect where they are computed.
static bool isScalarOrPlace(Operation *op) {
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         (isa<SlotOp, RowsOp, ColumnsOp>(op) ||
          llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIntOrIndexOrFloat(); }));
}

static Operation *nextStatement(Operation *op) {
  do
    op = op->getNextNode();
  while (op && isScalarOrPlace(op));
  return op;
}

/// Leaves the statement after `op` in `found`, if it is such an op.
template <typename Op> static bool follows(Operation *op, Op &found) {
  Operation *next = op ? nextStatement(op) : nullptr;
  found = dyn_cast_or_null<Op>(next);
  return bool(found);
}

static std::optional<StagedStore> match(WaitStoresReadOp wait) {
  StagedStore store;
  store.wait = wait;
  if (!follows(wait, store.freed) || !follows(store.freed, store.write) ||
      !follows(store.write, store.fence) || !follows(store.fence, store.written) ||
      !follows(store.written, store.copy))
    return std::nullopt;
  Value buffer = store.write.getDest();
  if (store.copy.getSource() != buffer || !buffer.getDefiningOp<SlotOp>())
    return std::nullopt;
  if (follows(store.copy, store.tail) && store.tail.getSource() != buffer)
    store.tail = {};
  return store;
}

bool StagedStore::isLike(StagedStore &other) {
  auto reasons = [](StagedStore &store) {
    return std::array{store.wait.getReason(), store.freed.getReason(), store.fence.getReason(),
                      store.written.getReason()};
  };
  return copy.getDest() == other.copy.getDest() &&
         sourceLineOf(copy.getLoc()) == sourceLineOf(other.copy.getLoc()) &&
         copy.getSource().getType() == other.copy.getSource().getType() &&
         copy.getAccumulate() == other.copy.getAccumulate() &&
         copy.getPolicyAttr() == other.copy.getPolicyAttr() &&
         copy.getPolicyReasonAttr() == other.copy.getPolicyReasonAttr() &&
         bool(tail) == bool(other.tail) && wait.getPending() == other.wait.getPending() &&
         freed.getBarrierId() == other.freed.getBarrierId() && reasons(*this) == reasons(other);
}

StagedStores::StagedStores(RoleOp role) {
  SmallVector<SmallVector<StagedStore>> groups;
  role.walk([&](WaitStoresReadOp wait) {
    std::optional<StagedStore> store = match(wait);
    if (!store)
      return;
    auto like = llvm::find_if(groups, [&](auto &group) { return group.front().isLike(*store); });
    if (like == groups.end())
      groups.push_back({*store});
    else
      like->push_back(*store);
  });
  for (SmallVector<StagedStore> &group : groups) {
    if (group.size() == 1)
      continue;
    for (StagedStore &store : group) {
      calls.insert({store.wait, {store, functions.size()}});
      inCalls.insert(store.write);
      inCalls.insert(store.copy);
      if (store.tail)
        inCalls.insert(store.tail);
    }
    functions.push_back(group.front());
  }
}

std::optional<std::pair<StagedStore, unsigned>> StagedStores::lookup(Operation *op) const {
  auto call = calls.find(op);
  return call == calls.end() ? std::nullopt : std::optional(call->second);
}

bool StagedStores::isArgument(SlotOp buffer) const {
  return !buffer.getResult().use_empty() &&
         llvm::all_of(buffer.getResult().getUsers(),
                      [&](Operation *user) { return inCalls.contains(user); });
}
