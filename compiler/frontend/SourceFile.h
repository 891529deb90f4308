//===- SourceFile.h - Reads the source file, and only a sane one ----------===//
#ifndef TKC_FRONTEND_SOURCEFILE_H
#define TKC_FRONTEND_SOURCEFILE_H

#include "llvm/ADT/StringRef.h"

#include <memory>

namespace clang {
class DiagnosticsEngine;
}
namespace llvm {
class MemoryBuffer;
}

namespace tkc {

/// Reads `path` ("-" is standard input) once, for a file may be a pipe. Null after an error, which
/// was reported: it cannot be read, is empty, too long, or not UTF-8.
std::unique_ptr<llvm::MemoryBuffer> readSource(llvm::StringRef path,
                                               clang::DiagnosticsEngine &engine);

} // namespace tkc

#endif // TKC_FRONTEND_SOURCEFILE_H
