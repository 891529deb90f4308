//===- Limits.h - Which part of the machine a kernel keeps busiest --------===//
#ifndef TKC_REPORT_LIMITS_H
#define TKC_REPORT_LIMITS_H

#include "dialect/hopper/Hopper.h"
#include "report/Report.h"

namespace tkc {

/// Counts, for one iteration of the loop with the most MMAs (or one tile of the grid where no
/// loop has any), the cycles an SM needs from its tensor cores, special function units, shared
/// memory, L2 and HBM, with the arithmetic. HBM never is the limiter: how often a tile is found in
/// L2 because another block has loaded it is known only at launch, so its cycles are the worst
/// case.
void gatherLimits(hopper::KernelOp kernel, KernelReport &report);

} // namespace tkc

#endif // TKC_REPORT_LIMITS_H
