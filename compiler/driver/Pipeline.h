//===- Pipeline.h - The passes of tkc, in order ---------------------------===//
#ifndef TKC_DRIVER_PIPELINE_H
#define TKC_DRIVER_PIPELINE_H

namespace mlir {
class OpPassManager;
}

namespace tkc {

/// Adds every pass from the frontend's `tk` module to a `hopper` module that the backend can print.
void buildPipeline(mlir::OpPassManager &passes);

} // namespace tkc

#endif // TKC_DRIVER_PIPELINE_H
