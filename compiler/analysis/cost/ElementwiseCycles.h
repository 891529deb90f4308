//===- ElementwiseCycles.h - How long work on registers takes --------------===//
#ifndef TKC_ANALYSIS_COST_ELEMENTWISECYCLES_H
#define TKC_ANALYSIS_COST_ELEMENTWISECYCLES_H

#include "dialect/hopper/Hopper.h"

namespace tkc {

/// Cycles for which a warpgroup computes in registers that has the SM's pipes to itself; 0 for ops
/// that do something else. A warp starts one instruction after the other, so special functions,
/// float arithmetic, conversions and votes add up.
double getElementwiseCycles(mlir::Operation *op);

} // namespace tkc

#endif // TKC_ANALYSIS_COST_ELEMENTWISECYCLES_H
