//===- EmitBinary.h - Machine code of a module's kernels ------------------===//
#ifndef TKC_DRIVER_EMITBINARY_H
#define TKC_DRIVER_EMITBINARY_H

#include "run/Nvcc.h"

#include "mlir/IR/BuiltinOps.h"

namespace tkc {

/// Compiles the emitted `cuda` and `header` of a module with nvcc; `nvcc` names it or is empty.
/// `headerName` is the name by which the first includes the second. Complaints of ptxas, spills
/// and serialised wgmma, are warnings at the kernel. The failure has been reported.
mlir::FailureOr<run::NvccOutput> emitBinary(mlir::ModuleOp module, const std::string &nvcc,
                                            llvm::StringRef headerName, llvm::StringRef cuda,
                                            llvm::StringRef header);

} // namespace tkc

#endif // TKC_DRIVER_EMITBINARY_H
