//===- ReadWarpOperands.cpp - Shared operands of a warp's MMAs ------------===//
//
// The MMAs of a warp (PTX ISA, mma.sync) take operands from registers alone. Those that the
// program has in shared memory are read where they are multiplied, in parts along K, so that few
// of B's registers are alive at once:
//
//     acc += a b      ->      for each part of K: acc += read(a part) read(b part)
//
// wgmma negates A for an MMA that subtracts; here A is negated in registers.
//
//===----------------------------------------------------------------------===//
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/Tk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Passes.h"
#include "target/Target.h"

namespace tkc {
#define GEN_PASS_DEF_READWARPOPERANDS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

/// Registers of a thread for a part of B, at most.
static constexpr int64_t maxPartRegisters = 64;

/// Elements of K in a part of both operands: a multiple of 16 that divides K.
static int64_t getPartDepth(int64_t k, int64_t columns) {
  const int64_t unit = getTarget().getRowUnit(TileHolder::Warp);
  constexpr int64_t perRegister = 2, lanes = 32;
  int64_t depth = k;
  while (depth > unit && (depth * columns > maxPartRegisters * perRegister * lanes || k % depth))
    depth -= unit;
  return depth;
}

/// Part `number` of an operand along K, in registers with the layout that the MMA takes.
static Value createPart(OpBuilder &builder, Location loc, Value operand, bool isKAlongRows,
                        Layout layout, int64_t depth, int64_t number) {
  auto type = cast<TileType>(operand.getType());
  const int64_t rows = isKAlongRows ? depth : type.getRows(),
                cols = isKAlongRows ? type.getCols() : depth;
  if (type.isRegister()) {
    if (rows == type.getRows() && cols == type.getCols())
      return operand;
    auto part = TileType::get(builder.getContext(), rows, cols, type.getElementType(),
                              Space::Register, type.getLayout());
    const int64_t offset = number * depth;
    return builder.create<SliceOp>(
        loc, part, operand,
        ArrayRef<int64_t>{isKAlongRows ? offset : 0, isKAlongRows ? 0 : offset});
  }
  auto part = TileType::get(builder.getContext(), rows, cols, type.getElementType(),
                            Space::Register, Layout::Row);
  SmallVector<Value, 2> indices;
  if (rows != type.getRows() || cols != type.getCols())
    for (int64_t index : {isKAlongRows ? number : 0, isKAlongRows ? 0 : number})
      indices.push_back(builder.create<arith::ConstantIntOp>(loc, index, 32));
  Value read =
      builder.create<ReadOp>(getNamedLoc(getSourceName(operand), loc), part, operand, indices);
  return layout == Layout::Row ? read : builder.create<SwapLayoutOp>(loc, read).getResult();
}

/// A tile of the opposite sign.
static Value createNegated(OpBuilder &builder, Location loc, Value tile) {
  auto negate = [](OpBuilder &body, Location at, ValueRange elements) {
    Value wide = body.create<arith::ExtFOp>(at, body.getF32Type(), elements.front());
    Value negated = body.create<arith::NegFOp>(at, wide);
    Value rounded = body.create<arith::TruncFOp>(at, elements.front().getType(), negated);
    body.create<YieldOp>(at, rounded);
  };
  return builder.create<MapOp>(loc, tile.getType(), tile, /*coordinates=*/false, negate)
      .getResult(0);
}

static void readOperands(MmaOp mma) {
  auto a = cast<TileType>(mma.getA().getType()), b = cast<TileType>(mma.getB().getType());
  const int64_t k = mma.isBTransposed() ? b.getCols() : b.getRows(),
                columns = mma.isBTransposed() ? b.getRows() : b.getCols();
  const int64_t depth = a.isShared() || b.isShared() ? getPartDepth(k, columns) : k;
  OpBuilder builder(mma);
  const Location loc = getUnnamedLoc(mma.getLoc());
  Value acc = mma.getAcc();
  for (int64_t number = 0; number < k / depth; ++number) {
    Value partOfA = createPart(builder, loc, mma.getA(), mma.isATransposed(),
                               mma.isATransposed() ? Layout::Col : Layout::Row, depth, number);
    Value partOfB = createPart(builder, loc, mma.getB(), !mma.isBTransposed(),
                               mma.isBTransposed() ? Layout::Row : Layout::Col, depth, number);
    if (mma.getSubtracts())
      partOfA = createNegated(builder, loc, partOfA);
    acc = builder.create<MmaOp>(loc, mma.getType(), mma.getForm(), acc, partOfA, partOfB,
                                mma.getSums(), /*subtracts=*/false);
  }
  mma.replaceAllUsesWith(acc);
  mma.erase();
}

namespace {
struct ReadWarpOperands : tkc::impl::ReadWarpOperandsBase<ReadWarpOperands> {
  void runOnOperation() override {
    SmallVector<MmaOp> rewritten;
    getOperation()->walk([&](EachOp each) {
      if (each.getWorker() != EachWorker::Warp)
        return;
      each.walk([&](MmaOp mma) {
        auto isShared = [](Value operand) { return cast<TileType>(operand.getType()).isShared(); };
        if (isShared(mma.getA()) || isShared(mma.getB()) || mma.getSubtracts())
          rewritten.push_back(mma);
      });
    });
    for (MmaOp mma : rewritten)
      readOperands(mma);
  }
};
} // namespace
