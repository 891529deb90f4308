//===- kernel_headers.h - What emitted kernels include, to be precompiled -===//
//
// Parsing these takes half of the time in which GCC builds a small kernel. The
// build folder has them precompiled, with the flags of emulated kernels, and
// whoever builds a kernel there includes this file first. Where they are not
// precompiled, or were changed since, nobody includes it.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_KERNEL_HEADERS_H
#define TK_EMULATOR_KERNEL_HEADERS_H

#include <host/choice.h>
#include <host/global.h>
#include <host/launch.h>
#include <host/tile_counter.h>
#include <tile/convert.h>
#include <tile/element.h>
#include <tile/fragment.h>
#include <tile/fragments.h>
#include <tile/global.h>
#include <tile/grid.h>
#include <tile/interleave.h>
#include <tile/lanes.h>
#include <tile/layout.h>
#include <tile/map.h>
#include <tile/mma.h>
#include <tile/move.h>
#include <tile/order.h>
#include <tile/output.h>
#include <tile/parameters.h>
#include <tile/part.h>
#include <tile/parts.h>
#include <tile/profile.h>
#include <tile/profile_format.h>
#include <tile/random.h>
#include <tile/reduce.h>
#include <tile/ring.h>
#include <tile/scan.h>
#include <tile/scheduler.h>
#include <tile/shared.h>
#include <tile/split.h>
#include <tile/transpose.h>
#include <tile/types.h>
#include <tile/vector.h>
#include <tile/warp_mma.h>

#endif // TK_EMULATOR_KERNEL_HEADERS_H
