//===- WarpgroupFit.h - Whether a kernel's tiles fit its warpgroups -------===//
#ifndef TKC_PASSES_TILE_WARPGROUPFIT_H
#define TKC_PASSES_TILE_WARPGROUPFIT_H

#include "analysis/registers/TileRegisters.h"
#include "dialect/tk/Tk.h"

namespace tkc {

/// The numbers of compute warpgroups that the kernel may have by its hints, its scope and the
/// heights of its tiles, the fastest one first; none where not even one warpgroup divides all
/// heights.
llvm::SmallVector<int64_t, 4> getPossibleConsumers(tk::KernelOp kernel);

/// The warpgroups of a scope of warpgroups or warps.
int64_t getConsumersOf(tk::EachOp each);

/// Warpgroups that hold one tile together, of `warpgroups` in the block: in `tk.each` every worker
/// has tiles of its own.
int64_t getSharers(tk::KernelOp kernel, int64_t warpgroups);

/// Registers of a thread for tiles where the most of them are alive.
int64_t countTiles(tk::KernelOp kernel, int64_t warpgroups);

/// An MMA that `warpgroups` warpgroups cannot start, or null.
tk::MmaOp findWideMma(tk::KernelOp kernel, int64_t warpgroups);

/// True if the kernel's tiles fit `available` registers, and its MMAs those at its start.
bool fits(tk::KernelOp kernel, int64_t warpgroups, int64_t available);

} // namespace tkc

#endif // TKC_PASSES_TILE_WARPGROUPFIT_H
