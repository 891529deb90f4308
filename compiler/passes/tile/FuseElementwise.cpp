//===- FuseElementwise.cpp - One map for a chain of operations ------------===//
//
// The user writes exp(sub_row(s, now) * scale), three maps; the machine does it
// in one. Two groups of patterns, applied together until nothing changes:
//
// - fusing: a map becomes part of the only map that reads it, by inlining its
//   body;
// - folding, in the bodies: towards exp2, with factors that are the same for
//   every element moved out of the map, and work on values that come from vectors
//   separated from work on elements of tiles, where it is done once per row.
//
// Folding changes which values are rounded. These identities hold for all numbers and infinities:
//
// - exp(x) = exp2(x * log2e) is exp of x (1 + e) with |e| < 2^-23.4: log2e as a
//   float is off by 2^-26.2 of itself, and the product is rounded. Of the result that takes up to
//   0.75 last places for each unit of x. Where a result is stored as a float, exp stays, for which
//   CUDA has a function of about eight instructions and 2 last places.
// - (x * a) * b = x * (a * b) rounds as often, if one of a and b is a constant from 1/2 to 2. The
//   other one must be below 2^127, where the product of both overflows.
// - x * a - v = fma(x, a, -v) rounds once less. That is wrong where v has been
//   rounded as x * a was, as the maximum of such products has, for the difference
//   of equals is then what rounding took away, up to 2^-24 |v| and not zero; of v = -1e30, a
//   mask, exp2 makes infinity of it. So v comes from tensors. In exponents the backend forbids
//   nvcc all other contractions (sub_rn).
// - (x - v) * c = x * c - v * c is not done here: v * c is rounded, and all of
//   2^-24 |v c| becomes an error of the exponent. tk-guard-exponents and tk-speculative-rescale do
//   it where |v c| is known to be small.
// - max(x * c) = max(x) * c for a constant c > 0, and min(x) * c for one below 0, is exact, as
//   rounding keeps the order: the products need not exist beside x for that.
// - x / v = x * (1 / v) rounds once more: 4 units in the last place in all, for |v|
//   from 2^-126 on. Below, v counts as zero, as in any quotient of elements.
//
// A value that follows from values of the row alone is left to nvcc: once
// loops are unrolled it is one value of one thread.
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/RegisterBudget.h"
#include "analysis/registers/TileRegisters.h"
#include "dialect/tk/ElementwiseMap.h"
#include "dialect/tk/Tk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Passes.h"
#include "target/Target.h"

#include <numbers>

namespace tkc {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc::tk;

//===----------------------------------------------------------------------===//
// Fusing
//===----------------------------------------------------------------------===//

/// Few instructions of the ordinary arithmetic pipe: worth no statement of its own.
static bool isCheap(MapOp map) {
  unsigned operations = 0;
  for (Operation &op : map.getBody().front().without_terminator()) {
    if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp, arith::ExtFOp,
             arith::TruncFOp, arith::ConstantOp>(op))
      return false;
    ++operations;
  }
  return operations <= 2;
}

/// False if tiles that one map reads need more registers than any thread has, however many
/// warpgroups share them: two maps can do with some of them each.
static bool mayFitTogether(const llvm::SmallPtrSet<Value, 8> &inputs) {
  constexpr int64_t mostSharers = 2; // more have fewer registers each
  const int64_t rowUnit = tkc::getTarget().getRowUnit(tkc::TileHolder::Warpgroups);
  int64_t registers = 0;
  for (Value input : inputs) {
    auto type = cast<ElementsInterface>(input.getType());
    int64_t sharers = llvm::divideCeil(type.getRows(), rowUnit);
    registers +=
        tkc::TileRegisters::getRegisters(type, std::clamp<int64_t>(sharers, 1, mostSharers));
  }
  return registers <= tkc::getMaxTileRegisters(1);
}

/// Whether `producer` may be computed in `consumer` without being computed more often.
static bool mayFuse(MapOp producer, MapOp consumer) {
  if (producer->getBlock() != consumer->getBlock() ||
      !llvm::all_of(producer->getUsers(), [&](Operation *user) { return user == consumer; }))
    return false;
  bool makesVector = cast<ElementsInterface>(producer.getResult(0).getType()).isVector();
  bool isForTile = !cast<ElementsInterface>(consumer.getResult(0).getType()).isVector();
  if (makesVector && isForTile && !isCheap(producer))
    return false;
  llvm::SmallPtrSet<Value, 8> inputs(producer.getInputs().begin(), producer.getInputs().end());
  for (Value input : consumer.getInputs())
    if (input.getDefiningOp() != producer)
      inputs.insert(input);
  return inputs.size() <= maxMapInputs && mayFitTogether(inputs);
}

namespace {
/// Builds the fused body: both maps' arguments become arguments of one block, by operand.
struct FusedBody {
  SmallVector<Value> inputs;
  SmallVector<Location> locations; // of the arguments, which keep the names their maps gave them
  IRMapping values;

  void addInputs(MapOp map) {
    for (auto [input, argument] : llvm::zip(map.getInputs(), map.getElements()))
      addInput(input, argument);
  }

  void addInput(Value input, BlockArgument argument) {
    if (llvm::is_contained(inputs, input))
      return;
    inputs.push_back(input);
    locations.push_back(argument.getLoc());
  }

  void mapArguments(MapOp map, MapOp except, Block *body) {
    for (auto [input, argument] : llvm::zip(map.getInputs(), map.getElements()))
      if (!except || input.getDefiningOp() != except) // a block argument has no defining op either
        values.map(argument, body->getArgument(llvm::find(inputs, input) - inputs.begin()));
  }

  /// A vector's index is the row or column of the tile it is fused into.
  void mapCoordinates(MapOp map, Type fusedType, Block *body) {
    auto coordinates = body->getArguments().drop_front(inputs.size());
    auto type = cast<ElementsInterface>(map.getResult(0).getType());
    bool isRowVector = type.getRows() == 0 && !cast<ElementsInterface>(fusedType).isVector();
    for (auto [index, argument] : llvm::enumerate(map.getCoordinates()))
      values.map(argument, coordinates[isRowVector ? 1 : index]);
  }

  void clone(OpBuilder &builder, MapOp map) {
    for (Operation &op : map.getBody().front().without_terminator())
      builder.clone(op, values);
  }
};

struct FuseIntoConsumer : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapOp consumer, PatternRewriter &rewriter) const override {
    for (Value input : consumer.getInputs())
      if (auto producer = input.getDefiningOp<MapOp>(); producer && mayFuse(producer, consumer)) {
        fuse(producer, consumer, rewriter);
        return success();
      }
    return failure();
  }

  static void fuse(MapOp producer, MapOp consumer, PatternRewriter &rewriter) {
    FusedBody fused;
    // The producer's operands come in its place.
    for (auto [input, argument] : llvm::zip(consumer.getInputs(), consumer.getElements()))
      if (input.getDefiningOp() == producer)
        fused.addInputs(producer);
      else
        fused.addInput(input, argument);
    bool coordinates = !producer.getCoordinates().empty() || !consumer.getCoordinates().empty();
    auto buildBody = [&](OpBuilder &builder, Location, ValueRange) {
      Block *body = builder.getBlock();
      for (auto [argument, location] : llvm::zip(body->getArguments(), fused.locations))
        argument.setLoc(location);
      fused.mapArguments(producer, {}, body);
      fused.mapArguments(consumer, producer, body);
      fused.mapCoordinates(producer, consumer.getResult(0).getType(), body);
      fused.mapCoordinates(consumer, consumer.getResult(0).getType(), body);
      fused.clone(builder, producer);
      auto made = cast<YieldOp>(producer.getBody().front().getTerminator());
      for (auto [read, argument] : llvm::zip(consumer.getInputs(), consumer.getElements()))
        if (auto result = dyn_cast<OpResult>(read); result && result.getOwner() == producer)
          fused.values.map(argument,
                           fused.values.lookupOrDefault(made.getOperand(result.getResultNumber())));
      fused.clone(builder, consumer);
      builder.clone(*consumer.getBody().front().getTerminator(), fused.values);
    };
    auto map = rewriter.create<MapOp>(consumer.getLoc(), consumer.getResultTypes(), fused.inputs,
                                      coordinates, buildBody);
    rewriter.replaceOp(consumer, map);
    rewriter.eraseOp(producer);
  }
};

/// Widening a narrow element is one instruction, and the wide tile takes twice the registers or
/// more: each map that reads it does that for itself.
struct RepeatWidening : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapOp consumer, PatternRewriter &rewriter) const override {
    for (auto [index, input] : llvm::enumerate(consumer.getInputs()))
      if (auto widening = input.getDefiningOp<MapOp>();
          widening && widens(widening) && isForMapsBeside(widening)) {
        rewriter.setInsertionPoint(consumer);
        Operation *own = rewriter.clone(*widening);
        rewriter.modifyOpInPlace(
            consumer, [&] { consumer.getInputsMutable()[index].set(own->getResult(0)); });
        return success();
      }
    return failure();
  }

  static bool widens(MapOp map) {
    Block &body = map.getBody().front();
    return llvm::hasSingleElement(body.without_terminator()) &&
           isa<arith::ExtFOp, arith::ExtSIOp>(body.front());
  }

  /// True if several maps of the same block read the result, and nothing else does.
  static bool isForMapsBeside(MapOp map) {
    return !map->hasOneUse() && llvm::all_of(map->getUsers(), [&](Operation *user) {
      return isa<MapOp>(user) && user->getBlock() == map->getBlock();
    });
  }
};

//===----------------------------------------------------------------------===//
// Dependences of a scalar in a body
//===----------------------------------------------------------------------===//

/// Ordered: each computes at least as often as the one before.
enum class Varies { Nowhere, ByVector, ByElement };

/// Whether `value`, in the body of `map` or outside, varies by row or column.
Varies getVariation(MapOp map, Value value) {
  Block *body = &map.getBody().front();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != body)
      return Varies::Nowhere;
    bool isOfVector =
        argument.getArgNumber() < map.getInputs().size() &&
        cast<ElementsInterface>(map.getInputs()[argument.getArgNumber()].getType()).isVector();
    return isOfVector ? Varies::ByVector : Varies::ByElement;
  }
  Varies variation = Varies::Nowhere;
  if (value.getParentBlock() == body)
    for (Value operand : value.getDefiningOp()->getOperands())
      variation = std::max(variation, getVariation(map, operand));
  return variation;
}

/// A pattern on a scalar op in the body of a map.
template <typename Op> struct BodyPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto map = op->template getParentOfType<MapOp>();
    return map ? rewriteInMap(op, map, rewriter) : failure();
  }
  virtual LogicalResult rewriteInMap(Op op, MapOp map, PatternRewriter &rewriter) const = 0;
};

/// A value that all elements share, as one outside of the map; null if it is not one op away from
/// it.
Value hoist(MapOp map, Value value, PatternRewriter &rewriter) {
  if (value.getParentBlock() != &map.getBody().front())
    return value;
  Operation *op = value.getDefiningOp();
  if (!op || !op->hasTrait<OpTrait::ConstantLike>())
    return {};
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(map);
  return rewriter.clone(*op)->getResult(0);
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

/// True if a scalar of a map's body is stored as a float, itself or as a factor or divisor of
/// another one, by way of maps alone.
bool isStoredAsFloat(Value scalar) {
  for (OpOperand &use : scalar.getUses()) {
    Operation *user = use.getOwner();
    if (isa<arith::MulFOp, arith::DivFOp, arith::NegFOp, arith::SelectOp>(user) &&
        isStoredAsFloat(user->getResult(0)))
      return true;
    auto map = isa<YieldOp>(user) ? dyn_cast<MapOp>(user->getParentOp()) : MapOp();
    if (!map)
      continue;
    for (OpOperand &read : map.getResult(use.getOperandNumber()).getUses()) {
      auto store = dyn_cast<StoreOp>(read.getOwner());
      if (store && cast<GlobalType>(store.getDest().getType()).getElementType().isF32())
        return true;
      auto reader = dyn_cast<MapOp>(read.getOwner());
      if (reader && isStoredAsFloat(reader.getElements()[read.getOperandNumber()]))
        return true;
    }
  }
  return false;
}

/// exp(x) = exp2(x * log2e) where nobody sees all bits of the result
struct ExpToExp2 : BodyPattern<math::ExpOp> {
  using BodyPattern::BodyPattern;
  LogicalResult rewriteInMap(math::ExpOp op, MapOp map, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || isStoredAsFloat(op.getResult()))
      return failure();
    Value log2e = rewriter.create<arith::ConstantOp>(
        op.getLoc(), rewriter.getF32FloatAttr(std::numbers::log2e_v<float>));
    Value scaled = rewriter.create<arith::MulFOp>(op.getLoc(), op.getOperand(), log2e,
                                                  arith::FastMathFlags::reassoc);
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, scaled);
    return success();
  }
};

/// The two factors of a product, the one that all elements share second; nulls if there is none.
std::pair<Value, Value> splitScale(MapOp map, Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || product->getBlock() != &map.getBody().front())
    return {};
  if (getVariation(map, product.getRhs()) == Varies::Nowhere)
    return {product.getLhs(), product.getRhs()};
  if (getVariation(map, product.getLhs()) == Varies::Nowhere)
    return {product.getRhs(), product.getLhs()};
  return {};
}

/// The size of a constant float; none for other values.
std::optional<float> getConstantSize(Value value) {
  FloatAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.getType().isF32())
    return std::nullopt;
  return std::abs(constant.getValue().convertToFloat());
}

/// True for a constant that makes no product overflow which did not nearly do so before.
bool isNearOne(Value value) {
  std::optional<float> size = getConstantSize(value);
  return size && *size >= 0.5f && *size <= 2.0f;
}

/// In the argument of exp2: (x * a) * b = x * (a * b) where a and b are the same for all elements,
/// and one of them is a constant near 1, as log2(e) is.
struct FoldScaleOfExp2 : BodyPattern<math::Exp2Op> {
  using BodyPattern::BodyPattern;
  LogicalResult rewriteInMap(math::Exp2Op op, MapOp map, PatternRewriter &rewriter) const override {
    auto [scaled, scale] = splitScale(map, op.getOperand());
    auto [inner, innerScale] = scaled ? splitScale(map, scaled) : std::pair<Value, Value>();
    if (!inner || !(isNearOne(scale) || isNearOne(innerScale)))
      return failure();
    Value a = hoist(map, innerScale, rewriter), b = hoist(map, scale, rewriter);
    if (!a || !b)
      return failure();
    rewriter.setInsertionPoint(map);
    Value both = rewriter.create<arith::MulFOp>(scale.getLoc(), a, b);
    rewriter.setInsertionPoint(op);
    Value simpler = rewriter.create<arith::MulFOp>(op.getOperand().getLoc(), inner, both);
    rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, simpler); });
    return success();
  }
};

/// True if the value is loaded from tensors, or a map of such values.
bool isLoaded(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto read = dyn_cast_or_null<ReadOp>(op))
    return read.getSource().getDefiningOp<LoadOp>();
  if (auto map = dyn_cast_or_null<MapOp>(op))
    return llvm::all_of(map.getInputs(), isLoaded);
  return isa_and_nonnull<LoadOp, GatherOp, FillOp>(op);
}

/// True if no reduction or product of the kernel is in `value`, in the body of `map` or outside.
bool isFromOutside(MapOp map, Value value) {
  Block *body = &map.getBody().front();
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == body)
    return argument.getArgNumber() >= map.getInputs().size() ||
           isLoaded(map.getInputs()[argument.getArgNumber()]);
  return value.getParentBlock() != body ||
         llvm::all_of(value.getDefiningOp()->getOperands(),
                      [&](Value operand) { return isFromOutside(map, operand); });
}

/// True for x * a - v * a: as much is rounded on either side, and where x is v it is zero.
bool isScaledDifference(MapOp map, Operation *sum) {
  Value left = splitScale(map, sum->getOperand(0)).second;
  Value right = splitScale(map, sum->getOperand(1)).second;
  Attribute leftNumber, rightNumber;
  return left && right &&
         (left == right ||
          (matchPattern(left, m_Constant(&leftNumber)) &&
           matchPattern(right, m_Constant(&rightNumber)) && leftNumber == rightNumber));
}

/// In the argument of exp2: x * a - v = fma(x, a, -v), and sums likewise, where v is from outside:
/// it has not what rounding took away from x * a.
struct ContractInExponent : BodyPattern<math::Exp2Op> {
  using BodyPattern::BodyPattern;
  LogicalResult rewriteInMap(math::Exp2Op op, MapOp map, PatternRewriter &rewriter) const override {
    Value power = op.getOperand();
    if (auto [scaled, scale] = splitScale(map, power); scaled)
      power = scaled;
    Operation *sum = power.getDefiningOp();
    if (!isa_and_nonnull<arith::AddFOp, arith::SubFOp>(sum) || !power.getType().isF32() ||
        sum->getBlock() != op->getBlock() || isScaledDifference(map, sum))
      return failure();
    bool isDifference = isa<arith::SubFOp>(sum);
    for (unsigned index : {0, 1}) {
      auto product = sum->getOperand(index).getDefiningOp<arith::MulFOp>();
      Value other = sum->getOperand(1 - index);
      if (!product || product->getBlock() != op->getBlock() || !isFromOutside(map, other))
        continue;
      rewriter.setInsertionPoint(sum);
      Value factor = product.getLhs();
      if (isDifference && index == 0)
        other = rewriter.create<arith::NegFOp>(sum->getLoc(), other);
      if (isDifference && index == 1)
        factor = rewriter.create<arith::NegFOp>(sum->getLoc(), factor);
      rewriter.replaceOpWithNewOp<math::FmaOp>(sum, factor, product.getRhs(), other);
      return success();
    }
    return failure();
  }
};

/// max(x * c) = max(x) * c for a constant c > 0, min(x) * c for c < 0.
struct ScaleOfMaximum : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp reduce, PatternRewriter &rewriter) const override {
    bool isMaximum = reduce.getCombine() == Combine::Max;
    auto map = reduce.getSource().getDefiningOp<MapOp>();
    if (!(isMaximum || reduce.getCombine() == Combine::Min) || reduce.getInit() || !map ||
        map.getInputs().size() != 1 || map.getInputs()[0].getType() != map.getResult(0).getType())
      return failure();
    auto [element, scale] = splitScale(map, map.getBody().front().getTerminator()->getOperand(0));
    FloatAttr constant;
    if (!element || element != map.getElements()[0] || !element.getType().isF32() ||
        !matchPattern(scale, m_Constant(&constant)))
      return failure();
    float factor = constant.getValue().convertToFloat();
    // Numbers that become infinite or zero as products have no order there.
    if (!(std::abs(factor) >= 0.5f && std::abs(factor) <= 2.0f))
      return failure();
    auto combine = isMaximum == (factor > 0) ? Combine::Max : Combine::Min;
    auto extreme =
        rewriter.create<ReduceOp>(reduce.getLoc(), combine, reduce.getAlong(), map.getInputs()[0]);
    rewriter.replaceOpWithNewOp<MapOp>(
        reduce, reduce.getType(), extreme.getResult(), /*coordinates=*/false,
        [&](OpBuilder &body, Location loc, ValueRange elements) {
          Value number = body.create<arith::ConstantOp>(loc, constant);
          Value product = body.create<arith::MulFOp>(loc, elements[0], number);
          body.create<YieldOp>(loc, product);
        });
    return success();
  }
};

/// x / v = x * (1 / v) where x is an element and v comes from vectors or is the same for all: the
/// division says that it may be one.
struct DivideByVector : BodyPattern<arith::DivFOp> {
  using BodyPattern::BodyPattern;
  LogicalResult rewriteInMap(arith::DivFOp op, MapOp map,
                             PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || getVariation(map, op.getLhs()) != Varies::ByElement ||
        getVariation(map, op.getRhs()) == Varies::ByElement ||
        op.getFastmath() == arith::FastMathFlags::arcp)
      return failure();
    // The reciprocal of a constant needs no instruction.
    if (std::optional<float> size = getConstantSize(op.getRhs());
        size && *size >= 0x1p-126f && *size <= 0x1p126f) {
      FloatAttr divisor;
      matchPattern(op.getRhs(), m_Constant(&divisor));
      Value reciprocal = rewriter.create<arith::ConstantOp>(
          op.getLoc(), rewriter.getF32FloatAttr(1 / divisor.getValue().convertToFloat()));
      rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), reciprocal);
      return success();
    }
    rewriter.modifyOpInPlace(op, [&] { op.setFastmath(arith::FastMathFlags::arcp); });
    return success();
  }
};

struct FuseElementwise : tkc::impl::FuseElementwiseBase<FuseElementwise> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseIntoConsumer, RepeatWidening, ExpToExp2, FoldScaleOfExp2, ContractInExponent,
                 ScaleOfMaximum, DivideByVector>(&getContext());
    MapOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
