//===- SourceHash.h - Whether a source is still the measured one ----------===//
#ifndef TKC_FRONTEND_SOURCEHASH_H
#define TKC_FRONTEND_SOURCEHASH_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace clang {
class SourceManager;
}

namespace tkc {

/// A hash of the user's text: the source, the files that it includes and the macros of
/// the command line, but neither the instances of the command line nor the language in
/// `languageFolder`. Where the files lie does not matter.
std::string hashSource(clang::SourceManager &sources, llvm::StringRef languageFolder);

} // namespace tkc

#endif // TKC_FRONTEND_SOURCEHASH_H
