//===- Processes.h - Work in processes of its own -------------------------===//
#ifndef TKC_RUN_PROCESSES_H
#define TKC_RUN_PROCESSES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tkc::run {

/// The result of a process.
struct ProcessResult {
  std::string output; // what `work` wrote
  std::string errors; // its stderr
  std::string death;  // how it ended early: "signal 11 (Segmentation fault)"; empty if it did not
};

/// Where `work` writes; it reaches the parent even if the process dies right after.
using Write = llvm::function_ref<void(llvm::StringRef)>;

/// Does `work(i)` for all i below `count`, each in a child of this process, at most `jobs` at a
/// time and started in order. `finish(i, result)` is called here as they end; once it returns false
/// no more are started, but those that run are still finished. `tick` is called a few times a
/// second. False if the user interrupted it; the children are then gone too.
bool runInProcesses(unsigned count, unsigned jobs, llvm::function_ref<void(unsigned, Write)> work,
                    llvm::function_ref<bool(unsigned, ProcessResult)> finish,
                    llvm::function_ref<void()> tick);

/// From now on an interrupt (control-C) does not end this process, but runInProcesses and whoever
/// asks wasInterrupted.
void catchInterrupts();
bool wasInterrupted();

} // namespace tkc::run

#endif // TKC_RUN_PROCESSES_H
