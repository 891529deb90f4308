//===- main.cpp - tkc -----------------------------------------------------===//
#include "driver/Compile.h"
#include "driver/Options.h"
#include "driver/Run.h"
#include "driver/RunOptions.h"
#include "driver/Trace.h"
#include "driver/Tune.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <fcntl.h>
#include <unistd.h>

/// What a command line asks for, or the status with which parsing it ended.
template <typename Options>
static int act(std::variant<Options, int> parsed, int (*work)(const Options &)) {
  if (auto *status = std::get_if<int>(&parsed))
    return *status;
  return work(std::get<Options>(parsed));
}

/// The status, unless standard output did not take all that was printed. Standard error may be
/// closed or full: that changes no status.
static int finish(int status, bool hasOutput) {
  llvm::errs().clear_error();
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  llvm::outs().clear_error();
  std::string why = error ? error.message() : "";
  if (!hasOutput && llvm::outs().tell() != 0)
    why = "it is closed";
  if (why.empty())
    return status;
  llvm::errs() << "tkc: error: cannot write to standard output: " << why << "\n";
  llvm::errs().clear_error();
  return status ? status : 1;
}

int main(int argc, char **argv) {
  bool hasOutput = fcntl(STDOUT_FILENO, F_GETFD) != -1;
  // Else the first file that is opened would be taken for a closed one of these.
  llvm::sys::Process::FixupStandardFileDescriptors();
  auto isCommand = [&](const char *name) { return argc > 1 && !strcmp(argv[1], name); };
  int status = isCommand("run") ? act(tkc::parseRunCommandLine(argc - 1, argv + 1), tkc::runKernels)
               : isCommand("trace")
                   ? act(tkc::parseTraceCommandLine(argc - 1, argv + 1), tkc::trace)
               : isCommand("tune") ? tkc::tune(argc - 1, argv + 1)
                                   : act(tkc::parseCommandLine(argc, argv), tkc::compile);
  return finish(status, hasOutput);
}
