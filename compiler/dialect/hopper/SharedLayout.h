//===- SharedLayout.h - Swizzles and swizzle-atom columns of shared tiles -===//
//
// A shared tile is stored as swizzle-atom columns: `swizzle` bytes of every row, row after
// row, then the next swizzle-atom column. Eight rows of a swizzle-atom column are one swizzle
// pattern, which TMA writes and wgmma reads (PTX ISA, "Swizzling Modes"). The same rules, for the
// device, are in runtime/hopper/tile/layout.h.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_DIALECT_HOPPER_SHAREDLAYOUT_H
#define TKC_DIALECT_HOPPER_SHAREDLAYOUT_H

#include "mlir/IR/Types.h"

namespace tkc::hopper {

/// The largest swizzle span, 128, 64 or 32 bytes, that divides a row; 0 if none does.
int64_t getSwizzle(int64_t rowBytes);

/// Columns of one swizzle-atom column of a tile with `cols` columns; 0 if no swizzle fits.
int64_t getAtomCols(int64_t cols, mlir::Type elementType);

/// Bytes of a tile, with a swizzle-atom column of ones of its height beside it or without.
int64_t getTileBytes(int64_t rows, int64_t cols, mlir::Type elementType, bool withOnes = false);

/// Where a tile with this swizzle may begin: one pattern of eight rows.
int64_t getAlignment(int64_t swizzle);

/// Rows of one TMA box: the most, up to 256 and a multiple of 8, that divide the tile's rows.
int64_t getBoxRows(int64_t rows);

} // namespace tkc::hopper

#endif // TKC_DIALECT_HOPPER_SHAREDLAYOUT_H
