//===- BoundedIndex.h - Indices from memory stay outside of a tensor ------===//
#ifndef TKC_PASSES_TILE_BOUNDEDINDEX_H
#define TKC_PASSES_TILE_BOUNDEDINDEX_H

#include "mlir/IR/Builders.h"

namespace tkc {

/// `index`, which counts tiles or vectors of `size` elements; where it comes from memory, bounded
/// such that its product with `size` is as far outside of any tensor as `index` is.
mlir::Value boundIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value index,
                       int64_t size);

} // namespace tkc

#endif // TKC_PASSES_TILE_BOUNDEDINDEX_H
