//===- WorkCounts.h - Work of an op for the parts of an SM ----------------===//
#ifndef TKC_ANALYSIS_WORKCOUNTS_H
#define TKC_ANALYSIS_WORKCOUNTS_H

#include "dialect/hopper/Hopper.h"

namespace tkc {

/// Amounts of work, by one warpgroup.
struct WorkCounts {
  int64_t operations = 0; ///< of MMAs, in units of a 16-bit one
  int64_t functions = 0;  ///< exponentials, roots, ...
  int64_t arithmetic = 0; ///< other elementwise operations
  int64_t sharedBytes = 0, loadedBytes = 0, storedBytes = 0;

  void add(const WorkCounts &other, int64_t times);
};

/// Adds the work of one op; regions are counted for maps alone.
void countWork(mlir::Operation *op, WorkCounts &counts);

/// The work of a block of code that runs once; loops inside count once, and branches that a warp
/// rarely votes for count nothing.
WorkCounts countWork(mlir::Block &block);

} // namespace tkc

#endif // TKC_ANALYSIS_WORKCOUNTS_H
