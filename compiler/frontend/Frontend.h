//===- Frontend.h - A .tk file to a module of the tk dialect --------------===//
#ifndef TKC_FRONTEND_FRONTEND_H
#define TKC_FRONTEND_FRONTEND_H

#include "frontend/DiagnosticFormat.h"
#include "frontend/InputFiles.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <string>
#include <vector>

namespace clang {
class DiagnosticsEngine;
class SourceManager;
} // namespace clang

namespace tkc {

/// Between the source and the lines that stand for --instantiate; errors in them point to the
/// command line.
inline constexpr llvm::StringLiteral instantiationMarker = "\n# 1 \"<command line>\"\n";

/// More instances for the function `name` to choose among; the first is the one that it is
/// otherwise.
struct TunedFunction {
  std::string name;
  std::vector<std::string> instances; // 'gemm<64, 128>'
};

/// The line that adds them to a source. Empty if one of them is not the text of a template name
/// with arguments.
std::string spellTuned(const TunedFunction &function);

struct FrontendOptions {
  std::string inputFile;            // "-" is standard input
  std::vector<std::string> defines; // 'NAME' or 'NAME=VALUE'
  std::vector<std::string> includeDirs;
  std::vector<std::string> instances; // 'gemm<64, 128>'
  /// The measurements of the source with this hash (SourceHash.h), if they are asked for.
  std::function<std::vector<TunedFunction>(const std::string &)> tuned;
  std::vector<std::string> clangArgs; // handed on to clang -cc1

  std::function<void()> onCrash; // called before a crash is reported; may end the process
  unsigned templateLimit = 0;    // templates that may be instantiated; 0 is no limit
  DiagnosticFormat format = DiagnosticFormat::Text;
  const char *version = ""; // of tkc, for SARIF

  bool color = false;
  bool verify = false; // compare the diagnostics with the expected-error comments of the source
};

/// Takes a module; false means that it reported an error.
using ConsumeModule =
    llvm::function_ref<bool(mlir::ModuleOp, clang::DiagnosticsEngine &, clang::SourceManager &)>;

/// Parses one file and lowers its kernels. `consume` runs while Clang's source manager and
/// diagnostics engine are alive, so that passes report through them; it does not run if there were
/// errors. `inputs` holds all files that were read when it runs; their dependencies are complete
/// after it. True if all went well, or, with `verify`, if the diagnostics are the expected ones;
/// false comes after errors that were printed.
bool runFrontend(const FrontendOptions &options, mlir::MLIRContext &context, InputFiles &inputs,
                 ConsumeModule consume);

} // namespace tkc

#endif // TKC_FRONTEND_FRONTEND_H
