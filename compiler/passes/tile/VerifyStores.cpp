//===- VerifyStores.cpp - Refuses what depends on the order of stores -----===//
//
// Statements of a program run one after another, but loads run ahead of them,
// and a store by TMA is over at some time. So one point of the grid cannot load
// what it has stored, nor store twice to one place. Both are refused, unless the
// places are known to differ: by a constant, or, from one step of a loop to
// the next, by an index that goes with the loop.
//
// Claims about places are claims about their indices in the tensor, dimension by
// dimension; indices are values, and equal ones have been merged before.
//
//===----------------------------------------------------------------------===//
#include "analysis/ExtentEquality.h"
#include "dialect/tk/PagedLoad.h"
#include "dialect/tk/Tk.h"
#include "dialect/tk/TkElementOp.h"
#include "dialect/tk/TkPartOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "passes/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tkc {
#define GEN_PASS_DEF_VERIFYSTORES
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

namespace {
/// A load, gather, store or scatter.
struct Access {
  Operation *op;
  Value tensor; ///< or a part of one
  OperandRange indices;
  Type moved;

  bool isStore() const { return isa<StoreOp, ScatterOp>(op); }
  bool isTile() const { return isa<TileType>(moved); }
  /// True if an index vector, or several pages, say where, which no index of the place tells.
  bool isIndexed() const {
    auto load = dyn_cast<LoadOp>(op);
    return isa<GatherOp, ScatterOp>(op) || (load && countPages(load) > 1);
  }
  bool adds() const {
    auto store = dyn_cast<StoreOp>(op);
    return store && store.getAccumulate();
  }

  /// Elements from one index of this dimension to the next; 0 if the index does not say which.
  int64_t getStep(unsigned dim) const {
    return isIndexed() ? 0 : getAccessStep(moved, int64_t(indices.size()) - dim);
  }
};
} // namespace

/// An index as something plus a constant.
static std::pair<Value, int64_t> split(Value index) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return {Value(), constant.getSExtValue()};
  auto sum = index.getDefiningOp<arith::AddIOp>();
  for (unsigned i : {0, 1})
    if (sum && matchPattern(sum->getOperand(i), m_ConstantInt(&constant)))
      return {sum->getOperand(1 - i), constant.getSExtValue()};
  return {index, 0};
}

/// True if `value` changes in every step of a loop, or of a scope, whose counter is `counter`, to
/// one that it has had in no other: as far as sums, MMAs and numbers from tensors can tell, and
/// max(0, ...), which users must write.
static bool goesWith(Value value, Value counter) {
  if (value == counter)
    return true;
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MaxSIOp, ElementOp>(
             op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return operand.getType().isInteger(32) && goesWith(operand, counter);
         });
}

/// True if `value` may change from one step to another.
static bool dependsOn(Value value, Value counter) {
  SetVector<Value> used;
  used.insert(value);
  for (size_t i = 0; i < used.size(); ++i) {
    // Values that a loop carries, and its results, may be anything.
    auto argument = dyn_cast<BlockArgument>(used[i]);
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    if (used[i] == counter || (loop && argument != loop.getInductionVar()))
      return true;
    if (Operation *op = used[i].getDefiningOp()) {
      if (op->getNumRegions())
        return true;
      used.insert(op->operand_begin(), op->operand_end());
    }
  }
  return false;
}

/// The counters of the loops and scopes in a point of the grid around both operations, but for
/// those that have one step only.
static SmallVector<Value> getCommonCounters(Operation *a, Operation *b) {
  SmallVector<Value> counters;
  for (Operation *parent = a->getParentOp(); parent && !isa<GridOp>(parent);
       parent = parent->getParentOp()) {
    if (!parent->isAncestor(b))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (constantTripCount(loop.getLowerBound(), loop.getUpperBound(), loop.getStep()) != 1)
        counters.push_back(loop.getInductionVar());
    } else if (auto each = dyn_cast<EachOp>(parent);
               each && each.getCount() > 1 && !each.getAlone()) {
      counters.push_back(each.getIndex());
    }
  }
  return counters;
}

/// True if only one of the two runs: they are in different branches.
static bool areExclusive(Operation *a, Operation *b) {
  for (auto branch = a->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>())
    if (branch->isAncestor(b))
      return branch.getThenRegion().isAncestor(a->getParentRegion()) !=
             branch.getThenRegion().isAncestor(b->getParentRegion());
  return false;
}

/// True if a branch around the op lets only some steps of the counter through.
static bool isChosenBy(Operation *op, Value counter) {
  for (auto branch = op->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>())
    if (dependsOn(branch.getCondition(), counter))
      return true;
  return false;
}

/// True if the two never meet in this dimension, in one step of all loops.
static bool differ(const Access &a, const Access &b, unsigned dim) {
  auto [first, number] = split(a.indices[dim]);
  auto [second, other] = split(b.indices[dim]);
  int64_t step = a.getStep(dim), otherStep = b.getStep(dim);
  if (first != second || !step || !otherStep)
    return false;
  return first
             ? step == otherStep && number != other
             : (number + 1) * step <= other * otherStep || (other + 1) * otherStep <= number * step;
}

/// True if the two never meet in this dimension, in different steps of a loop.
static bool differAcross(const Access &a, const Access &b, unsigned dim, Value counter) {
  if (a.indices[dim] == b.indices[dim] && a.getStep(dim) && a.getStep(dim) == b.getStep(dim))
    return goesWith(a.indices[dim], counter);
  return differ(a, b, dim) && !dependsOn(a.indices[dim], counter);
}

template <typename Predicate> static bool inAnyDimension(const Access &a, Predicate predicate) {
  return llvm::any_of(llvm::seq<unsigned>(0, a.indices.size()), predicate);
}

/// True if both are at one place for sure, in one step.
static bool areOnePlace(const Access &a, const Access &b) {
  return a.tensor == b.tensor && llvm::equal(a.indices, b.indices) && a.moved == b.moved;
}

/// True if the load may have to bring elements that the store has written.
static bool mayFollow(const Access &load, const Access &store, bool isBehind) {
  bool areComparable = load.tensor == store.tensor;
  if (isBehind && !areExclusive(load.op, store.op) &&
      !(areComparable &&
        inAnyDimension(load, [&](unsigned dim) { return differ(load, store, dim); })))
    return true;
  return llvm::any_of(getCommonCounters(load.op, store.op), [&](Value counter) {
    return !(areComparable && inAnyDimension(load, [&](unsigned dim) {
               return differAcross(load, store, dim, counter);
             }));
  });
}

/// True if a store surely writes where another one, or itself in another step, has written.
static bool replaces(const Access &later, const Access &earlier) {
  if (!later.isTile() || !earlier.isTile() || later.isIndexed() || earlier.isIndexed() ||
      (later.adds() && earlier.adds()) || !areOnePlace(later, earlier))
    return false;
  if (later.op != earlier.op)
    return !areExclusive(later.op, earlier.op);
  return llvm::any_of(getCommonCounters(later.op, later.op), [&](Value counter) {
    return !isChosenBy(later.op, counter) &&
           llvm::none_of(later.indices, [&](Value index) { return dependsOn(index, counter); });
  });
}

static std::string getTensorName(const Access &access) {
  auto argument = cast<BlockArgument>(getWholeTensor(access.tensor));
  auto kernel = cast<KernelOp>(argument.getOwner()->getParentOp());
  return "'" + kernel.getArgumentName(argument.getArgNumber()).str() + "'";
}

/// The loads and stores of each tensor, in program order.
static llvm::MapVector<Value, SmallVector<Access>> listAccesses(KernelOp kernel) {
  llvm::MapVector<Value, SmallVector<Access>> accesses;
  auto add = [&](Operation *op, Value tensor, OperandRange indices, Type moved) {
    accesses[getWholeTensor(tensor)].push_back({op, tensor, indices, moved});
  };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      add(op, load.getSource(), getPlaceOfPage(load, 0), load.getResult().getType());
    else if (auto gather = dyn_cast<GatherOp>(op))
      add(op, gather.getSource(), gather.getIndices(), gather.getResult().getType());
    else if (auto store = dyn_cast<StoreOp>(op))
      add(op, store.getDest(), store.getIndices(), store.getValue().getType());
    else if (auto scatter = dyn_cast<ScatterOp>(op))
      add(op, scatter.getDest(), scatter.getIndices(), scatter.getValue().getType());
  });
  return accesses;
}

static LogicalResult verify(ArrayRef<Access> accesses) {
  for (auto [number, later] : llvm::enumerate(accesses))
    for (auto [other, store] : llvm::enumerate(accesses)) {
      if (!store.isStore())
        continue;
      if (!later.isStore() && mayFollow(later, store, /*isBehind=*/other < number)) {
        InFlightDiagnostic diagnostic =
            later.op->emitError()
            << getTensorName(later)
            << " is loaded where this point of the grid may have stored, and loads run ahead of "
               "stores; keep what was stored in a variable, or load it in another kernel";
        diagnostic.attachNote(store.op->getLoc()) << "the store is here";
        return failure();
      }
      if (later.isStore() && other <= number && replaces(later, store)) {
        InFlightDiagnostic diagnostic =
            later.op->emitError()
            << "this stores to one place of " << getTensorName(later)
            << " again, and stores may overtake each other; store once, after the last change";
        if (later.op != store.op)
          diagnostic.attachNote(store.op->getLoc()) << "the store before it is here";
        return failure();
      }
    }
  return success();
}

namespace {
struct VerifyStores : tkc::impl::VerifyStoresBase<VerifyStores> {
  void runOnOperation() override {
    getOperation().walk([&](KernelOp kernel) {
      for (auto &[tensor, accesses] : listAccesses(kernel))
        if (failed(verify(accesses)))
          signalPassFailure();
    });
  }
};
} // namespace
