//===- SplitLoads.cpp - Loads in parts that are filled and freed apart ----===//
//
// A pipeline of one stage loads the next tile only when the last MMA has read this one, so nothing
// hides the latency. But where MMAs read columns of the tile, they are done with some of them long
// before the others: of keys that are also values, each warpgroup multiplies by half of the
// columns, and the rest is needed for the scores alone. So such a tile is loaded in parts, that end
// where slices do:
//
//     k = load K[page, 0]                        k0 = load K[page, 0 .. 255], k1 = the rest
//     s = q kᵀ                            ->     s = q0 k0ᵀ, s += q1 k1ᵀ
//     o += p slice(k, 0 .. 255)                  o += p k0
//
// Each part has a ring and barriers of its own then: the first MMA starts when its part has landed,
// and a part is loaded anew when its own readers are done.
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "dialect/hopper/SharedLayout.h"
#include "dialect/tk/PagedLoad.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/Passes.h"
#include "passes/tile/LoadParts.h"
#include <set>

namespace tkc {
#define GEN_PASS_DEF_SPLITLOADS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

/// True if the load is in a pipeline that was asked to have one stage.
static bool isInOneStage(LoadOp load) {
  auto loop = load->getParentOfType<scf::ForOp>();
  auto pipeline = loop ? loop->getAttrOfType<PipelineAttr>(pipelineAttrName) : nullptr;
  return pipeline && pipeline.getStages() == 1;
}

/// The columns that a slice takes, if it takes all rows and they are known.
static std::optional<std::pair<int64_t, int64_t>> getColumns(SliceOp slice, TileType tile) {
  auto part = dyn_cast<TileType>(slice.getResult().getType());
  bool isConstant =
      llvm::all_of(slice.getIndices(), [](Value index) { return matchPattern(index, m_Zero()); });
  if (!part || !isConstant || slice.getOffsets()[0] != 0 || part.getRows() != tile.getRows())
    return std::nullopt;
  const int64_t first = slice.getOffsets()[1];
  return std::pair(first, first + part.getCols());
}

/// True for an MMA that sums over the columns of `tile`, its B, so that it is the sum of those over
/// parts of them.
static bool sumsOverColumns(Operation *op, Value tile) {
  auto mma = dyn_cast<MmaOp>(op);
  return mma && mma.getForm() == MmaForm::ABt && mma.getB() == tile && mma.getA() != tile;
}

/// Where the parts of a tile begin, and its end: two numbers if it stays whole.
static SmallVector<int64_t> findParts(LoadOp load) {
  auto tile = dyn_cast<TileType>(load.getResult().getType());
  if (!tile || countPages(load) > 1 || load.getRing())
    return {};
  std::set<int64_t> ends{0, tile.getCols()};
  SmallVector<std::pair<int64_t, int64_t>> slices;
  for (Operation *user : load.getResult().getUsers()) {
    if (sumsOverColumns(user, load.getResult()))
      continue;
    auto slice = dyn_cast<SliceOp>(user);
    auto columns = slice ? getColumns(slice, tile) : std::nullopt;
    if (!columns)
      return {};
    slices.push_back(*columns);
    ends.insert(columns->first);
    ends.insert(columns->second);
  }
  // A part that ends within another slice, or within a swizzle-atom column, would divide that.
  const int64_t atom = hopper::getAtomCols(tile.getCols(), tile.getElementType());
  std::erase_if(ends, [&](int64_t end) {
    return !atom || end % atom || llvm::any_of(slices, [&](auto slice) {
      return slice.first < end && end < slice.second;
    });
  });
  return {ends.begin(), ends.end()};
}

/// The MMA as one for each part of B, into one accumulator.
static void splitMma(MmaOp mma, ArrayRef<int64_t> ends, ArrayRef<LoadOp> parts) {
  OpBuilder builder(mma);
  Location loc = mma.getLoc();
  auto a = cast<TileType>(mma.getA().getType());
  Value acc = mma.getAcc();
  for (auto [index, part] : llvm::enumerate(parts)) {
    const int64_t first = ends[index], cols = ends[index + 1] - first;
    Value left = builder.create<SliceOp>(getUnnamedLoc(loc), withColumns(a, cols), mma.getA(),
                                         ArrayRef<int64_t>{0, first});
    acc = builder.create<MmaOp>(loc, acc.getType(), mma.getForm(), acc, left,
                                LoadOp(part).getResult(), /*sums=*/false, mma.getSubtracts());
  }
  mma.getResult().replaceAllUsesWith(acc);
  mma.erase();
}

static void split(LoadOp load, ArrayRef<int64_t> ends) {
  OpBuilder builder(load);
  SmallVector<LoadOp> parts;
  for (size_t index = 0; index + 1 < ends.size(); ++index)
    parts.push_back(loadPart(builder, load, ends[index], ends[index + 1] - ends[index]));
  for (Operation *user : llvm::make_early_inc_range(load.getResult().getUsers())) {
    if (auto mma = dyn_cast<MmaOp>(user)) {
      splitMma(mma, ends, parts);
      continue;
    }
    auto slice = cast<SliceOp>(user);
    auto [first, end] = *getColumns(slice, cast<TileType>(load.getResult().getType()));
    const size_t index = std::distance(ends.begin(), llvm::upper_bound(ends, first)) - 1;
    Value part = parts[index].getResult();
    if (part.getType() != slice.getResult().getType()) {
      builder.setInsertionPoint(slice);
      part = builder.create<SliceOp>(slice.getLoc(), slice.getResult().getType(), part,
                                     ArrayRef<int64_t>{0, first - ends[index]});
    }
    slice.replaceAllUsesWith(part);
    slice.erase();
  }
  load.erase();
}

namespace {
struct SplitLoads : tkc::impl::SplitLoadsBase<SplitLoads> {
  void runOnOperation() override {
    SmallVector<LoadOp> loads;
    getOperation()->walk([&](LoadOp load) {
      if (isInOneStage(load))
        loads.push_back(load);
    });
    for (LoadOp load : loads)
      if (SmallVector<int64_t> ends = findParts(load); ends.size() > 2)
        split(load, ends);
  }
};
} // namespace
