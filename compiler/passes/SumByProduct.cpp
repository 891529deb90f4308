//===- SumByProduct.cpp - Row sums that the tensor cores add up -----------===//
//
// Where the rows of a product's left operand are also summed, as the weights of
// softmax are, the sums are a product too, with a column of ones:
//
//     total = total * fade + row_sum(p)          o = o * fade;  o += p v
//
//     o = o * fade;  o += p [v 1]                total is o's last column
//
// The threads then add up nothing: of an iteration's elementwise work in attention
// that is a quarter. An instruction's width grows by eight columns, the least that
// it can. The ones lie beside the ring of V (hopper.ring, with_ones).
//
// The sums are those of the rounded elements that are multiplied, and nothing else
// is asked for here: the source converts to 16 bits before it sums. Weights and
// their sum then agree, which makes their quotient more accurate: the rounding of
// a weight that dominates its row cancels.
//
//===----------------------------------------------------------------------===//
#include "analysis/RegisterBudget.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/SharedLayout.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/Tk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/DeadCode.h"
#include "passes/MapBodies.h"
#include "passes/Passes.h"

namespace tkc {
#define GEN_PASS_DEF_SUMBYPRODUCT
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

//===----------------------------------------------------------------------===//
// What is summed
//===----------------------------------------------------------------------===//

namespace {
/// What a loop carries next: `carried`, scaled by `factor` or not, and something added.
struct Update {
  BlockArgument carried;
  Value factor; ///< a column vector; null if there is none
};

/// A product and the sums of its left operand, in one loop.
struct SummedProduct {
  scf::ForOp loop;
  MmaOp product;
  Update accumulator, total;
};
} // namespace

static bool startsAtZero(BlockArgument carried, scf::ForOp loop) {
  auto fill = loop.getTiedLoopInit(carried)->get().getDefiningOp<FillOp>();
  return fill && matchPattern(fill.getValue(), m_PosZeroFloat());
}

/// Reads `carried` or `carried * factor`, a scalar of the body of `map`.
static std::optional<Update> getScaled(Value value, BlockArgument carried, MapOp map) {
  if (getOperandOf(value, map) == carried)
    return Update{carried, {}};
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return std::nullopt;
  Value left = getOperandOf(product.getLhs(), map), right = getOperandOf(product.getRhs(), map);
  if (left != carried)
    std::swap(left, right);
  auto factor = right ? dyn_cast<TileVectorType>(right.getType()) : TileVectorType();
  if (left != carried || !factor || factor.getOrientation() != Orientation::Column)
    return std::nullopt;
  return Update{carried, right};
}

/// Reads `total * factor + row_sum(float(p))`, which the loop carries at `index`.
static std::optional<Update> readTotal(scf::ForOp loop, unsigned index, Value p) {
  BlockArgument carried = loop.getRegionIterArg(index);
  auto map = loop.getYieldedValues()[index].getDefiningOp<MapOp>();
  if (!map || !map->hasOneUse() || !carried.hasOneUse() || map.getNumResults() != 1 ||
      !startsAtZero(carried, loop))
    return std::nullopt;
  auto sum = map.getBody().front().getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return std::nullopt;
  for (auto [scaled, added] :
       {std::pair(sum.getLhs(), sum.getRhs()), {sum.getRhs(), sum.getLhs()}}) {
    Value operand = getOperandOf(added, map);
    auto reduce = operand ? operand.getDefiningOp<ReduceOp>() : ReduceOp();
    std::optional<Update> update = getScaled(scaled, carried, map);
    if (!update || !reduce || !reduce->hasOneUse() || reduce.getInit() ||
        reduce.getCombine() != Combine::Add || reduce.getAlong() != Along::Rows)
      continue;
    auto widened = reduce.getSource().getDefiningOp<MapOp>();
    auto extend = widened ? widened.getBody()
                                .front()
                                .getTerminator()
                                ->getOperand(0)
                                .getDefiningOp<arith::ExtFOp>()
                          : arith::ExtFOp();
    if (extend && getOperandOf(extend.getIn(), widened) == p && extend.getType().isF32())
      return update;
  }
  return std::nullopt;
}

/// Reads the accumulator of a product that the loop carries on.
static std::optional<Update> readAccumulator(scf::ForOp loop, MmaOp product) {
  auto isCarried = [&](Value value) {
    return llvm::is_contained(loop.getRegionIterArgs(), value) && value.hasOneUse();
  };
  if (!product->hasOneUse() || !isa<scf::YieldOp>(*product->user_begin()))
    return std::nullopt;
  if (isCarried(product.getAcc()))
    return Update{cast<BlockArgument>(product.getAcc()), {}};
  auto map = product.getAcc().getDefiningOp<MapOp>();
  if (!map || !map->hasOneUse() || map.getNumResults() != 1 || !map.getCoordinates().empty() ||
      map.getInputs().size() != 2)
    return std::nullopt;
  for (Value input : map.getInputs())
    if (isCarried(input))
      return getScaled(map.getBody().front().getTerminator()->getOperand(0),
                       cast<BlockArgument>(input), map);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Whether it fits
//===----------------------------------------------------------------------===//

/// True if an instruction can be as wide, with the consumers that the tile's rows ask for.
static bool fitsInstruction(MmaOp product) {
  auto acc = cast<TileType>(product.getAcc().getType());
  const int64_t width = acc.getCols() + columnsOfOnes;
  const int64_t consumers = std::clamp<int64_t>(acc.getRows() / hopper::slabRows, 1, 4);
  return width <= hopper::maxProductWidth && width <= getMaxInstructionWidth(consumers);
}

/// One strip, which is what stores are staged in.
static constexpr int64_t stagingRowBytes = 128;
/// More than the mbarriers of any rings, and the queue of tiles, take.
static constexpr int64_t barriersAndQueue = 1024;

/// True if the kernel's tiles surely leave room for the ones: with two stages for each load of a
/// loop, one tile for each unit of a scope, two staging buffers for each warpgroup, and all that is
/// written to shared memory.
static bool fitsShared(MmaOp product) {
  auto b = cast<TileType>(product.getB().getType());
  if (!hopper::getStripCols(b.getCols(), b.getElementType()))
    return false;
  constexpr int64_t stages = 2;
  int64_t bytes =
      barriersAndQueue +
      stages *
          (hopper::getTileBytes(b.getRows(), b.getCols(), b.getElementType(), true) - b.getBytes());
  product->getParentOfType<KernelOp>().walk([&](Operation *op) {
    if (!isa<LoadOp, AllocOp>(op))
      return;
    auto tile = dyn_cast<TileType>(op->getResult(0).getType());
    auto each = op->getParentOfType<EachOp>();
    const int64_t copies =
        (op->getParentOfType<scf::ForOp>() ? stages : 1) * (each ? int64_t(each.getCount()) : 1);
    bytes += copies *
             (tile ? tile.getBytes() : cast<TileVectorType>(op->getResult(0).getType()).getBytes());
  });
  auto each = product->getParentOfType<EachOp>();
  const int64_t consumers = cast<TileType>(product.getAcc().getType()).getRows() /
                            hopper::slabRows * (each ? int64_t(each.getCount()) : 1);
  bytes += consumers * 2 * hopper::slabRows * stagingRowBytes;
  return bytes <= hopper::sharedBudget;
}

/// True for a product whose left operand's rows the tensor cores can sum.
static bool isSuitable(MmaOp product, scf::ForOp loop) {
  auto a = cast<TileType>(product.getA().getType());
  auto load = product.getB().getDefiningOp<LoadOp>();
  return product->getBlock() == loop.getBody() && product.getForm() == MmaForm::AB &&
         !product.getSums() && a.getSpace() == Space::Register && load &&
         load->getBlock() == loop.getBody() &&
         (a.getElementType().isBF16() || a.getElementType().isF16()) &&
         cast<TileType>(product.getAcc().getType()).getElementType().isF32() &&
         fitsInstruction(product) && fitsShared(product);
}

static std::optional<SummedProduct> findSummedProduct(scf::ForOp loop) {
  for (MmaOp product : loop.getBody()->getOps<MmaOp>()) {
    if (!isSuitable(product, loop))
      continue;
    std::optional<Update> accumulator = readAccumulator(loop, product);
    if (!accumulator || !startsAtZero(accumulator->carried, loop) ||
        loop.getTiedLoopYieldedValue(accumulator->carried)->get() != product.getResult())
      continue;
    for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index)
      if (std::optional<Update> total = readTotal(loop, index, product.getA());
          total && total->factor == accumulator->factor)
        return SummedProduct{loop, product, *accumulator, *total};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// One accumulator for both
//===----------------------------------------------------------------------===//

/// Replaces a loop by one that carries `start` behind what it carries at `kept`, and nothing else.
/// Its body still yields what it did, and reads initial values instead of the arguments that are
/// gone.
static scf::ForOp carryInstead(RewriterBase &rewriter, scf::ForOp loop, ArrayRef<unsigned> kept,
                               Value start) {
  SmallVector<Value> inits =
      llvm::map_to_vector(kept, [&](unsigned index) -> Value { return loop.getInitArgs()[index]; });
  inits.push_back(start);
  auto replacement = rewriter.create<scf::ForOp>(loop.getLoc(), loop.getLowerBound(),
                                                 loop.getUpperBound(), loop.getStep(), inits);
  replacement->setAttrs(loop->getAttrs());
  replacement.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  SmallVector<Value> arguments = {replacement.getInductionVar()};
  llvm::append_range(arguments, loop.getInitArgs());
  for (auto [index, old] : llvm::enumerate(kept)) {
    replacement.getRegionIterArg(index).setLoc(loop.getRegionIterArg(old).getLoc());
    arguments[1 + old] = replacement.getRegionIterArg(index);
  }
  rewriter.mergeBlocks(loop.getBody(), replacement.getBody(), arguments);
  return replacement;
}

/// The product with its sums, of the accumulator that the loop carries, scaled as it was.
static Value createWidened(RewriterBase &rewriter, const SummedProduct &summed, Value carried) {
  MmaOp product = summed.product;
  rewriter.setInsertionPoint(product);
  Value acc = carried;
  if (Value factor = summed.accumulator.factor) {
    Location loc = product.getAcc().getLoc();
    auto scaled = rewriter.create<MapOp>(
        loc, carried.getType(), ValueRange{carried, factor}, /*coordinates=*/false,
        [&](OpBuilder &body, Location, ValueRange elements) {
          Location unnamed = getUnnamedLoc(loc);
          Value value = body.create<arith::MulFOp>(unnamed, elements[0], elements[1]);
          body.create<YieldOp>(unnamed, value);
        });
    acc = scaled.getResult(0);
  }
  return rewriter.create<MmaOp>(product.getLoc(), acc.getType(), product.getForm(), acc,
                                product.getA(), product.getB(), /*sums=*/true);
}

static void widen(const SummedProduct &summed) {
  scf::ForOp loop = summed.loop;
  BlockArgument oldAccumulator = summed.accumulator.carried, oldTotal = summed.total.carried;
  const unsigned accumulator = oldAccumulator.getArgNumber() - loop.getNumInductionVars();
  const unsigned total = oldTotal.getArgNumber() - loop.getNumInductionVars();
  const Location place = summed.product->getLoc();
  const Location accumulatorLoc = getNamedLoc(getSourceName(oldAccumulator), place);
  const Location totalLoc = getNamedLoc(getSourceName(oldTotal), place);
  const Location carriedLoc = oldAccumulator.getLoc();
  SmallVector<unsigned> kept;
  for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index)
    if (index != accumulator && index != total)
      kept.push_back(index);

  auto acc = cast<TileType>(oldAccumulator.getType());
  auto wide = TileType::get(acc.getContext(), acc.getRows(), acc.getCols() + columnsOfOnes,
                            acc.getElementType(), acc.getSpace(), acc.getLayout());
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  auto start = loop.getInitArgs()[accumulator].getDefiningOp<FillOp>();
  Value zeros = rewriter.create<FillOp>(start.getLoc(), wide, start.getValue());
  scf::ForOp replacement = carryInstead(rewriter, loop, kept, zeros);
  BlockArgument carried = replacement.getRegionIterArgs().back();
  carried.setLoc(carriedLoc);
  Value widened = createWidened(rewriter, summed, carried);
  Operation *yield = replacement.getBody()->getTerminator();
  SmallVector<Value> next =
      llvm::map_to_vector(kept, [&](unsigned index) -> Value { return yield->getOperand(index); });
  next.push_back(widened);
  yield->setOperands(next);

  rewriter.setInsertionPointAfter(replacement);
  auto takePart = [&](unsigned index, Location loc, int64_t column) {
    Value old = loop.getResult(index);
    Value part = rewriter.create<SliceOp>(loc, old.getType(), replacement.getResults().back(),
                                          ArrayRef<int64_t>{0, column});
    old.replaceAllUsesWith(part);
  };
  takePart(accumulator, accumulatorLoc, 0);
  takePart(total, totalLoc, acc.getCols());
  for (auto [index, old] : llvm::enumerate(kept))
    loop.getResult(old).replaceAllUsesWith(replacement.getResult(index));
  rewriter.eraseOp(loop);
  eraseUnread(replacement);
}

namespace {
struct SumByProduct : tkc::impl::SumByProductBase<SumByProduct> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (std::optional<SummedProduct> summed = findSummedProduct(loop))
        widen(*summed);
  }
};
} // namespace
