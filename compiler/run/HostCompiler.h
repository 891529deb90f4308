//===- HostCompiler.h - Emitted text to programs for this CPU -------------===//
#ifndef TKC_RUN_HOSTCOMPILER_H
#define TKC_RUN_HOSTCOMPILER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tkc::run {

/// The path of `name` in `folder`.
std::string joined(const llvm::Twine &folder, llvm::StringRef name);

struct HostCompiler {
  std::string program;         // a path
  std::string runtimeFolder;   // with emulator/, hopper/, language/ and host/
  std::string emulatorLibrary; // libtkemulator.a
  bool hasGold = false; // binutils' second linker, which takes a third of the first one's time
};

/// Finds the compiler by its name or path, and the files installed or built beside this tkc. The
/// error names the missing file and how to get it.
llvm::Expected<HostCompiler> findHostCompiler(const std::string &name);

struct Build {
  std::string what; // "the emulated kernels"
  std::vector<std::string> command;
  std::string log; // a file for the compiler's messages
};

/// Makes an object of the source of `main`, with which both programs are linked. By itself: it
/// needs none of the kernels' headers, which take longer to load than it takes to compile.
Build buildCalls(const HostCompiler &compiler, const std::string &source,
                 const std::string &output);
/// Makes a program of emitted CUDA, for the emulator, and of what calls it. Contracted, it has a
/// multiply-add where an MMA is added to something, as nvcc makes it.
Build buildEmulated(const HostCompiler &compiler, const std::string &source,
                    const std::string &calls, const std::string &output, bool isContracted);
/// Makes one of a reference.
Build buildReference(const HostCompiler &compiler, const std::string &source,
                     const std::string &calls, const std::string &output);

/// Runs all at once. The error holds the messages of the first compiler that failed. `tick` is
/// called a few times a second.
llvm::Error runBuilds(llvm::ArrayRef<Build> builds, llvm::function_ref<void()> tick);

} // namespace tkc::run

#endif // TKC_RUN_HOSTCOMPILER_H
