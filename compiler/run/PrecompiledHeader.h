//===- PrecompiledHeader.h - The headers of emulated kernels, parsed once -===//
//
// GCC takes a precompiled header in place of the first header of a file if the
// flags and the compiler are the same; it does not look whether a header was
// changed since. That is asked here: the build noted the files it was made of
// beside it, and none may be newer. And only text that tkc wrote gets one:
// it avoids the names of the whole runtime, whichever header has them.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_RUN_PRECOMPILEDHEADER_H
#define TKC_RUN_PRECOMPILEDHEADER_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tkc::run {

/// The flags that include what the build precompiled into `folder`, before the text in the file
/// `source`; none where nothing is precompiled, or something has changed since.
std::vector<std::string> precompiledKernelHeaders(llvm::StringRef folder, llvm::StringRef source);

} // namespace tkc::run

#endif // TKC_RUN_PRECOMPILEDHEADER_H
