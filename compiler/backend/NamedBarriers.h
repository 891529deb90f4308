//===- NamedBarriers.h - The named barriers that a kernel uses ------------===//
//
// A block has 16 named barriers (PTX ISA, "bar"); passes choose them by number.
// Emitted code calls them by names, which are constants of the plan and rows of
// the kernel's barrier table.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_NAMEDBARRIERS_H
#define TKC_BACKEND_NAMEDBARRIERS_H

#include "backend/Names.h"
#include "dialect/hopper/Hopper.h"

namespace tkc::backend {

struct NamedBarrierFacts {
  int64_t id;       // of the first warpgroup's, if each warpgroup has one
  std::string name; // "warpgroup_barrier"
  int64_t threads;  // that arrive at one of them
  std::string arrives, waits, means;
  bool isPerWarpgroup;
};

/// The named barriers of a kernel in the order of their numbers, each under a name of its own.
llvm::SmallVector<NamedBarrierFacts> collectNamedBarriers(hopper::KernelOp kernel, Names &names);

} // namespace tkc::backend

#endif // TKC_BACKEND_NAMEDBARRIERS_H
