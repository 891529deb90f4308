//===- EmitProfiled.h - Kernels that record, and their runs ---------------===//
#ifndef TKC_DRIVER_EMITPROFILED_H
#define TKC_DRIVER_EMITPROFILED_H

#include "backend/EmitCuda.h"
#include "driver/Trace.h"

namespace tkc {

/// Marks the kernels of a module that has been through all passes as profiled, or as not.
void setProfiled(mlir::ModuleOp module, bool isProfiled);

/// The CUDA of a module of profiled kernels, and the table of their records' meaning. Both carry
/// a hash of the text, which does not depend on the files' names.
mlir::LogicalResult emitProfiled(mlir::ModuleOp module, EmitOptions emit, std::string &cuda,
                                 std::string &table);

/// Reads a run in `path` of what --profile, of either kind, would emit from the module. The error
/// names the file and says why it cannot be used; a buffer that was too small is none.
llvm::Expected<TracedRun> readRunOf(mlir::ModuleOp module, const EmitOptions &emit,
                                    llvm::StringRef path);

} // namespace tkc

#endif // TKC_DRIVER_EMITPROFILED_H
