//===- Pipeline.h - The passes of tkc, in order ---------------------------===//
#ifndef TKC_DRIVER_PIPELINE_H
#define TKC_DRIVER_PIPELINE_H

#include <set>
#include <string>

namespace mlir {
class OpPassManager;
}

namespace tkc {

struct PipelineOptions {
  std::set<std::string>
      silencedWarnings; ///< of passes/finish/PerformanceWarnings.def, without tk-perf-
};

/// Adds every pass from the frontend's `tk` module to a `hopper` module that the backend can print.
void buildPipeline(mlir::OpPassManager &passes, const PipelineOptions &options = {});

} // namespace tkc

#endif // TKC_DRIVER_PIPELINE_H
