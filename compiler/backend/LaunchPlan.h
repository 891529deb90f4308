//===- LaunchPlan.h - The launch of a kernel as data ----------------------===//
//
// Two callers launch kernels: the emitted C function, which is compiled, and
// programs that load a kernel at run time and have no compiler (tkc from Python).
// Both do the same in the same order, so what they do is collected here and has
// two printers, EmitLauncher.cpp and EmitLaunchPlan.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_LAUNCHPLAN_H
#define TKC_BACKEND_LAUNCHPLAN_H

#include "backend/Expressions.h"
#include "backend/KernelFacts.h"

namespace tkc::backend {

/// A parameter of the kernel, and what the launch makes it of.
struct LaunchParameter {
  enum class Kind { TensorMap, GlobalView, TileCounter, Extent, Scalar };
  Kind kind;
  std::string name;
  unsigned argument = 0;               // of the C function; not of a counter
  llvm::SmallVector<int64_t> box = {}; // of a tensor map, as are the next four
  int64_t swizzle = 0;                 // bytes; 16 is none
  int64_t loadedBytes = 0;             // of a tile, beside other maps'
  bool isOutput = false, isForParts = false;
  std::string type = {}; // of a view: "gl<float, 3>"
  int64_t dim = 0;       // of an extent
};

struct LaunchPlan {
  llvm::SmallVector<LaunchParameter> parameters; // in the kernel's order
  llvm::SmallVector<mlir::Value> tiles;          // extents of the grid; none is one tile
  llvm::SmallVector<unsigned> unused;            // scalars that the kernel does not take
  int64_t threads = 0, sharedBytes = 0, cluster = 1, blocksPerSm = 1;
  bool isPersistent = true, overlaps = true;
  Expressions values; // names of the extents and scalars that `tiles` is made of
};

LaunchPlan getLaunchPlan(const KernelFacts &facts);

} // namespace tkc::backend

#endif // TKC_BACKEND_LAUNCHPLAN_H
