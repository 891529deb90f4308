//===- PtxasCheck.h - The report of --ptxas -------------------------------===//
#ifndef TKC_DRIVER_PTXASCHECK_H
#define TKC_DRIVER_PTXASCHECK_H

#include "backend/EmitCuda.h"
#include "driver/Options.h"
#include "report/Report.h"

namespace tkc {

/// Adds to the reports what ptxas does with their kernels. Each kernel that it spills, or whose
/// wgmma it serialises, is an error at the line where most registers are needed.
mlir::LogicalResult checkWithPtxas(mlir::ModuleOp module, const Options &options,
                                   const EmitOptions &emit, std::vector<KernelReport> &reports);

} // namespace tkc

#endif // TKC_DRIVER_PTXASCHECK_H
