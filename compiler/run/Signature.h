//===- Signature.h - The arguments of a kernel, for its callers -----------===//
//
// Who runs a kernel on values of his own making needs more than its C function's
// type: which extents he is free to choose, which of them must be equal, and how
// large the tiles are that move along them.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_RUN_SIGNATURE_H
#define TKC_RUN_SIGNATURE_H

#include "dialect/tk/Tk.h"

#include <host/abi.h>
#include <optional>
#include <string>
#include <vector>

namespace tkc::run {

/// An extent that the caller chooses. All dimensions that the kernel walks with one index share it.
struct Size {
  std::string name;     // of the first of them: "A.cols"
  std::string walkedBy; // the index: "k"; empty if there is only one dimension
  int64_t tile = 1;     // elements that the largest step along it takes
};

struct Dimension {
  std::string name;             // "A.cols"
  unsigned size = 0;            // the index of its Size, unless
  std::optional<int64_t> fixed; // the kernel is compiled for this extent
  int64_t multiple = 1;         // the extent is the size's, rounded up to a multiple of this
};

enum class ScalarKind { F32, I32, Bool };

/// Integers of a tensor that gathers and scatters take for row numbers of another one.
struct RowNumbers {
  unsigned argument, dim; // which dimension of which argument has those rows
  bool areDistinct; // a scatter stores to them: of two rows that go to one place either may stay
};

struct Argument {
  std::string name;
  std::optional<ScalarKind> scalar; // none: a tensor
  tk_dtype type = TK_F32;           // of its elements
  std::vector<Dimension> dimensions;
  bool isRead = false, isWritten = false;
  std::optional<RowNumbers> rowNumbers;
};

struct Signature {
  std::string name;
  std::vector<Argument> arguments; // in order
  std::vector<Size> sizes;
  bool accumulates = false; // adds to a tensor, in no promised order
  double coarsestStep = 0;  // spacing at one of the narrowest type that it rounds its own values to
};

/// Of a kernel as the frontend made it. Fails after an error that was reported at its place.
mlir::FailureOr<Signature> getSignature(tk::KernelOp kernel);

} // namespace tkc::run

#endif // TKC_RUN_SIGNATURE_H
