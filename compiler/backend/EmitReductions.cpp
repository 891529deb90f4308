//===- EmitReductions.cpp - Reductions, scans and transposes as CUDA ------===//
//
// Values that the threads of a warp hold are combined by shuffles, and the call has the values
// alone:
//
//     now = row_max(s, now);
//
// Where several warps hold parts of one result, they exchange these in shared memory, and the call
// also has the address of this scratch space and the named barrier at which the warps meet:
//
//     sums = col_sum<2>(s, scratch.address, 1);  // all warps that hold the tile meet
//
//===----------------------------------------------------------------------===//
#include "backend/KernelEmitter.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// In a warp
//===----------------------------------------------------------------------===//

/// The call of a reduction that needs no shared memory.
static std::string callText(KernelEmitter &e, Operation *op) {
  if (auto reduce = dyn_cast<ReduceRowsOp>(op)) {
    std::string function = reduce.getPartial() ? "partial_row_" : "row_";
    return function + getReductionName(reduce.getCombine()).str() + "(" +
           llvm::join(e.texts(reduce->getOperands()), ", ") + ")";
  }
  auto finish = cast<FinishRowsOp>(op);
  return "finish_row_" + getReductionName(finish.getCombine()).str() + "(" +
         e.text(finish.getSource()) + ")";
}

bool backend::emitInPlace(KernelEmitter &e, Operation *op) {
  if (!isa<ReduceRowsOp, FinishRowsOp>(op) || !op->getResult(0).hasOneUse() ||
      !getSourceName(op->getResult(0)).empty() || !e.variables->getName(op->getResult(0)).empty())
    return false;
  Operation *next = op->getNextNode();
  while (next && next != *op->getResult(0).user_begin() &&
         isa_and_nonnull<arith::ArithDialect>(next->getDialect()))
    next = next->getNextNode();
  if (next != *op->getResult(0).user_begin() || !isa<MapOp, ReduceRowsOp, FinishRowsOp>(next))
    return false;
  e.values.bind(op->getResult(0), callText(e, op));
  return true;
}

void backend::emit(KernelEmitter &e, ReduceRowsOp op) {
  std::string call = callText(e, op);
  e.out.line(assign(e, op->getResult(0)) + call + ";");
}

void backend::emit(KernelEmitter &e, FinishRowsOp op) {
  std::string call = callText(e, op);
  e.out.line(assign(e, op->getResult(0)) + call + ";");
}

void backend::emit(KernelEmitter &e, AnyLargeOp op) {
  e.out.line(e.define("bool", op.getResult(), "any") + "any_large(" + e.text(op.getSource()) +
             ");");
}

//===----------------------------------------------------------------------===//
// Across warps
//===----------------------------------------------------------------------===//

/// The named barrier at which the warpgroups that share a tile meet. Where each has its own, they
/// have as many barriers.
static std::string barrierText(KernelEmitter &e, int64_t barrier, int64_t warpgroups) {
  bool isOneOfSeveral = warpgroups == 1 && !e.consumer.empty();
  return e.facts.namedBarrier(barrier) + (isOneOfSeveral ? " + " + e.consumer : "");
}

static constexpr StringLiteral theyMeet = "all warps that hold the tile meet";

void backend::emit(KernelEmitter &e, ReduceColumnsOp op) {
  SmallVector<std::string> items = {e.text(op.getSource())};
  std::string function = "col_" + getReductionName(op.getCombine()).str();
  if (!e.inWarps()) {
    function += "<" + std::to_string(op.getWarpgroups()) + ">";
    items.push_back(tileText(e, op.getScratch()) + ".address");
    items.push_back(barrierText(e, op.getBarrierId(), op.getWarpgroups()));
  }
  if (op.getInit())
    items.push_back(e.text(op.getInit()));
  e.out.list(assign(e, op->getResult(0)) + function + "(", items, ");",
             e.inWarps() ? StringRef() : StringRef(theyMeet));
}

/// True for values whose rows are divided among the warps that share a tile.
static bool isDivided(Type type) {
  auto vector = dyn_cast<FragmentVectorType>(type);
  return isa<FragmentType>(type) || (vector && vector.getOrientation() == tk::Orientation::Column);
}

/// Of ops that are calls: "s_transposed = transpose<2>(s, scratch.address, 1, consumer);"
void backend::emitExchange(KernelEmitter &e, RuntimeCall call, Exchange exchange) {
  SmallVector<std::string> items;
  for (Value operand : call->getOperands())
    if (operand != exchange.getScratch())
      items.push_back(e.text(operand));
  std::string callee = assign(e, call->getResult(0)) + call.getCallee().str();
  bool needsOthers = !e.inWarps() && (llvm::any_of(call->getOperandTypes(), isDivided) ||
                                      llvm::any_of(call->getResultTypes(), isDivided));
  if (!needsOthers)
    return e.out.list(callee + "(", items, ");");
  if (!exchange.getScratch())
    return e.values.error(
        call, "needs shared memory, as the warps that share the tile hold different rows");
  int64_t warpgroups = exchange.getWarpgroups();
  items.push_back(tileText(e, exchange.getScratch()) + ".address");
  items.push_back(barrierText(e, exchange.getBarrierId(), warpgroups));
  items.push_back(warpgroups == 1 ? "0" : e.consumer);
  e.out.list(callee + "<" + Twine(warpgroups) + ">(", items, ");", theyMeet);
}
