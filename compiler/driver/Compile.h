//===- Compile.h - One source file to the requested output ----------------===//
#ifndef TKC_DRIVER_COMPILE_H
#define TKC_DRIVER_COMPILE_H

#include "backend/EmitCuda.h"
#include "driver/Options.h"
#include "driver/OutputFiles.h"
#include "explorer/Explorer.h"

namespace tkc {

/// Compiles as the options say. Returns the exit status: 0, or 1 after an error, which has then
/// been printed; nothing is written unless all of it could be made.
int compile(const Options &options);

/// Takes the module as the frontend made it, and how its text is to be called.
using ConsumeEmittable =
    llvm::function_ref<mlir::LogicalResult(mlir::ModuleOp, const EmitOptions &)>;

/// Reads the source within the limits of time and memory; `inputs` are the files that were read.
/// `consume` may run the passes and emit text; its diagnostics are printed like the
/// frontend's. False after an error that was printed.
bool compileModule(const Options &options, InputFiles &inputs, ConsumeEmittable consume);

/// From the frontend's module to the one that the backend prints. `texts` takes the IR after each
/// pass.
mlir::LogicalResult runPasses(mlir::ModuleOp module, const Options &options,
                              std::vector<PassText> *texts = nullptr);

} // namespace tkc

#endif // TKC_DRIVER_COMPILE_H
