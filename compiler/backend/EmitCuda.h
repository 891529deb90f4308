//===- EmitCuda.h - From hopper IR to the files a user gets ---------------===//
//
// The emitted CUDA is a product: it is meant to be read. It keeps the user's
// names, says which source line each block comes from and why each wait, fence
// and barrier is there; docs/emitted-cuda.md explains it to its readers.
//
// Printing decides nothing and changes nothing: one op is one statement, and an
// op without a spelling is an error at its place in the source. Whatever must be
// decided for a kernel to be spelled is the work of tk-legalize-for-emission.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_EMITCUDA_H
#define TKC_BACKEND_EMITCUDA_H

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <optional>
#include <string>

namespace tkc {

class LineTable;

/// Where --profile records: at waits, whose order is fixed anyway, in some iterations of loops or
/// in each; or wherever other work begins.
enum class ProfileDetail { Sampled, Waits, All };

struct EmitOptions {
  std::string sourceName; // "gemm.tk", as it is printed
  std::string sourcePath; // where it lies, for the reference, which includes it
  std::string headerName; // "gemm.h", which the .cu includes
  std::string version;
  std::string sourceHash; // of all that the user wrote: changes when a kernel may
  /// The text of a source line, counted from 1; none if it is not at hand.
  std::function<std::optional<llvm::StringRef>(llvm::StringRef file, unsigned line)> sourceLine;
  /// All of a file of the source.
  std::function<std::optional<llvm::StringRef>(llvm::StringRef file)> sourceText;
  /// How many columns the token at a place of the source takes; 0 if that is not known.
  std::function<unsigned(llvm::StringRef file, unsigned line, unsigned column)> tokenLength;
  std::uint64_t profileBuild = 0; // with --profile: names this text in the records of its runs
  ProfileDetail profileDetail = ProfileDetail::Sampled;
  bool isStandalone = false; // the runtime will be in the file, so that it needs no include path
  bool isDeviceOnly = false; // kernels without launchers, for NVRTC
};

/// The .cu: for each hopper.kernel of the module its plan, kernel and launcher. The origin of every
/// line of it is goes to `lines`.
mlir::LogicalResult emitCuda(mlir::ModuleOp module, const EmitOptions &options,
                             llvm::raw_ostream &os, LineTable *lines = nullptr);

/// For each hopper.kernel and tk.choice of the module what a launch takes, as JSON.
mlir::LogicalResult emitLaunchPlans(mlir::ModuleOp module, const EmitOptions &options,
                                    llvm::raw_ostream &os);

/// The .h: the C functions of the same module.
mlir::LogicalResult emitHeader(mlir::ModuleOp module, const EmitOptions &options,
                               llvm::raw_ostream &os);

/// From the module as the frontend left it (tk.kernel): a C++ file that includes the .tk and
/// exports the same C functions from its plain C++ meaning.
mlir::LogicalResult emitReference(mlir::ModuleOp module, const EmitOptions &options,
                                  llvm::raw_ostream &os);

} // namespace tkc

#endif // TKC_BACKEND_EMITCUDA_H
