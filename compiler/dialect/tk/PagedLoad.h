//===- PagedLoad.h - Tiles whose rows lie in several pages ----------------===//
//
// A cache of keys is cut into pages, (pages, heads, rows of a page, D), and a tile
// may be as high as several of them, which lie anywhere. Such a load has the indices of one place
// after those of the other: rows [i * n, (i + 1) * n) of the tile come from page i, n its rows. So
// has one for several tiles, of which each warpgroup takes another one.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_DIALECT_TK_PAGEDLOAD_H
#define TKC_DIALECT_TK_PAGEDLOAD_H

#include "dialect/tk/Tk.h"

namespace tkc::tk {

/// How many pages the load brings; 1 for a load like any other.
inline int64_t countPages(LoadOp load) {
  return int64_t(load.getIndices().size()) / load.getSource().getType().getRank();
}

/// One index for each dimension of the tensor: the place of one page.
inline mlir::OperandRange getPlaceOfPage(LoadOp load, int64_t page) {
  const int64_t rank = load.getSource().getType().getRank();
  return load.getIndices().slice(page * rank, rank);
}

/// The tile of one page; the type of the load itself if there is one page.
inline mlir::Type getPageType(LoadOp load) {
  int64_t pages = countPages(load);
  auto tile = mlir::dyn_cast<TileType>(load.getResult().getType());
  if (!tile || pages == 1)
    return load.getResult().getType();
  return TileType::get(load.getContext(), tile.getRows() / pages, tile.getCols(),
                       tile.getElementType(), tile.getSpace(), tile.getLayout());
}

} // namespace tkc::tk

#endif // TKC_DIALECT_TK_PAGEDLOAD_H
