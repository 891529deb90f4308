//===- StripMine.h - Wide tiles are computed in blocks of columns ---------===//
#ifndef TKC_PASSES_TILE_STRIPMINE_H
#define TKC_PASSES_TILE_STRIPMINE_H

#include "dialect/tk/Tk.h"

namespace tkc {

/// Where the kernel's register tiles fit no number of warpgroups, computes straight-line code in
/// blocks of columns, if they fit then. True if it has changed the kernel.
bool stripMine(tk::KernelOp kernel);

} // namespace tkc

#endif // TKC_PASSES_TILE_STRIPMINE_H
