//===- TextOutput.h - The output of tk-opt and tk-translate ---------------===//
#ifndef TKC_DRIVER_TEXTOUTPUT_H
#define TKC_DRIVER_TEXTOUTPUT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tkc {

/// Writes the whole text to a file, or to standard output if it is "-". A file that does not take
/// all of it is removed, and says why.
llvm::Error writeText(llvm::StringRef path, llvm::StringRef text);

} // namespace tkc

#endif // TKC_DRIVER_TEXTOUTPUT_H
