//===- tk.h - The tile language -------------------------------------------===//
//
// A .tk file is C++20 with this header included first. The header has two faces.
// tkc parses it with __TKC__ defined: then it only declares, needs no standard
// header, and parses in a few milliseconds. Any other C++20 compiler sees plain
// definitions as well, so that the same file runs on a CPU, slowly and exactly,
// and is its own reference.
//
// A tile program has no threads: every statement means the whole tile, and the
// statements run one after another.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_TK_H
#define TK_LANGUAGE_TK_H

#include "types.h"

#include "tensors.h"
#include "tiles.h"

#include "grid.h"
#include "moves.h"
#include "products.h"

#endif // TK_LANGUAGE_TK_H
