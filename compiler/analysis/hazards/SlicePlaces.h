//===- SlicePlaces.h - Where parts of shared tiles begin ------------------===//
#ifndef TKC_ANALYSIS_SLICEPLACES_H
#define TKC_ANALYSIS_SLICEPLACES_H

#include "dialect/tk/Tk.h"
#include <optional>

namespace tkc {

/// A scalar that is computed from the number of a worker of `each`, for each worker; once if that
/// is null. Nothing if something else decides it.
std::optional<mlir::SmallVector<int64_t>> evaluateForWorkers(mlir::Value value, tk::EachOp each);

/// The row (`dim` 0) or column (1) of its source at which a slice begins: for each worker of the
/// `tk.each` around it, or once if it is the same for all. Nothing if something else than the
/// worker's number decides it.
std::optional<mlir::SmallVector<int64_t>> getSlicePlaces(tk::SliceOp slice, unsigned dim);

} // namespace tkc

#endif // TKC_ANALYSIS_SLICEPLACES_H
