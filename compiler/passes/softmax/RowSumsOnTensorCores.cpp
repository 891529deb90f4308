//===- RowSumsOnTensorCores.cpp - Row sums that the tensor cores add up ---===//
//
// Where the rows of an MMA's left operand are also summed, as the weights of
// softmax are, the sums are an MMA too, with a column of ones:
//
//     total = total * alpha + row_sum(p)          o = o * alpha;  o += p v
//
//     o = o * alpha;  o += p [v 1]                total is o's last column
//
// `row_sum(p, total * alpha)` is the same. Where total starts at another value than
// zero, an attention sink, its column does.
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
#include "analysis/TileNames.h"
#include "analysis/registers/RegisterBudget.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/Tk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Passes.h"
#include "passes/tile/DeadCode.h"
#include "passes/tile/MapBodies.h"
#include "remarks/Remarks.h"
#include "target/Target.h"

namespace tkc {
#define GEN_PASS_DEF_ROWSUMSONTENSORCORES
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Tiles that are summed
//===----------------------------------------------------------------------===//

namespace {
/// The next value of a loop's argument: `carried`, scaled by `factor` or not, and something added.
struct Update {
  BlockArgument carried;
  Value factor; ///< a column vector; null if there is none
};

/// An MMA and the sums of its left operand, in one loop.
struct SummedMma {
  scf::ForOp loop;
  tk::MmaOp mma;
  Update accumulator, total;
};
} // namespace

static bool startsAtZero(BlockArgument carried, scf::ForOp loop) {
  auto fill = loop.getTiedLoopInit(carried)->get().getDefiningOp<tk::FillOp>();
  return fill && matchPattern(fill.getValue(), m_PosZeroFloat());
}

/// Reads `carried` or `carried * factor`, a scalar of the body of `map`.
static std::optional<Update> getScaled(Value value, BlockArgument carried, tk::MapOp map) {
  if (getOperandOf(value, map) == carried)
    return Update{carried, {}};
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return std::nullopt;
  Value left = getOperandOf(product.getLhs(), map), right = getOperandOf(product.getRhs(), map);
  if (left != carried)
    std::swap(left, right);
  auto factor = right ? dyn_cast<tk::TileVectorType>(right.getType()) : tk::TileVectorType();
  if (left != carried || !factor || factor.getOrientation() != tk::Orientation::Column)
    return std::nullopt;
  return Update{carried, right};
}

/// The same of a value: the carried one, or a map that does nothing else than scale it.
static std::optional<Update> getScaled(Value value, BlockArgument carried) {
  if (value == carried)
    return Update{carried, {}};
  auto map = value.getDefiningOp<tk::MapOp>();
  if (!map || !map->hasOneUse() || map.getNumResults() != 1 || !map.getCoordinates().empty() ||
      map.getInputs().size() != 2)
    return std::nullopt;
  return getScaled(map.getBody().front().getTerminator()->getOperand(0), carried, map);
}

/// The only thing that a map computes, if it is a conversion of one operand; null otherwise.
static Operation *getConversion(tk::MapOp map) {
  Operation *op = map.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
  bool isConversion = map.getInputs().size() == 1 && map.getNumResults() == 1 &&
                      isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(op) &&
                      getOperandOf(op->getOperand(0), map);
  return isConversion ? op : nullptr;
}

/// A tile before it was rounded and widened.
static Value getUnconverted(Value tile) {
  while (auto map = tile.getDefiningOp<tk::MapOp>()) {
    if (!getConversion(map))
      break;
    tile = map.getInputs()[0];
  }
  return tile;
}

/// True if the sums are those of `p` as floats.
static bool sumsRounded(tk::ReduceOp sum, Value p) {
  auto map = sum.getSource().getDefiningOp<tk::MapOp>();
  auto extend = dyn_cast_or_null<arith::ExtFOp>(map ? getConversion(map) : nullptr);
  return extend && map.getInputs()[0] == p && extend.getType().isF32();
}

/// The row sums that become a part of what `loop` carries at `index`, if they are of `p` or of what
/// that is made of; null if there are none.
static tk::ReduceOp findRowSums(scf::ForOp loop, unsigned index, Value p) {
  auto isOf = [&](tk::ReduceOp sum) {
    if (!sum || sum.getCombine() != tk::Combine::Add || sum.getAlong() != tk::Along::Rows)
      return false;
    Value source = getUnconverted(sum.getSource());
    auto made = getUnconverted(p).getDefiningOp<tk::MapOp>();
    return source == getUnconverted(p) || (made && llvm::is_contained(made.getInputs(), source));
  };
  Value next = loop.getYieldedValues()[index];
  if (auto sum = next.getDefiningOp<tk::ReduceOp>(); isOf(sum))
    return sum;
  if (auto map = next.getDefiningOp<tk::MapOp>())
    for (Value input : map.getInputs())
      if (auto sum = input.getDefiningOp<tk::ReduceOp>(); isOf(sum))
        return sum;
  return {};
}

/// Reads `total * factor + sum`, or a sum that begins with `total * factor`, which the loop carries
/// at `index`.
static std::optional<Update> readTotal(scf::ForOp loop, unsigned index, tk::ReduceOp sum,
                                       MissedReason &missed) {
  BlockArgument carried = loop.getRegionIterArg(index);
  Value next = loop.getYieldedValues()[index];
  const std::string name = quoteTileName(carried);
  if (!carried.hasOneUse() || !next.hasOneUse() || !sum->hasOneUse())
    return missed.because(sum.getLoc(), Remark::RowSumsTotalRead, name);
  if (next == sum.getResult() && sum.getInit()) {
    if (std::optional<Update> update = getScaled(sum.getInit(), carried))
      return update;
  } else if (auto map = next.getDefiningOp<tk::MapOp>();
             map && map.getNumResults() == 1 && !sum.getInit()) {
    Operation *yield = map.getBody().front().getTerminator();
    auto add = yield->getOperand(0).getDefiningOp<arith::AddFOp>();
    for (unsigned side : {0, 1})
      if (add && getOperandOf(add->getOperand(1 - side), map) == sum.getResult())
        if (std::optional<Update> update = getScaled(add->getOperand(side), carried, map))
          return update;
  }
  return missed.because(sum.getLoc(), Remark::RowSumsTotalUpdate, name);
}

/// Reads the accumulator of an MMA that the loop carries on.
static std::optional<Update> readAccumulator(scf::ForOp loop, tk::MmaOp mma) {
  auto isCarried = [&](Value value) {
    return llvm::is_contained(loop.getRegionIterArgs(), value) && value.hasOneUse() &&
           loop.getTiedLoopYieldedValue(cast<BlockArgument>(value))->get() == mma.getResult();
  };
  if (!mma->hasOneUse())
    return std::nullopt;
  if (isCarried(mma.getAcc()))
    return Update{cast<BlockArgument>(mma.getAcc()), {}};
  if (auto map = mma.getAcc().getDefiningOp<tk::MapOp>())
    for (Value input : map.getInputs())
      if (isCarried(input))
        return getScaled(map.getResult(0), cast<BlockArgument>(input));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Whether it fits
//===----------------------------------------------------------------------===//

/// True if an instruction can be as wide, with the consumers that the tile's rows ask for.
static bool fitsInstruction(tk::MmaOp mma) {
  auto acc = cast<tk::TileType>(mma.getAcc().getType());
  const int64_t width = acc.getCols() + tk::columnsOfOnes;
  const int64_t consumers =
      std::clamp<int64_t>(acc.getRows() / getTarget().getRowUnit(TileHolder::Warpgroups), 1, 4);
  return width <= getTarget().getMaxMmaWidth() && width <= getMaxInstructionWidth(consumers);
}

/// One swizzle-atom column, which is what stores are staged in.
static constexpr int64_t stagingRowBytes = 128;
/// More than the mbarriers of any rings, and the dynamic tile scheduler, take.
static constexpr int64_t barriersAndScheduler = 1024;

/// True if the kernel's tiles surely leave room for the ones: with two stages for each load of a
/// loop, one tile for each worker of a scope, two staging buffers for each warpgroup, and all that
/// is written to shared memory.
static bool fitsShared(tk::MmaOp mma) {
  auto b = cast<tk::TileType>(mma.getB().getType());
  if (!getTarget().getAtomCols(b.getCols(), b.getElementType()))
    return false;
  constexpr int64_t stages = 2;
  int64_t bytes =
      barriersAndScheduler +
      stages * (getTarget().getTileBytes(b.getRows(), b.getCols(), b.getElementType(), true) -
                b.getBytes());
  mma->getParentOfType<tk::KernelOp>().walk([&](Operation *op) {
    if (!isa<tk::LoadOp, tk::AllocOp>(op))
      return;
    auto tile = dyn_cast<tk::TileType>(op->getResult(0).getType());
    auto each = op->getParentOfType<tk::EachOp>();
    const int64_t copies =
        (op->getParentOfType<scf::ForOp>() ? stages : 1) * (each ? int64_t(each.getCount()) : 1);
    bytes += copies * (tile ? tile.getBytes()
                            : cast<tk::TileVectorType>(op->getResult(0).getType()).getBytes());
  });
  auto each = mma->getParentOfType<tk::EachOp>();
  const int64_t consumers = cast<tk::TileType>(mma.getAcc().getType()).getRows() /
                            getTarget().getRowUnit(TileHolder::Warpgroups) *
                            (each ? int64_t(each.getCount()) : 1);
  bytes += consumers * 2 * getTarget().getRowUnit(TileHolder::Warpgroups) * stagingRowBytes;
  return bytes <= getTarget().getSharedBytes();
}

/// Whether ones fit beside the right operand of an MMA.
static LogicalResult checkOperands(tk::MmaOp mma, scf::ForOp loop, MissedReason &missed) {
  auto a = cast<tk::TileType>(mma.getA().getType()).getElementType();
  auto acc = cast<tk::TileType>(mma.getAcc().getType());
  if ((!a.isBF16() && !a.isF16()) || !acc.getElementType().isF32())
    return missed.because(mma.getLoc(), Remark::RowSumsLeftOperand, quoteTileName(mma.getA()),
                          tk::getStorageBits(a));
  auto load = mma.getB().getDefiningOp<tk::LoadOp>();
  if (!load || load->getBlock() != loop.getBody())
    return missed.because(mma.getLoc(), Remark::RowSumsRightOperand);
  if (!fitsInstruction(mma))
    return missed.because(mma.getLoc(), Remark::RowSumsTooWide, acc.getCols());
  if (!fitsShared(mma))
    return missed.because(mma.getLoc(), Remark::RowSumsNoRoom);
  return success();
}

/// The sums `sum` of the left operand of `mma`, as the loop adds them up at `index`.
static std::optional<SummedMma> match(scf::ForOp loop, tk::MmaOp mma, unsigned index,
                                      tk::ReduceOp sum, MissedReason &missed) {
  const std::string name = quoteTileName(loop.getRegionIterArg(index));
  if (!sumsRounded(sum, mma.getA()))
    return missed.because(sum.getLoc(), Remark::RowSumsOfOthers, name, quoteTileName(mma.getA()));
  if (failed(checkOperands(mma, loop, missed)))
    return std::nullopt;
  std::optional<Update> accumulator = readAccumulator(loop, mma);
  if (!accumulator)
    return missed.because(mma.getLoc(), Remark::RowSumsAccumulator);
  const std::string accumulatorName = quoteTileName(accumulator->carried);
  if (!startsAtZero(accumulator->carried, loop))
    return missed.because(mma.getLoc(), Remark::RowSumsAccumulatorStart, accumulatorName);
  std::optional<Update> total = readTotal(loop, index, sum, missed);
  if (!total)
    return std::nullopt;
  if (total->factor != accumulator->factor)
    return missed.because(sum.getLoc(), Remark::RowSumsFactors, name, accumulatorName);
  return SummedMma{loop, mma, *accumulator, *total};
}

static std::optional<SummedMma> findSummedMma(scf::ForOp loop, MissedReason &missed) {
  for (tk::MmaOp mma : loop.getBody()->getOps<tk::MmaOp>()) {
    auto a = cast<tk::TileType>(mma.getA().getType());
    if (mma.getForm() != tk::MmaForm::AB || mma.getSums() || mma.getSubtracts() ||
        a.getSpace() != tk::Space::Register)
      continue;
    for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index)
      if (tk::ReduceOp sum = findRowSums(loop, index, mma.getA()))
        if (std::optional<SummedMma> summed = match(loop, mma, index, sum, missed))
          return summed;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// One accumulator for both
//===----------------------------------------------------------------------===//

/// Replaces a loop by one that carries `start` after what it carries at `kept`, and nothing else.
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

/// The MMA with its sums, of the accumulator that the loop carries, scaled as it was.
static Value createWidened(RewriterBase &rewriter, const SummedMma &summed, Value carried) {
  tk::MmaOp mma = summed.mma;
  rewriter.setInsertionPoint(mma);
  Value acc = carried;
  if (Value factor = summed.accumulator.factor) {
    Location loc = mma.getAcc().getLoc();
    auto scaled = rewriter.create<tk::MapOp>(
        loc, carried.getType(), ValueRange{carried, factor}, /*coordinates=*/false,
        [&](OpBuilder &body, Location, ValueRange elements) {
          Location unnamed = getUnnamedLoc(loc);
          Value value = body.create<arith::MulFOp>(unnamed, elements[0], elements[1]);
          body.create<tk::YieldOp>(unnamed, value);
        });
    acc = scaled.getResult(0);
  }
  return rewriter.create<tk::MmaOp>(mma.getLoc(), acc.getType(), mma.getForm(), acc, mma.getA(),
                                    mma.getB(), /*sums=*/true);
}

/// Both before the loop: zeros, and the initial total in the columns of the sums.
static Value createStart(RewriterBase &rewriter, const SummedMma &summed, tk::TileType wide) {
  scf::ForOp loop = summed.loop;
  auto zero = loop.getTiedLoopInit(summed.accumulator.carried)->get().getDefiningOp<tk::FillOp>();
  Value zeros = rewriter.create<tk::FillOp>(zero.getLoc(), wide, zero.getValue());
  if (startsAtZero(summed.total.carried, loop))
    return zeros;
  Value total = loop.getTiedLoopInit(summed.total.carried)->get();
  auto map = rewriter.create<tk::MapOp>(
      zero.getLoc(), wide, ValueRange{zeros, total}, /*coordinates=*/true,
      [&](OpBuilder &body, Location, ValueRange arguments) {
        Location loc = getUnnamedLoc(zero.getLoc());
        Value firstSum =
            body.create<arith::ConstantIntOp>(loc, wide.getCols() - tk::columnsOfOnes, 32);
        Value isSum =
            body.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, arguments.back(), firstSum);
        Value value = body.create<arith::SelectOp>(loc, isSum, arguments[1], arguments[0]);
        body.create<tk::YieldOp>(loc, value);
      });
  return map.getResult(0);
}

static void widen(const SummedMma &summed) {
  scf::ForOp loop = summed.loop;
  BlockArgument oldAccumulator = summed.accumulator.carried, oldTotal = summed.total.carried;
  const unsigned accumulator = oldAccumulator.getArgNumber() - loop.getNumInductionVars();
  const unsigned total = oldTotal.getArgNumber() - loop.getNumInductionVars();
  const Location place = summed.mma->getLoc();
  const Location accumulatorLoc = getNamedLoc(getSourceName(oldAccumulator), place);
  const Location totalLoc = getNamedLoc(getSourceName(oldTotal), place);
  const Location carriedLoc = oldAccumulator.getLoc();
  SmallVector<unsigned> kept;
  for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index)
    if (index != accumulator && index != total)
      kept.push_back(index);

  auto acc = cast<tk::TileType>(oldAccumulator.getType());
  auto wide = tk::TileType::get(acc.getContext(), acc.getRows(), acc.getCols() + tk::columnsOfOnes,
                                acc.getElementType(), acc.getSpace(), acc.getLayout());
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  Value start = createStart(rewriter, summed, wide);
  scf::ForOp replacement = carryInstead(rewriter, loop, kept, start);
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
    Value part = rewriter.create<tk::SliceOp>(loc, old.getType(), replacement.getResults().back(),
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
struct RowSumsOnTensorCores : tkc::impl::RowSumsOnTensorCoresBase<RowSumsOnTensorCores> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      MissedReason missed;
      std::optional<SummedMma> summed = findSummedMma(loop, missed);
      if (!summed) {
        missed.reportAt(loop);
        continue;
      }
      reportRemark(loop, summed->mma.getLoc(), Remark::RowSumsDone,
                   quoteTileName(summed->mma.getA()), quoteTileName(summed->total.carried));
      widen(*summed);
    }
  }
};
} // namespace
