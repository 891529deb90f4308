//===- TileWork.h - Which tiles of a grid are more work -------------------===//
//
// Under a causal mask the last rows see all keys and the first only a few: a tile's
// loop runs longer the higher its index. Equal shares of such a grid end at
// different times, so it matters that loops differ, and which tiles run longest.
//
// The analysis follows the bounds of the loops with loads back to the grid's first
// index, through the scalar operations that keep an order: sums, products with a
// constant, quotients, minima and maxima.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_TILEWORK_H
#define TKC_ANALYSIS_TILEWORK_H

#include "dialect/tk/Tk.h"

namespace tkc {

/// How a number changes as the grid's first index grows.
enum class Trend { Constant, Rising, Falling, Unknown };

struct TileWork {
  Trend trend = Trend::Constant;
  /// A guess where the trend is unknown, as with a window or where documents begin.
  bool lastAreLongest = false;
  /// The tensors of which the tiles of all first indices, or of those around, load the same tiles
  /// in those loops, or add to the same: each time those are needed again.
  mlir::SmallVector<mlir::Value> shared;
};

TileWork getTileWork(tk::GridOp grid);

/// True if tiles of the grid that differ in one index load the same.
bool isReadAgain(tk::LoadOp load, tk::GridOp grid);

} // namespace tkc

#endif // TKC_ANALYSIS_TILEWORK_H
