//===- StaticTimeline.h - When the roles of a kernel do what --------------===//
//
// One tile of the grid, played with the rates of target/HopperModel.def: each role walks its
// ops, loads queue for L2, MMAs of all warpgroups for the tensor cores and
// elementwise work for the SM's pipes; whoever waits goes on when the barrier's
// phase, the MMA or the store is over. It shows the order of things and what bounds
// them, not what a run will measure.
//
// Extents are chosen so that the loop with the MMAs runs a few times. A loop whose
// bounds only the data tells runs as often, a branch on data is taken, but for what a
// warp votes for; a wait that this leaves without an arrival ends when nobody else can
// go on.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_COST_STATICTIMELINE_H
#define TKC_ANALYSIS_COST_STATICTIMELINE_H

#include "dialect/hopper/Hopper.h"

#include <string>
#include <vector>

namespace tkc {

/// `Own` is an MMA again, in the row of the role that has started it.
/// `Arrive`, which takes no time, is an arrival at an mbarrier.
enum class SpanKind { Issue, Load, Mma, Elementwise, Memory, Wait, Own, Arrive };

struct TimelineSpan {
  unsigned row;
  SpanKind kind;
  double begin, end; // in cycles
  mlir::Operation *op;
  int64_t iteration; // of the loop with the MMAs; -1 outside
  int64_t position;  // at an mbarrier, the use of a stage, counted over all phases; or -1
};

/// One step of a role, begun when nothing of the role was left to do before it; a wait ends when it
/// is over, an asynchronous operation when it has been started.
struct TimelineStep {
  unsigned row;
  mlir::Operation *op;
  double begin, end;
  int64_t iteration; // as of a span
};

struct StaticTimeline {
  std::vector<std::string> rows; // "producer", "consumer 0", ..., "L2", "tensor cores"
  std::vector<TimelineSpan> spans;
  std::vector<TimelineStep> steps; // of each row in order
  double end = 0;
  int64_t extent = 0; // of all dimensions that are known at launch only
};

/// Plays one tile whose loop with the MMAs runs at least `iterations` times, if it can.
StaticTimeline playKernel(hopper::KernelOp kernel, int64_t iterations);

} // namespace tkc

#endif // TKC_ANALYSIS_COST_STATICTIMELINE_H
