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

#include "numbers.h"
#include "scalars.h"

#include "tensors.h"
#include "tiles.h"
#include "vectors.h"

#include "names.h"

#include "grid.h"
#include "scopes.h"

#include "gathers.h"
#include "moves.h"
#include "transfers.h"

#include "matmul.h"
#include "matmul_values.h"

#include "arithmetic.h"
#include "bits.h"
#include "broadcasts.h"
#include "conversions.h"
#include "fills.h"
#include "functions.h"
#include "map.h"
#include "masks.h"
#include "random.h"
#include "reductions.h"
#include "shapes.h"

#endif // TK_LANGUAGE_TK_H
