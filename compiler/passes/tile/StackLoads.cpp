//===- StackLoads.cpp - An array of loads as one ---------------------------===//
//
// Elements of an array of shared tiles are loads of their own. Where the number of a warpgroup or
// warp chooses among them, none of them is what the code reads:
//
//     k0 = load K[a, 0], k1 = load K[b, 0]          k = load K[a, 0, b, 0]
//     s += q slice(stack(k0, k1), w * 64)ᵀ    ->    s += q slice(k, w * 64)ᵀ
//
// So they become one load, as one of several pages is: a ring, one pair of barriers, and the
// address is all that differs between the warpgroups.
//
// Stands after CSE, by which equal parts of a tensor are one value.
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "dialect/tk/PagedLoad.h"
#include "dialect/tk/SourceNames.h"
#include "passes/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace tkc {
#define GEN_PASS_DEF_STACKLOADS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

/// Says why the elements cannot be one load, and which one of them it is about.
static LogicalResult refuse(StackOp stack, Value element, StringRef why) {
  InFlightDiagnostic diagnostic = stack.emitError()
                                  << "the number of a warpgroup or warp chooses an element of "
                                  << quoteTileName(stack.getResult()) << ", but " << why;
  diagnostic.attachNote(element.getLoc()) << "this is one of them";
  diagnostic.attachNote(stack.getLoc())
      << "load all elements from one tensor, one after the other, before they are used, or take "
         "each in a branch, 'if (w == 0)'";
  return failure();
}

/// The loads of all elements, the last one in the block last; an error if they cannot be one.
static FailureOr<SmallVector<LoadOp>> findLoads(StackOp stack) {
  SmallVector<LoadOp> loads;
  for (Value tile : stack.getTiles()) {
    loads.push_back(tile.getDefiningOp<LoadOp>());
    if (!loads.back()) // another array with this element has been joined
      return refuse(stack, tile, "some of them are loaded again");
  }
  LoadOp first = loads.front();
  for (LoadOp load : loads) {
    if (load.getSource() != first.getSource() || countPages(load) != countPages(first))
      return refuse(stack, load.getResult(), "they are loaded from different tensors");
    if (load->getBlock() != first->getBlock())
      return refuse(stack, load.getResult(), "they are loaded in different loops or branches");
  }
  Operation *last =
      *llvm::max_element(loads, [](LoadOp a, LoadOp b) { return a->isBeforeInBlock(b); });
  for (LoadOp load : loads)
    for (Operation *user : load->getUsers())
      if (Operation *here = last->getBlock()->findAncestorOpInBlock(*user);
          here && here->isBeforeInBlock(last))
        return refuse(stack, load.getResult(), "one is used before all of them are loaded");
  return loads;
}

/// The load of all elements.
static LoadOp createLoad(StackOp stack, SmallVectorImpl<LoadOp> &loads) {
  LoadOp last = *llvm::max_element(loads, [](LoadOp a, LoadOp b) { return a->isBeforeInBlock(b); });
  OpBuilder builder(last);
  SmallVector<Value> places;
  for (LoadOp load : loads)
    llvm::append_range(places, load.getIndices());
  auto all =
      builder.create<LoadOp>(getNamedLoc(getSourceName(stack.getLoc()), loads.front().getLoc()),
                             stack.getResult().getType(), loads.front().getSource(), places);
  if (llvm::all_of(loads, [&](LoadOp load) { return load.getPolicy() == last.getPolicy(); }))
    all.setPolicyAttr(last.getPolicyAttr());
  return all;
}

/// All stacks of the same loads, this one among them.
static llvm::SetVector<StackOp> findSame(StackOp stack) {
  llvm::SetVector<StackOp> same;
  for (Operation *user : stack.getTiles().front().getUsers())
    if (auto other = dyn_cast<StackOp>(user); other && other.getTiles() == stack.getTiles())
      same.insert(other);
  return same;
}

static LogicalResult join(StackOp stack, const llvm::SetVector<StackOp> &same) {
  FailureOr<SmallVector<LoadOp>> loads = findLoads(stack);
  if (failed(loads))
    return failure();
  LoadOp all = createLoad(stack, *loads);
  for (StackOp other : same) {
    other.replaceAllUsesWith(all.getResult());
    other.erase();
  }
  OpBuilder builder(all->getContext());
  builder.setInsertionPointAfter(all);
  for (auto [number, load] : llvm::enumerate(*loads)) {
    auto tile = cast<TileType>(load.getResult().getType());
    Value part = builder.create<SliceOp>(getUnnamedLoc(load.getLoc()), tile, all.getResult(),
                                         ArrayRef<int64_t>{int64_t(number) * tile.getRows(), 0});
    load.getResult().replaceAllUsesWith(part);
  }
  for (LoadOp load : llvm::SetVector<LoadOp>(loads->begin(), loads->end()))
    load.erase();
  return success();
}

namespace {
struct StackLoads : tkc::impl::StackLoadsBase<StackLoads> {
  void runOnOperation() override {
    bool isLegal = true;
    SmallVector<StackOp> stacks;
    getOperation()->walk([&](StackOp stack) { stacks.push_back(stack); });
    llvm::SetVector<StackOp> seen;
    for (StackOp stack : stacks) {
      if (seen.contains(stack))
        continue;
      llvm::SetVector<StackOp> same = findSame(stack);
      seen.insert(same.begin(), same.end());
      isLegal &= succeeded(join(stack, same));
    }
    if (!isLegal)
      signalPassFailure();
  }
};
} // namespace
