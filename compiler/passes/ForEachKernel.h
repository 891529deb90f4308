//===- ForEachKernel.h - A pass on the kernels of a module, in parallel ---===//
//
// Kernels know nothing of each other. MLIR would run passes that are of a kernel
// beside each other, too, but leaves out the kernels after one that fails, and which
// those are depends on the machine; and what passes say would come by kernel and
// not by pass.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_PASSES_FOREACHKERNEL_H
#define TKC_PASSES_FOREACHKERNEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Threading.h"
#include <atomic>

namespace tkc {

/// Runs `work` on all kernels, also after one for which it fails, on the context's threads if it
/// has any. Diagnostics come in the order of the kernels.
template <typename KernelOp, typename Work> auto forEachKernel(mlir::ModuleOp module, Work work) {
  constexpr bool mayFail = !std::is_void_v<std::invoke_result_t<Work, KernelOp>>;
  std::atomic<bool> hasFailed = false;
  auto run = [&](KernelOp kernel) {
    if constexpr (!mayFail)
      work(kernel);
    else if (failed(work(kernel)))
      hasFailed = true;
  };
  mlir::parallelForEach(module.getContext(), llvm::to_vector(module.getOps<KernelOp>()), run);
  if constexpr (mayFail)
    return mlir::LogicalResult(mlir::failure(hasFailed));
}

} // namespace tkc

#endif // TKC_PASSES_FOREACHKERNEL_H
