//===- ElementwiseCycles.cpp - How long work on registers takes ------------===//
//
// By the rates of the pipes. Values of a map that depend on the row alone are
// computed once a row, and a negation is part of the instruction that reads it.
// Conversions to 16 bits and votes on 16-bit elements take two elements each.
//
//===----------------------------------------------------------------------===//
#include "analysis/cost/ElementwiseCycles.h"

#include "dialect/hopper/HopperElementOps.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/HopperTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "target/HopperModel.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

/// Elements that a warpgroup holds of a value, copies of a row's value included.
static double countElements(Type type) {
  if (auto fragment = dyn_cast<FragmentType>(type))
    return double(fragment.getRows() * fragment.getCols());
  if (auto vector = dyn_cast<FragmentVectorType>(type))
    return double(vector.getRegisters() * warpgroupThreads);
  return 0;
}

static double widest(TypeRange types) {
  double most = 0;
  for (Type type : types)
    most = std::max(most, countElements(type));
  return most;
}

/// Cycles of one scalar operation of a map for one element.
static double cyclesOf(Operation *op) {
  constexpr double function = 1.0 / specialFunctionsPerCycle;
  constexpr double arithmetic = 1.0 / warpgroupOperationsPerCycle;
  if (op->hasTrait<OpTrait::IsTerminator>() || op->hasTrait<OpTrait::ConstantLike>() ||
      isa<arith::NegFOp, math::AbsFOp>(op))
    return 0;
  if (isa<math::ExpOp, math::LogOp, arith::DivFOp, math::TanhOp>(op))
    return function + 2 * arithmetic; // the argument or the result is scaled
  if (isa<math::Exp2Op, math::Log2Op, math::SqrtOp, math::RsqrtOp, math::SinOp, math::CosOp>(op))
    return function;
  if (auto result = dyn_cast<FloatType>(op->getResult(0).getType());
      isa<arith::TruncFOp>(op) && result.getWidth() == 16)
    return arithmetic / 2;
  return arithmetic;
}

static double cyclesOf(MapOp map) {
  double elements = widest(map->getResultTypes()), cycles = 0;
  llvm::DenseMap<Value, double> computed; // how many elements a value has
  for (auto [element, input] : llvm::zip(map.getElements(), map.getInputs()))
    computed[element] = countElements(input.getType());
  for (BlockArgument coordinate : map.getCoordinates())
    computed[coordinate] = elements;
  for (Operation &op : map.getBody().front()) {
    double most = 0;
    for (Value operand : op.getOperands())
      most = std::max(most, computed.lookup(operand)); // scalars of the thread have none
    for (Value result : op.getResults())
      computed[result] = most;
    cycles += most * cyclesOf(&op);
  }
  return cycles;
}

double tkc::getElementwiseCycles(Operation *op) {
  auto arithmetic = [](Type type, double share = 1) {
    return share * countElements(type) / warpgroupOperationsPerCycle;
  };
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([](MapOp map) { return cyclesOf(map); })
      .Case<ReduceRowsOp, ReduceColumnsOp, ScanOp>(
          [&](auto reduce) { return arithmetic(reduce->getOperand(0).getType()); })
      .Case([&](AnyLargeOp vote) {
        return voteCycles + arithmetic(vote->getOperand(0).getType(), 0.5);
      })
      .Case([&](FillOp fill) { return arithmetic(fill->getResult(0).getType()); })
      .Default([](Operation *) { return 0.0; });
}
