//===- TileCost.h - How many cycles one tile of the grid takes ------------===//
//
// Which of several kernels is the fastest depends on extents that are known at
// launch: how often loops run and how many tiles there are. The compiler knows the
// rest, what one iteration costs. So a cost is a sum over the loops of a kernel,
// with a number of cycles for each iteration, and the launcher puts in the numbers
// of iterations.
//
// Cycles are predicted, from target/HopperModel.def: those in which an SM's
// consumers compute (tensor cores and elementwise work, which overlap in part),
// and those in which its loads arrive from L2.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_TILECOST_H
#define TKC_ANALYSIS_TILECOST_H

#include "dialect/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <vector>

namespace tkc {

struct LoopCycles;

/// Cycles of a stretch of code: once, and for each iteration of its loops.
struct CodeCycles {
  double once = 0;
  std::vector<LoopCycles> loops; // whose iterations cost something
};

struct LoopCycles {
  mlir::scf::ForOp loop;
  CodeCycles iteration;
};

/// Of one tile of the grid.
struct TileCost {
  CodeCycles computes, loads;
};

/// Of a kernel with roles. Of a branch the more expensive side counts.
TileCost getTileCost(hopper::KernelOp kernel);

/// Bytes that a tile loads through a tensor map, beside those of the kernel's other maps: each loop
/// is taken to run a few times.
int64_t getLoadedBytes(hopper::TensorMapOp map);

} // namespace tkc

#endif // TKC_ANALYSIS_TILECOST_H
