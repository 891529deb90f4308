//===- SplitFactors.cpp - Factors as the sum of two bf16 ------------------===//
//
// A layer with a state scales the columns of a bf16 tile, the right operand of the state's
// MMA, by a vector of floats, and rounds to bf16. Two elements cost a warpgroup two conversions,
// two multiplications and a conversion back. If whoever makes the vector splits each factor into
// the sum of two bf16, pairs of elements are multiplied at once (runtime/hopper/tile/split.h):
//
//     x * factor   ->   fma(x, high, x * low)        two instructions instead of five
//
// The product is then right to 2^-17 of itself before it is rounded to the 2^-9 of a bf16. To split
// a factor takes three instructions, so it pays where one warp does it for all that multiply: a
// scanner.
//
//===----------------------------------------------------------------------===//
#include "analysis/protocol/BarrierRoles.h"
#include "dialect/hopper/Hopper.h"
#include "dialect/tk/Tk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Passes.h"
#include "passes/tile/MapBodies.h"
#include "remarks/Remarks.h"

namespace tkc {
#define GEN_PASS_DEF_SPLITFACTORS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

namespace {
/// A ring of vectors, and all that is done with it.
struct FactorRing {
  SmallVector<StoreVectorOp> stores;
  SmallVector<LoadFragmentOp> loads;
};
} // namespace

/// The bf16 tile whose columns the map multiplies by the elements of `factors`, and does nothing
/// else; null if it is no such map.
static Value getScaledTile(MapOp map, Value factors) {
  if (map.getInputs().size() != 2 || map.getNumResults() != 1 || !map.getCoordinates().empty())
    return {};
  Value tile = map.getInputs()[map.getInputs()[0] == factors ? 1 : 0];
  auto type = dyn_cast<FragmentType>(tile.getType());
  if (!type || !type.getElementType().isBF16() || map.getResult(0).getType() != type)
    return {};
  auto narrow =
      map.getBody().front().getTerminator()->getOperand(0).getDefiningOp<arith::TruncFOp>();
  auto product = narrow ? narrow.getIn().getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (!product)
    return {};
  auto isElementOf = [&](Value value, Value operand) {
    if (auto wide = value.getDefiningOp<arith::ExtFOp>())
      value = wide.getIn();
    return getOperandOf(value, map) == operand;
  };
  Value left = product.getLhs(), right = product.getRhs();
  bool isProduct = (isElementOf(left, tile) && isElementOf(right, factors)) ||
                   (isElementOf(left, factors) && isElementOf(right, tile));
  return isProduct ? tile : Value();
}

/// Sorts what is done with a stage of the ring. False if something is that cannot be split.
static bool collect(StageOp stage, FactorRing &ring) {
  for (Operation *user : stage->getUsers()) {
    if (auto store = dyn_cast<StoreVectorOp>(user); store && store.getInOrder()) {
      ring.stores.push_back(store);
      continue;
    }
    auto load = dyn_cast<LoadFragmentOp>(user);
    auto scales = [&](Operation *reader) {
      auto map = dyn_cast<MapOp>(reader);
      return map && getScaledTile(map, load.getResult());
    };
    if (!load || !load.getInOrder() || !llvm::all_of(load->getUsers(), scales))
      return false;
    ring.loads.push_back(load);
  }
  return true;
}

/// The accesses to the ring, if its vectors are factors and nothing else.
static std::optional<FactorRing> findFactors(AllocRingOp alloc) {
  RingType type = alloc.getResult().getType();
  FactorRing ring;
  if (type.getRows() != 1 || !type.getElementType().isF32())
    return {};
  for (Operation *user : alloc->getUsers()) {
    auto stage = dyn_cast<StageOp>(user);
    if (!stage || !collect(stage, ring))
      return {};
  }
  if (ring.stores.empty() || ring.loads.empty())
    return {};
  return ring;
}

static void split(const FactorRing &ring) {
  for (StoreVectorOp store : ring.stores)
    store.setSplit(true);
  for (LoadFragmentOp load : ring.loads) {
    auto type = cast<FragmentVectorType>(load.getResult().getType());
    load.getResult().setType(FragmentVectorType::get(
        type.getContext(), type.getLength(), type.getElementType(), tk::Orientation::Split));
    for (Operation *user : llvm::make_early_inc_range(load->getUsers())) {
      auto map = cast<MapOp>(user);
      OpBuilder builder(map);
      Value tile = getScaledTile(map, load.getResult());
      auto scaled =
          builder.create<ScaleColumnsOp>(map.getLoc(), tile.getType(), tile, load.getResult());
      reportRemark(scaled, map.getLoc(), Remark::SplitFactors);
      map.getResult(0).replaceAllUsesWith(scaled.getResult());
      map.erase();
    }
  }
}

namespace {
struct SplitFactors : tkc::impl::SplitFactorsBase<SplitFactors> {
  void runOnOperation() override {
    getOperation().walk([](AllocRingOp alloc) {
      if (std::optional<FactorRing> ring = findFactors(alloc))
        split(*ring);
    });
  }
};
} // namespace
