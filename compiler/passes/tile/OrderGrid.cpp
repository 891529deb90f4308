//===- OrderGrid.cpp - Tiles that nobody shares come in the order of memory ---===//
//
// A grid's points are visited in no promised order, its first dimension fastest. For MMAs that
// order decides which tiles several blocks share in L2, and the user chooses it. But where each
// point loads and stores tiles of its own, all that matters is how they lie in memory: blocks that
// run at the same time write whole rows of a tensor, and DRAM opens fewer of its pages, if the tile
// beside this one comes next:
//
//     tk.grid (%m, %n) in (%rows, %columns)  ->  tk.grid (%n, %m) in (%columns, %rows)
//
// Measured on an H200: elementwise kernels are 1.03 to 1.18 times as fast
// (docs/design/experiments/wide-tiles.md).
//
//===----------------------------------------------------------------------===//
#include "dialect/tk/PagedLoad.h"
#include "dialect/tk/Tk.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include "remarks/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace tkc {
#define GEN_PASS_DEF_ORDERGRID
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

/// The grid's dimensions, by the numbers of its indices.
using Dimensions = llvm::SmallSetVector<unsigned, 4>;

/// The dimensions that the value depends on.
static Dimensions getDimensions(GridOp grid, Value value) {
  SmallVector<Value> values{value};
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return grid->isProperAncestor(op); };
  getBackwardSlice(value, &slice, options);
  for (Operation *op : slice)
    llvm::append_range(values, op->getOperands());
  Dimensions dimensions;
  for (auto [number, index] : llvm::enumerate(grid.getIndices()))
    if (llvm::is_contained(values, index))
      dimensions.insert(number);
  return dimensions;
}

/// The dimensions in the order in which a tile's place in memory depends on them, that of its
/// columns first; nothing if one index of the place depends on several.
static std::optional<Dimensions> getOrder(GridOp grid, OperandRange place) {
  Dimensions order;
  for (Value index : llvm::reverse(place)) {
    Dimensions dimensions = getDimensions(grid, index);
    if (dimensions.size() > 1)
      return std::nullopt;
    order.insert(dimensions.begin(), dimensions.end());
  }
  return order;
}

/// The order of all tiles that points load and store, each its own; nothing if they share some, or
/// disagree.
static std::optional<Dimensions> findOrder(GridOp grid) {
  const size_t rank = grid.getIndices().size();
  std::optional<Dimensions> common;
  llvm::SmallPtrSet<Value, 8> loaded;
  auto agrees = [&](OperandRange place, bool isLoad) {
    std::optional<Dimensions> order = getOrder(grid, place);
    if (!order || (order->size() < rank && isLoad))
      return false;
    if (order->size() < rank)
      return true; // points add to it
    if (!common)
      common = order;
    return llvm::equal(*common, *order);
  };
  WalkResult result = grid.walk([&](Operation *op) {
    bool isFine = !isa<MmaOp, GatherOp, ScatterOp>(op);
    if (auto load = dyn_cast<LoadOp>(op); load && isa<TileType>(load.getResult().getType()))
      isFine = countPages(load) == 1 && loaded.insert(load.getSource()).second &&
               agrees(load.getIndices(), /*isLoad=*/true);
    if (auto store = dyn_cast<StoreOp>(op); store && isa<TileType>(store.getValue().getType()))
      isFine = agrees(store.getIndices(), /*isLoad=*/false);
    return isFine ? WalkResult::advance() : WalkResult::interrupt();
  });
  return result.wasInterrupted() ? std::nullopt : common;
}

static void reorder(GridOp grid, const Dimensions &order) {
  Block &body = grid.getBody().front();
  const unsigned rank = order.size();
  SmallVector<Value> extents(grid.getExtents());
  for (auto [place, dimension] : llvm::enumerate(order)) {
    BlockArgument index = body.getArgument(dimension);
    index.replaceAllUsesWith(body.addArgument(index.getType(), index.getLoc()));
    grid.getExtentsMutable()[place].set(extents[dimension]);
  }
  body.eraseArguments(0, rank);
}

namespace {
struct OrderGrid : tkc::impl::OrderGridBase<OrderGrid> {
  void runOnOperation() override {
    forEachKernel<KernelOp>(getOperation(), [](KernelOp kernel) {
      if (kernel.getCluster() || kernel.getOrder())
        return;
      for (GridOp grid : kernel.getOps<GridOp>()) {
        std::optional<Dimensions> order = grid.getSwizzle() == 0 ? findOrder(grid) : std::nullopt;
        if (!order || llvm::is_sorted(*order))
          continue;
        reorder(grid, *order);
        reportRemark(kernel, grid.getLoc(), Remark::GridOrdered);
      }
    });
  }
};
} // namespace
