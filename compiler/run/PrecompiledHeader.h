//===- PrecompiledHeader.h - The headers of emulated kernels, parsed once -===//
//
// GCC takes a precompiled header for what it is told to include first, if the
// flags are the same and the compiler is; it does not look whether a header
// was changed since. That is asked here: of the files that went in, which the
// build noted beside it, none may be newer. And only text that tkc wrote gets
// them: it avoids all names of the runtime, by whatever header they come.
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
