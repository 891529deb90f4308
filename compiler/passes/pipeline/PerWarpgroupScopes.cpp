//===- PerWarpgroupScopes.cpp - Scalars that differ between warpgroups or warps ===//
//
// In `tk.each` every warpgroup or warp runs the body on tiles of its own. The one
// producer loads for all of them: a load whose place depends on the number of the
// worker becomes one load for each number, into a tile as many times as high. For
// that the producer computes the place anew with each number put in, so the way
// from the number to the place must be plain arithmetic. Where the places follow
// one another in the tensor, one copy brings all of them.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/pipeline/PipelineBuilder.h"

using namespace mlir;
using namespace tkc;

namespace {
/// Finds everything that depends on the number, round all loops.
class Dependence {
public:
  explicit Dependence(PipelinePlan &plan) : plan(plan) {}

  void run() {
    plan.workerDependent.insert(plan.each.getIndex());
    do {
      isChanged = false;
      plan.each.walk([&](Operation *op) { visit(op); });
    } while (isChanged);
  }

private:
  bool depends(Value value) const { return plan.workerDependent.contains(value); }

  void add(Value value) {
    if (!isTile(value.getType()))
      isChanged |= plan.workerDependent.insert(value).second;
  }

  void visit(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visit(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (auto [index, result] : llvm::enumerate(branch.getResults()))
        if (depends(branch.getCondition()) || depends(branch.thenYield().getOperand(index)) ||
            depends(branch.elseYield().getOperand(index)))
          add(result);
      return;
    }
    if (llvm::any_of(op->getOperands(), [&](Value operand) { return depends(operand); }))
      for (Value result : op->getResults())
        add(result);
  }

  void visit(scf::ForOp loop) {
    bool isCountDependent =
        depends(loop.getLowerBound()) || depends(loop.getUpperBound()) || depends(loop.getStep());
    if (isCountDependent)
      add(loop.getInductionVar());
    for (auto [init, argument, yielded, result] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(),
                   loop.getResults()))
      if (isCountDependent || depends(init) || depends(yielded)) {
        add(argument);
        add(result);
      }
  }

  PipelinePlan &plan;
  bool isChanged = false;
};
} // namespace

/// True if the value is computed from the number by plain arithmetic only.
static bool isComputable(PipelinePlan &plan, Value value) {
  if (!plan.workerDependent.contains(value) || value == plan.each.getIndex())
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isComputable(plan, operand); });
}

/// The loop or branch that decides for each worker apart whether `load` happens, or null.
static Operation *findWorkerControl(PipelinePlan &plan, tk::LoadOp load) {
  for (Operation *op = load->getParentOp(); op && op != plan.each; op = op->getParentOp()) {
    bool isApart = false;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      isApart = plan.workerDependent.contains(loop.getInductionVar());
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      isApart = plan.workerDependent.contains(branch.getCondition());
    if (isApart)
      return op;
  }
  return nullptr;
}

LogicalResult tkc::planWorkers(PipelinePlan &plan, ArrayRef<tk::LoadOp> loads) {
  if (!plan.each)
    return success();
  Dependence(plan).run();
  for (tk::LoadOp load : loads) {
    StringRef worker = tk::stringifyEachWorker(plan.each.getWorker());
    if (Operation *control = findWorkerControl(plan, load)) {
      InFlightDiagnostic diagnostic = load.emitError()
                                      << "whether this tile is loaded differs between " << worker
                                      << "s, but one producer loads for all of them";
      diagnostic.attachNote(control->getLoc()) << "this depends on the number of the " << worker
                                               << "; make it the same for all, and mask "
                                               << "what a " << worker << " does not need";
      return failure();
    }
    for (Value index : load.getIndices())
      if (!isComputable(plan, index))
        return load.emitError() << "the place of this tile depends on the number of the " << worker
                                << " through a loop or branch; compute it from the number directly";
  }
  return success();
}

std::optional<int64_t> PipelinePlan::getWorkerStride(Value value) {
  if (!workerDependent.contains(value))
    return 0;
  if (value == each.getIndex())
    return 1;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<int64_t> left = getWorkerStride(op->getOperand(0));
  std::optional<int64_t> right = getWorkerStride(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return *left + *right;
  if (isa<arith::SubIOp>(op))
    return *left - *right;
  APInt factor;
  if (isa<arith::MulIOp>(op) && matchPattern(op->getOperand(1), m_ConstantInt(&factor)))
    return *left * factor.getSExtValue();
  return std::nullopt;
}

Value RoleBuilder::computeForWorker(Value value, int64_t worker) {
  if (!plan.workerDependent.contains(value))
    return values.lookup(value);
  if (value == plan.each.getIndex())
    return getConstant(plan.each.getLoc(), worker);
  Operation *op = value.getDefiningOp();
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, computeForWorker(operand, worker));
  Operation *clone = builder.clone(*op, operands);
  SmallVector<Value> folded;
  if (failed(builder.tryFold(clone, folded)) || folded.empty())
    return clone->getResult(cast<OpResult>(value).getResultNumber());
  Value result = folded[cast<OpResult>(value).getResultNumber()];
  clone->erase();
  return result;
}
