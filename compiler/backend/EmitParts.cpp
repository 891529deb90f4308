//===- EmitParts.cpp - Parts of tiles and vectors as CUDA -----------------===//
//
// A part is a copy of some of its tile's registers: nothing moves between threads. An op for which
// the runtime has a function is a call of it.
//
//     left = s.columns<64>(0);
//     s = concat_columns(left, right);
//
//===----------------------------------------------------------------------===//
#include "backend/KernelEmitter.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

void backend::emit(KernelEmitter &e, SliceOp op) {
  auto source = cast<tk::ElementsInterface>(op.getSource().getType());
  auto result = cast<tk::ElementsInterface>(op.getResult().getType());
  std::string text = e.text(op.getSource());
  auto part = [&](StringRef member, int64_t count, int64_t first) {
    text += ("." + member + "<" + Twine(count) + ">(" + Twine(first) + ")").str();
  };
  if (source.isVector()) {
    bool isColumn = source.getCols() == 0;
    part("part", isColumn ? e.rowsOf(result.getRows()) : result.getCols(),
         isColumn ? e.rowsOf(op.getRow()) : op.getColumn());
  } else if (result.isVector()) {
    text = "column<" + std::to_string(op.getColumn()) + ">(" + text + ")";
  } else {
    if (result.getRows() != source.getRows())
      part("rows", e.rowsOf(result.getRows()), e.rowsOf(op.getRow()));
    if (result.getCols() != source.getCols())
      part("columns", result.getCols(), op.getColumn());
  }
  e.out.line(assign(e, op->getResult(0)) + text + ";");
}

void backend::emit(KernelEmitter &e, RuntimeCall call) {
  if (auto exchange = dyn_cast<Exchange>(call.getOperation()))
    return emitExchange(e, call, exchange);
  e.out.list(assign(e, call->getResult(0)) + call.getCallee() + "(", e.texts(call->getOperands()),
             ");");
}
