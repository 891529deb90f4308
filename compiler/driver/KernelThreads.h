//===- KernelThreads.h - Threads for a module's kernels -------------------===//
#ifndef TKC_DRIVER_KERNELTHREADS_H
#define TKC_DRIVER_KERNELTHREADS_H

#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/thread.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

namespace mlir {
class MLIRContext;
}

namespace tkc {
class ResourceLimits;

/// While it lives, passes work on as many kernels of `context` at once as there are kernels and
/// processors. LLVM's own pool has small stacks, and a crash in it ends the process: here, threads
/// have the stack that the frontend's has, and after a crash whoever waits leaves its
/// llvm::CrashRecoveryContext.
class KernelThreads : public llvm::ThreadPoolInterface {
public:
  KernelThreads(mlir::MLIRContext &context, ResourceLimits &limits, unsigned kernels);
  ~KernelThreads() override;

  void wait() override;
  void wait(llvm::ThreadPoolTaskGroup &) override { wait(); } // there is one group at a time
  unsigned getMaxConcurrency() const override { return most; }

private:
  void asyncEnqueue(std::function<void()> task, llvm::ThreadPoolTaskGroup *) override;
  void work();
  void stop();

  mlir::MLIRContext &context;
  ResourceLimits &limits;
  unsigned most;
  std::vector<llvm::thread> threads;

  std::mutex mutex; // of all below
  std::condition_variable queued, finished;
  std::deque<std::function<void()>> tasks;
  unsigned unfinished = 0; // tasks, with those that run
  int crash = 0;           // the code of a recovery context that was left
  bool isStopping = false;
};

} // namespace tkc

#endif // TKC_DRIVER_KERNELTHREADS_H
