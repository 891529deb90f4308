//===- CostModel.h - Cycles that work takes on an SM ----------------------===//
//
// The one place that turns amounts of work (analysis/cost/WorkCounts.h) into
// cycles, by the rates and fits of target/HopperModel.def. The report, warnings,
// ping-pong warpgroups, the played timeline and the cost of a tile, by which a
// launcher chooses among kernels, all ask here.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_COST_COSTMODEL_H
#define TKC_ANALYSIS_COST_COSTMODEL_H

#include "analysis/cost/WorkCounts.h"

namespace tkc {

/// Cycles for which work keeps each part of an SM busy, if nothing else needs it.
struct PartCycles {
  double tensorCores, specialFunctions, arithmetic, sharedMemory, l2, memory;
};
PartCycles getPartCycles(const WorkCounts &counts);

/// Cycles for which a warpgroup computes in registers that has the SM's pipes to itself. A warp
/// starts one instruction after the other, so functions, arithmetic and votes add up.
double getElementwiseCycles(const WorkCounts &counts);

/// Cycles in which one tile's loads arrive, while all SMs load tiles that others load too.
double getArrivalCycles(const WorkCounts &counts);

/// Cycles in which tiles are rounded, staged and stored.
double getStoreCycles(const WorkCounts &counts);

/// Cycles in which each of `warpgroups` goes through a stretch of code with this work. If it is the
/// body of a loop, MMAs of one run beside elementwise work of the others, the better the more of
/// them there are.
double getStretchCycles(const WorkCounts &counts, int64_t warpgroups, bool isRepeated);

/// The same of two warpgroups that compute a tile each.
double getPingPongTileCycles(const WorkCounts &counts);

} // namespace tkc

#endif // TKC_ANALYSIS_COST_COSTMODEL_H
