//===- Nvcc.h - What ptxas does with emitted CUDA -------------------------===//
//
// What ptxas makes of a kernel is known only when it has run. nvcc is looked for
// in an option, TKC_NVCC, CUDA_HOME and PATH, in this order.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_RUN_NVCC_H
#define TKC_RUN_NVCC_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tkc::run {

/// What ptxas says of the pipeline of wgmma instructions, such as C7512, or of setmaxnreg.
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

/// A path. `named` is what the user named, or empty; the error says how to get one.
llvm::Expected<std::string> findNvcc(const std::string &named);

/// Reads what `nvcc -Xptxas -v` prints.
std::vector<PtxasKernel> readPtxasReport(llvm::StringRef text);

/// Compiles emitted CUDA, whose header is called `headerName`, in a folder that is removed again.
llvm::Expected<std::vector<PtxasKernel>> askPtxas(const std::string &nvcc, llvm::StringRef cuda,
                                                  llvm::StringRef header,
                                                  llvm::StringRef headerName);

} // namespace tkc::run

#endif // TKC_RUN_NVCC_H
