//===- TkElementwiseFolds.cpp - Folds and canonical forms of maps and parts ===//
//
// A canonical map has only operands that its body reads, each once, and only
// results that are used and differ from the operands. Fusing relies on it: what
// two maps share becomes visible as one operand.
//
//===----------------------------------------------------------------------===//
#include "dialect/tk/Tk.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tkc::tk;

//===----------------------------------------------------------------------===//
// tk.map
//===----------------------------------------------------------------------===//

namespace {
/// A result that is one of the operands, unchanged, is that operand.
struct ForwardUnchanged : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapOp map, PatternRewriter &rewriter) const override {
    bool changed = false;
    auto yield = cast<YieldOp>(map.getBody().front().getTerminator());
    for (auto [value, result] : llvm::zip(yield.getValues(), map.getResults())) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (!argument || argument.getOwner() != &map.getBody().front() ||
          argument.getArgNumber() >= map.getInputs().size() || result.use_empty())
        continue;
      Value input = map.getInputs()[argument.getArgNumber()];
      if (input.getType() != result.getType())
        continue;
      rewriter.replaceAllUsesWith(result, input);
      changed = true;
    }
    return success(changed);
  }
};

/// An operand that the body does not read goes; one that is there twice is read once.
struct DropOperands : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapOp map, PatternRewriter &rewriter) const override {
    for (unsigned index = 0; index < map.getInputs().size(); ++index) {
      BlockArgument argument = map.getElements()[index];
      auto first = llvm::find(map.getInputs(), map.getInputs()[index]);
      unsigned firstIndex = first - map.getInputs().begin();
      if (!argument.use_empty() && firstIndex == index)
        continue;
      rewriter.modifyOpInPlace(map, [&] {
        if (firstIndex != index)
          argument.replaceAllUsesWith(map.getElements()[firstIndex]);
        map.getBody().front().eraseArgument(index);
        map->eraseOperand(index);
      });
      return success();
    }
    return failure();
  }
};

/// Coordinates that the body does not read go.
struct DropCoordinates : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapOp map, PatternRewriter &rewriter) const override {
    auto coordinates = map.getCoordinates();
    if (coordinates.empty() ||
        !llvm::all_of(coordinates, [](BlockArgument argument) { return argument.use_empty(); }))
      return failure();
    rewriter.modifyOpInPlace(map, [&] {
      map.getBody().front().eraseArguments(map.getInputs().size(), coordinates.size());
    });
    return success();
  }
};

/// A result that nobody uses is not computed.
struct DropResults : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapOp map, PatternRewriter &rewriter) const override {
    SmallVector<unsigned> used;
    for (OpResult result : map.getResults())
      if (!result.use_empty())
        used.push_back(result.getResultNumber());
    if (used.empty() || used.size() == map.getNumResults())
      return failure();
    SmallVector<Type> types;
    for (unsigned index : used)
      types.push_back(map.getResult(index).getType());
    OperationState state(map.getLoc(), MapOp::getOperationName(), map.getInputs(), types,
                         map->getAttrs());
    state.addRegion();
    auto smaller = cast<MapOp>(rewriter.create(state));
    rewriter.inlineRegionBefore(map.getBody(), smaller.getBody(), smaller.getBody().begin());
    auto yield = cast<YieldOp>(smaller.getBody().front().getTerminator());
    rewriter.modifyOpInPlace(yield, [&] {
      for (unsigned index = yield.getNumOperands(); index-- > 0;)
        if (!llvm::is_contained(used, index))
          yield->eraseOperand(index);
    });
    for (auto [index, result] : llvm::zip(used, smaller.getResults()))
      rewriter.replaceAllUsesWith(map.getResult(index), result);
    rewriter.eraseOp(map);
    return success();
  }
};

/// MLIR makes a select of an scf.if that only chooses between two values; of tiles it is a map.
struct SelectElements : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp select, PatternRewriter &rewriter) const override {
    if (!isa<ElementsInterface>(select.getType()))
      return failure();
    rewriter.replaceOpWithNewOp<MapOp>(
        select, select.getType(), ValueRange{select.getTrueValue(), select.getFalseValue()},
        /*coordinates=*/false, [&](OpBuilder &inside, Location loc, ValueRange elements) {
          Value chosen =
              inside.create<arith::SelectOp>(loc, select.getCondition(), elements[0], elements[1]);
          inside.create<YieldOp>(loc, chosen);
        });
    return success();
  }
};
} // namespace

void TkDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<SelectElements>(getContext());
}

void MapOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ForwardUnchanged, DropOperands, DropCoordinates, DropResults>(context);
}

//===----------------------------------------------------------------------===//
// Parts and layouts
//===----------------------------------------------------------------------===//

OpFoldResult SliceOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  // A part of a part: only if the inner one has the outer one's rank, so that the offsets add up.
  auto inner = getSource().getDefiningOp<SliceOp>();
  if (!inner || inner.getOffsets().size() != getOffsets().size() || !getIndices().empty() ||
      !inner.getIndices().empty())
    return {};
  SmallVector<int64_t> offsets;
  for (auto [a, b] : llvm::zip(inner.getOffsets(), getOffsets()))
    offsets.push_back(a + b);
  getSourceMutable().assign(inner.getSource());
  setOffsets(offsets);
  return getResult();
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType())
    return getSource();
  // A tf32 becomes a float and itself again.
  auto inner = getSource().getDefiningOp<ConvertOp>();
  return inner && getType().isTF32() && inner.getSource().getType().isTF32() ? inner.getSource()
                                                                             : Value();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getParts().size() == 1 ? getParts().front() : Value();
}

OpFoldResult DeinterleaveOp::fold(FoldAdaptor) {
  auto inner = getSource().getDefiningOp<InterleaveOp>();
  return !inner ? Value() : getOdd() ? inner.getOdd() : inner.getEven();
}

OpFoldResult InterleaveOp::fold(FoldAdaptor) {
  auto even = getEven().getDefiningOp<DeinterleaveOp>(),
       odd = getOdd().getDefiningOp<DeinterleaveOp>();
  bool isWhole =
      even && odd && even.getSource() == odd.getSource() && !even.getOdd() && odd.getOdd();
  return isWhole ? even.getSource() : Value();
}

OpFoldResult SwapLayoutOp::fold(FoldAdaptor) {
  auto inner = getSource().getDefiningOp<SwapLayoutOp>();
  return inner ? inner.getSource() : Value();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  auto inner = getSource().getDefiningOp<TransposeOp>();
  return inner && inner.getSource().getType() == getType() ? inner.getSource() : Value();
}
