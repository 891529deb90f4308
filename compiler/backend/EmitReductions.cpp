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

static StringRef reductionName(tk::Combine combine) {
  switch (combine) {
  case tk::Combine::Add:
    return "sum";
  case tk::Combine::Mul:
    return "product";
  case tk::Combine::Max:
    return "max";
  case tk::Combine::Min:
    return "min";
  }
  return "sum";
}

/// The call of a reduction that needs no shared memory.
static std::string callText(KernelEmitter &e, Operation *op) {
  if (auto reduce = dyn_cast<ReduceRowsOp>(op)) {
    std::string function = reduce.getPartial() ? "partial_row_" : "row_";
    return function + reductionName(reduce.getCombine()).str() + "(" +
           llvm::join(e.texts(reduce->getOperands()), ", ") + ")";
  }
  auto finish = cast<FinishRowsOp>(op);
  return "finish_row_" + reductionName(finish.getCombine()).str() + "(" +
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

/// The arguments that say how the warps of `warpgroups` warpgroups exchange what they have.
static SmallVector<std::string> exchange(KernelEmitter &e, Value scratch, int64_t barrier,
                                         int64_t warpgroups) {
  return {tileText(e, scratch) + ".address", barrierText(e, barrier, warpgroups),
          warpgroups == 1 ? "0" : e.consumer};
}

static constexpr StringLiteral theyMeet = "all warps that hold the tile meet";

void backend::emit(KernelEmitter &e, ReduceColumnsOp op) {
  SmallVector<std::string> items = {e.text(op.getSource())};
  std::string function = "col_" + reductionName(op.getCombine()).str();
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

void backend::emit(KernelEmitter &e, TransposeOp op) {
  SmallVector<std::string> items = {e.text(op.getSource())};
  if (!op.getScratch() || e.inWarps()) {
    if (!e.inWarps())
      e.values.error(op,
                     "needs shared memory, as the warps that share the tile hold different rows");
    return e.out.list(assign(e, op->getResult(0)) + "transpose(", items, ");");
  }
  llvm::append_range(items, exchange(e, op.getScratch(), op.getBarrierId(), op.getWarpgroups()));
  e.out.list(assign(e, op->getResult(0)) + "transpose<" + Twine(op.getWarpgroups()) + ">(", items,
             ");", theyMeet);
}

void backend::emit(KernelEmitter &e, ScanOp op) {
  std::string function =
      (op.getTotal() ? "total_" : "scan_") + reductionName(op.getCombine()).str();
  SmallVector<std::string> items = {e.text(op.getSource())};
  tk::Orientation orientation = cast<FragmentVectorType>(op.getSource().getType()).getOrientation();
  bool staysInWarps =
      e.inWarps() || orientation == tk::Orientation::Row || orientation == tk::Orientation::Lanes;
  if (staysInWarps)
    return e.out.list(assign(e, op->getResult(0)) + function + "(", items, ");");
  if (!op.getScratch())
    return e.values.error(op, "needs shared memory, as the warps hold different values");
  llvm::append_range(items, exchange(e, op.getScratch(), op.getBarrierId(), op.getWarpgroups()));
  e.out.list(assign(e, op->getResult(0)) + function + "<" + Twine(op.getWarpgroups()) + ">(", items,
             ");", theyMeet);
}
