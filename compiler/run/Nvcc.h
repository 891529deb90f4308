//===- Nvcc.h - Emitted CUDA to machine code, and what ptxas says of it ---===//
#ifndef TKC_RUN_NVCC_H
#define TKC_RUN_NVCC_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tkc::run {

/// A message of ptxas on the pipeline of wgmma instructions, such as C7510, or of setmaxnreg.
struct PtxasMessage {
  std::string code, text;
};

struct PtxasKernel {
  std::string name;          // as in the .tk file
  int64_t registers = 0;     // of a thread, when the kernel starts
  int64_t spilledStores = 0; // bytes
  int64_t spilledLoads = 0;  // bytes
  std::vector<PtxasMessage> messages;

  /// True if it runs as it was written: nothing is spilled, serialised or inserted.
  bool isClean() const { return spilledStores + spilledLoads == 0 && messages.empty(); }
};

/// A path: `named` if it is not empty, else TKC_NVCC ("none" hides every nvcc), the nvcc of
/// CUDA_HOME, of PATH or of /usr/local/cuda. The error says where it was looked for.
llvm::Expected<std::string> findNvcc(const std::string &named = {});

/// Reads what `nvcc -Xptxas -v` prints.
std::vector<PtxasKernel> readPtxasReport(llvm::StringRef text);

struct NvccOutput {
  std::string ptx, cubin;
  std::vector<PtxasKernel> kernels;
};

/// Compiles emitted CUDA, whose header is called `headerName`, for sm_90a in a folder that is
/// removed again. The bytes depend on these texts and on nvcc alone. The error holds what nvcc
/// said.
llvm::Expected<NvccOutput> runNvcc(const std::string &nvcc, llvm::StringRef cuda,
                                   llvm::StringRef header, llvm::StringRef headerName);

} // namespace tkc::run

#endif // TKC_RUN_NVCC_H
