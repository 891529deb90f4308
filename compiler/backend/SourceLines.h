//===- SourceLines.h - Locations as a reader sees them --------------------===//
//
// An op's location nests: the name of a user's variable around a source token,
// a token in a helper function inside the place that called it. A reader wants
// the line of the kernel, so of a call the outermost caller counts. For names
// see dialect/tk/SourceNames.h.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_SOURCELINES_H
#define TKC_BACKEND_SOURCELINES_H

#include "mlir/IR/Location.h"

#include <optional>
#include <string>

namespace tkc::backend {

struct SourceLine {
  llvm::StringRef file;
  unsigned line, column = 0;
  /// On one line, wherever in it.
  bool operator==(const SourceLine &other) const {
    return file == other.file && line == other.line;
  }
};

std::optional<SourceLine> sourceLineOf(mlir::Location loc);

/// "gemm.tk:10": the file without its folders, so that the text does not depend on where it was
/// built.
std::string describe(const SourceLine &line);

} // namespace tkc::backend

#endif // TKC_BACKEND_SOURCELINES_H
