//===- CheckProtocol.cpp - No hang, no race; the counterexample as notes --===//
//
// The passes before this one have put barriers and waits where they belong. This
// one believes none of them: it explores the finished kernel (analysis/protocol/Protocol.h)
// and turns what it finds into an error whose notes are the steps that lead there.
//
//===----------------------------------------------------------------------===//
#include "analysis/protocol/Protocol.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"

namespace tkc {
#define GEN_PASS_DEF_CHECKPROTOCOL
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;

namespace {
struct CheckProtocol : tkc::impl::CheckProtocolBase<CheckProtocol> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto check = [&](hopper::KernelOp kernel) -> LogicalResult {
      ProtocolStatistics statistics;
      std::optional<ProtocolViolation> violation = findProtocolViolation(kernel, &statistics);
      numRuns += statistics.runs;
      numSteps += statistics.steps;
      if (!violation)
        return success();
      InFlightDiagnostic diagnostic = violation->op->emitError(violation->message);
      for (const ProtocolNote &note : violation->notes)
        diagnostic.attachNote(note.op->getLoc()) << note.text;
      return diagnostic;
    };
    if (failed(forEachKernel<hopper::KernelOp>(getOperation(), check)))
      signalPassFailure();
  }
};
} // namespace
