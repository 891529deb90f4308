//===- DelayReductions.cpp - Sums of sums stay with their threads ---------===//
//
// The sum of a row takes two shuffles after each thread has added up its own
// quarter. Where a loop only adds such sums up, and scales them by what all
// threads of a row agree on, the four parts can be carried separately and put
// together once, after the loop: sums are linear.
//
// Seen as a graph: the values that hold parts instead of sums are all that a sum
// flows into (through linear maps, loops and branches) and all that flows into
// the same places. If each of them is a sum, linear in parts, or zero, the
// shuffles move to where the graph is left.
//
//===----------------------------------------------------------------------===//
#include "dialect/hopper/Hopper.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace tkc {
#define GEN_PASS_DEF_DELAYREDUCTIONS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Linear maps
//===----------------------------------------------------------------------===//

namespace {
enum class Linearity { Free, Linear, Other };
} // namespace

/// True for zero times something. It is zero or NaN, as four times that is, so each part may add
/// it.
static bool isZeroMma(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && llvm::any_of(product->getOperands(), [](Value factor) {
           return matchPattern(factor, m_AnyZeroFloat());
         });
}

/// How a scalar of a map's body depends on the elements of parts.
static Linearity getLinearity(Value value, MapOp map, const SetVector<Value> &parts) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    bool isPart = llvm::is_contained(map.getElements(), argument) &&
                  parts.contains(map.getInputs()[argument.getArgNumber()]);
    return isPart ? Linearity::Linear : Linearity::Free;
  }
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != &map.getBody().front())
    return Linearity::Free;
  if (isZeroMma(value))
    return Linearity::Linear;
  SmallVector<Linearity> operands;
  for (Value operand : op->getOperands())
    operands.push_back(getLinearity(operand, map, parts));
  auto is = [](Linearity wanted) { return [wanted](Linearity known) { return known == wanted; }; };
  if (llvm::all_of(operands, is(Linearity::Free)))
    return Linearity::Free;
  if (isa<arith::MulFOp>(op) && llvm::count(operands, Linearity::Free) == 1 &&
      llvm::count(operands, Linearity::Linear) == 1)
    return Linearity::Linear;
  if (isa<arith::AddFOp, arith::SubFOp, arith::NegFOp>(op) &&
      llvm::all_of(operands, is(Linearity::Linear)))
    return Linearity::Linear;
  return Linearity::Other;
}

/// The map's only result, if it is linear in those of its operands that are parts.
static bool isLinear(MapOp map, const SetVector<Value> &parts) {
  return map.getNumResults() == 1 &&
         getLinearity(map.getBody().front().getTerminator()->getOperand(0), map, parts) ==
             Linearity::Linear;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

namespace {
struct Parts {
  SetVector<Value> values;
  SmallVector<ReduceRowsOp> sums;
  SmallVector<OpOperand *> leaving; ///< uses that need the whole sum
};
} // namespace

/// The values that share the place of `value` in loops and branches, before or after it.
static SmallVector<Value> getCarried(Value value) {
  SmallVector<Value> carried;
  auto addLoop = [&](scf::ForOp loop, unsigned index) {
    carried.append({loop.getInitArgs()[index], loop.getRegionIterArg(index),
                    loop.getYieldedValues()[index], loop.getResult(index)});
  };
  auto addBranch = [&](scf::IfOp branch, unsigned index) {
    carried.append({branch.thenYield().getOperand(index), branch.elseYield().getOperand(index),
                    branch.getResult(index)});
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
      addLoop(loop, argument.getArgNumber() - 1);
  } else if (auto loop = value.getDefiningOp<scf::ForOp>()) {
    addLoop(loop, cast<OpResult>(value).getResultNumber());
  } else if (auto branch = value.getDefiningOp<scf::IfOp>()) {
    addBranch(branch, cast<OpResult>(value).getResultNumber());
  }
  for (OpOperand &use : value.getUses()) {
    if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()))
      addLoop(loop, use.getOperandNumber() - loop.getNumControlOperands());
    if (!isa<scf::YieldOp>(use.getOwner()))
      continue;
    Operation *parent = use.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      addLoop(loop, use.getOperandNumber());
    else if (auto branch = dyn_cast<scf::IfOp>(parent))
      addBranch(branch, use.getOperandNumber());
  }
  return carried;
}

/// A map that adds or scales may be part of the graph; whether it is linear is seen once all of the
/// graph is known.
static bool mayBeLinear(Operation *user, Value part) {
  auto map = dyn_cast<MapOp>(user);
  if (!map || map.getNumResults() != 1 || map.getResult(0).getType() != part.getType())
    return false;
  return llvm::all_of(map.getBody().front().without_terminator(), [](Operation &op) {
    return isa<arith::MulFOp, arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::ConstantOp>(op);
  });
}

static bool isZero(Value value) {
  auto fill = value.getDefiningOp<FillOp>();
  return fill && matchPattern(fill.getValue(), m_AnyZeroFloat());
}

/// The operands of a map that are factors of `value`, a term of its sum.
static void collectFactors(Value value, MapOp map, SmallVector<Value> &factors) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (llvm::is_contained(map.getElements(), argument))
      factors.push_back(map.getInputs()[argument.getArgNumber()]);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (op->getBlock() == &map.getBody().front())
    for (Value operand : op->getOperands())
      collectFactors(operand, map, factors);
}

/// How likely an operand is the one of an MMA that holds parts.
static int rankPart(Value value, const Parts &parts) {
  if (parts.values.contains(value))
    return 0;
  if (auto reduce = value.getDefiningOp<ReduceRowsOp>();
      reduce && reduce.getCombine() == tk::Combine::Add)
    return 1;
  return isa<BlockArgument>(value) || isZero(value) ? 2 : 3;
}

/// In a sum of MMAs that holds parts, each MMA has one factor that does.
static void collectTerms(Value value, MapOp map, const Parts &parts, SmallVector<Value> &terms) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::NegFOp>(op)) {
    for (Value operand : op->getOperands())
      collectTerms(operand, map, parts, terms);
    return;
  }
  if (isZeroMma(value))
    return;
  SmallVector<Value> factors;
  collectFactors(value, map, factors);
  if (!factors.empty())
    terms.push_back(*llvm::min_element(
        factors, [&](Value a, Value b) { return rankPart(a, parts) < rankPart(b, parts); }));
}

static void collect(Value root, Parts &parts) {
  SmallVector<Value> worklist = {root};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    // A zero is as good in parts as whole, and may start other things.
    if (!parts.values.insert(value) || isZero(value))
      continue;
    llvm::append_range(worklist, getCarried(value));
    if (auto sum = value.getDefiningOp<ReduceRowsOp>()) {
      parts.sums.push_back(sum);
      if (sum.getInit())
        worklist.push_back(sum.getInit());
    }
    if (auto map = value.getDefiningOp<MapOp>())
      collectTerms(map.getBody().front().getTerminator()->getOperand(0), map, parts, worklist);
    for (OpOperand &use : value.getUses())
      if (mayBeLinear(use.getOwner(), value))
        worklist.push_back(use.getOwner()->getResult(0));
  }
}

/// True if every value of the graph can hold parts.
static bool isSound(const Parts &parts) {
  return llvm::all_of(parts.values, [&](Value value) {
    if (isa<BlockArgument>(value) || isZero(value) ||
        isa<scf::ForOp, scf::IfOp>(value.getDefiningOp()))
      return true;
    if (auto sum = value.getDefiningOp<ReduceRowsOp>())
      return sum.getCombine() == tk::Combine::Add && !sum.getPartial();
    auto map = value.getDefiningOp<MapOp>();
    return map && isLinear(map, parts.values);
  });
}

/// The uses that are not part of the graph.
static void findLeaving(Parts &parts) {
  for (Value value : parts.values) {
    if (isZero(value))
      continue;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      bool stays = isa<scf::ForOp, scf::YieldOp>(user) ||
                   (isa<MapOp>(user) && parts.values.contains(user->getResult(0))) ||
                   (isa<ReduceRowsOp>(user) && parts.values.contains(user->getResult(0)));
      if (!stays)
        parts.leaving.push_back(&use);
    }
  }
}

/// True if a sum is computed in a loop that no whole sum is needed in.
static bool isWorthIt(const Parts &parts) {
  return llvm::any_of(parts.sums, [&](ReduceRowsOp sum) {
    auto loop = sum->getParentOfType<scf::ForOp>();
    return loop && llvm::none_of(parts.leaving,
                                 [&](OpOperand *use) { return loop->isAncestor(use->getOwner()); });
  });
}

static void delay(const Parts &parts) {
  for (ReduceRowsOp sum : parts.sums)
    sum.setPartial(true);
  llvm::DenseMap<Value, Value> finished;
  for (OpOperand *use : parts.leaving) {
    Value part = use->get();
    Value &whole = finished[part];
    if (!whole) {
      OpBuilder builder(part.getContext());
      builder.setInsertionPointAfterValue(part);
      whole = builder.create<FinishRowsOp>(part.getLoc(), part.getType(), tk::Combine::Add, part);
    }
    use->set(whole);
  }
}

namespace {
struct DelayReductions : tkc::impl::DelayReductionsBase<DelayReductions> {
  void runOnOperation() override {
    SmallVector<ReduceRowsOp> sums;
    getOperation().walk([&](ReduceRowsOp sum) {
      if (sum.getCombine() == tk::Combine::Add && !sum.getPartial() &&
          sum->getParentOfType<scf::ForOp>())
        sums.push_back(sum);
    });
    for (ReduceRowsOp sum : sums) {
      Parts parts;
      if (sum.getPartial())
        continue;
      collect(sum.getResult(), parts);
      if (!isSound(parts))
        continue;
      findLeaving(parts);
      if (isWorthIt(parts))
        delay(parts);
    }
  }
};
} // namespace
