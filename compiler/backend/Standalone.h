//===- Standalone.h - Emitted CUDA with the runtime in it -----------------===//
#ifndef TKC_BACKEND_STANDALONE_H
#define TKC_BACKEND_STANDALONE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tkc {

/// The emitted `cuda`, with the text of `header` and of each file of the runtime that it includes,
/// once each, in place of the first line that includes it. System headers stay included. The error
/// says which file of the runtime cannot be read.
llvm::Expected<std::string> makeStandalone(llvm::StringRef cuda, llvm::StringRef headerName,
                                           llvm::StringRef header, llvm::StringRef runtimeFolder);

} // namespace tkc

#endif // TKC_BACKEND_STANDALONE_H
