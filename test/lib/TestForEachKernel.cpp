//===- TestForEachKernel.cpp - A pass that says whom it runs beside -------===//
#include "dialect/hopper/Hopper.h"
#include "mlir/Pass/Pass.h"
#include "passes/ForEachKernel.h"

#include <chrono>
#include <thread>

using namespace mlir;
using namespace tkc;

namespace {
/// Each kernel is held until the others have begun, or 20 s. Fails for those without arguments.
struct TestForEachKernel : PassWrapper<TestForEachKernel, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestForEachKernel)
  StringRef getArgument() const final { return "test-for-each-kernel"; }

  void runOnOperation() override {
    const auto count = llvm::range_size(getOperation().getOps<hopper::KernelOp>());
    const unsigned expected =
        getContext().isMultithreadingEnabled() ? getContext().getNumThreads() : 1;
    std::atomic<unsigned> begun = 0;
    auto work = [&](hopper::KernelOp kernel) {
      ++begun;
      auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (begun < std::min<size_t>(count, expected) && std::chrono::steady_clock::now() < end)
        std::this_thread::yield();
      kernel.emitRemark() << (begun < std::min<size_t>(count, expected) ? "alone"
                                                                        : "beside others");
      return success(kernel.getNumArguments() > 0);
    };
    if (failed(forEachKernel<hopper::KernelOp>(getOperation(), work)))
      signalPassFailure();
  }
};
} // namespace

namespace tkc::test {
void registerTestForEachKernel() { PassRegistration<TestForEachKernel>(); }
} // namespace tkc::test
