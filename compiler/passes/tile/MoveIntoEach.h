//===- MoveIntoEach.h - A grid's body as the program of each worker -------===//
#ifndef TKC_PASSES_TILE_MOVEINTOEACH_H
#define TKC_PASSES_TILE_MOVEINTOEACH_H

#include "dialect/tk/Tk.h"

namespace tkc {

/// Moves the body of the grid, which has no scope, into a `tk.each` of `count` workers, of which
/// the first one stores: the others compute the same. `alone` as in `tk.each`.
tk::EachOp moveIntoEach(tk::GridOp grid, tk::EachWorker worker, int64_t count, bool alone);

} // namespace tkc

#endif // TKC_PASSES_TILE_MOVEINTOEACH_H
