//===- Options.h - The command line of tkc as one checked struct ----------===//
//
// Plain C++: nothing here knows LLVM, so that CLI11 may use exceptions in
// Options.cpp while the compiler itself is built without them.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_DRIVER_OPTIONS_H
#define TKC_DRIVER_OPTIONS_H

#include "frontend/DiagnosticFormat.h"

#include <set>
#include <string>
#include <variant>
#include <vector>

namespace tkc {

/// The kind of output.
enum class Emit {
  Cuda,
  Header,
  Reference,
  Ptx,
  Cubin,
  Device,
  Plan,
  Tk,
  Hopper,
  Report,
  ReportJson,
  Lines,
  Html
};

struct Options {
  std::string input;  // "-" is standard input
  std::string output; // "-" is standard output
  Emit emit = Emit::Cuda;
  bool isStandalone = false; // the CUDA holds the parts of the runtime that it uses

  std::string plan; // where the launch plans are written beside device text; empty: nowhere

  std::string trace;       // a run that the page of --emit=html shows
  bool isProfiled = false; // the CUDA records what its roles do when
  std::string profile;     // "sampled", "waits" or "all": where it records

  std::vector<std::string> instances; // 'gemm<64, 128>'
  std::string tuned;                  // the database of tkc tune; empty: none
  std::vector<std::string> defines;   // 'NAME' or 'NAME=VALUE'
  std::vector<std::string> includeDirs;
  std::vector<std::string> clangArguments;

  std::string compared;    // an instance that the page opens beside the first kernel
  bool showPasses = false; // the page has the IR after each pass

  bool ptxas = false; // the report says what ptxas does, too
  std::string nvcc;   // a path, or a name in PATH; empty: from the environment

  std::set<std::string>
      silencedWarnings; // of passes/finish/PerformanceWarnings.def, without tk-perf-
  std::set<std::string> doneRemarks, missedRemarks; // shown ones, by passes of remarks/Remarks.def

  bool writeDependencies = false;
  std::string dependencyFile;
  std::string dependencyTarget; // what depends; empty: the output

  unsigned timeLimit = 0;     // seconds of computing; 0 is no limit
  unsigned memoryLimit = 0;   // MiB; 0 is no limit
  unsigned templateLimit = 0; // templates that Clang instantiates; 0 is no limit
  bool printCompileFlags = false;
  std::string precompiledLanguage; // a file to write; empty: none. For the build

  bool verify = false; // expected-error comments in the source instead of printed errors
  bool color = false;
  DiagnosticFormat diagnosticFormat = DiagnosticFormat::Text;
  bool verbose = false;
  bool timing = false;
  bool printIrAfterAll = false;
  std::string crashReproducer; // a file; empty: none is written
};

/// Parses and checks the command line. Gives an exit status instead of options when there is
/// nothing left to do: 0 after --help and --version, 2 after a mistake, which has then been
/// explained.
std::variant<Options, int> parseCommandLine(int argc, const char *const *argv);

/// The version that --version prints and that emitted files name.
const char *versionString();

} // namespace tkc

#endif // TKC_DRIVER_OPTIONS_H
