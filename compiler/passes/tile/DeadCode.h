//===- DeadCode.h - Values that nobody needs ------------------------------===//
#ifndef TKC_PASSES_DEADCODE_H
#define TKC_PASSES_DEADCODE_H

#include "mlir/IR/Operation.h"

namespace tkc {

/// Erases scalars and fills in `root` that nobody reads, and what loops carry for nobody: code that
/// was cloned brings all of its own along, of which it may need only some.
void eraseUnread(mlir::Operation *root);

} // namespace tkc

#endif // TKC_PASSES_DEADCODE_H
