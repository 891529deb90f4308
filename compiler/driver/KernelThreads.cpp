//===- KernelThreads.cpp - Threads for a module's kernels -----------------===//
#include "driver/KernelThreads.h"

#include "driver/ResourceLimits.h"
#include "frontend/Limits.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Threading.h"

using namespace tkc;

KernelThreads::KernelThreads(mlir::MLIRContext &context, ResourceLimits &limits, unsigned kernels)
    : context(context), limits(limits),
      most(std::min(kernels, llvm::hardware_concurrency().compute_thread_count())) {
  context.setThreadPool(*this);
}

KernelThreads::~KernelThreads() {
  context.disableMultithreading();
  stop();
}

void KernelThreads::asyncEnqueue(std::function<void()> task, llvm::ThreadPoolTaskGroup *) {
  std::lock_guard lock(mutex);
  tasks.push_back(std::move(task));
  if (++unfinished > threads.size() && threads.size() < most) {
    limits.addStack(parserStackBytes);
    std::optional<unsigned> size = parserStackBytes;
    threads.emplace_back(size, [this] { work(); });
  }
  queued.notify_one();
}

void KernelThreads::work() {
  std::unique_lock lock(mutex);
  while (true) {
    queued.wait(lock, [&] { return isStopping || !tasks.empty(); });
    if (isStopping)
      return;
    std::function<void()> task = std::move(tasks.front());
    tasks.pop_front();
    lock.unlock();
    llvm::CrashRecoveryContext recovery;
    bool isWhole = recovery.RunSafely(task);
    lock.lock();
    if (!isWhole)
      crash = recovery.RetCode;
    if (--unfinished == 0)
      finished.notify_one();
  }
}

void KernelThreads::wait() {
  std::unique_lock lock(mutex);
  finished.wait(lock, [&] { return unfinished == 0; });
  if (!crash)
    return;
  lock.unlock();
  stop();
  llvm::CrashRecoveryContext::GetCurrent()->HandleExit(crash);
}

void KernelThreads::stop() {
  {
    std::lock_guard lock(mutex);
    isStopping = true;
  }
  queued.notify_all();
  for (llvm::thread &thread : threads) {
    thread.join();
    limits.removeStack(parserStackBytes);
  }
  threads.clear();
}
