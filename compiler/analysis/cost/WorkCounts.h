//===- WorkCounts.h - Work of an op for the parts of an SM ----------------===//
#ifndef TKC_ANALYSIS_WORKCOUNTS_H
#define TKC_ANALYSIS_WORKCOUNTS_H

#include "dialect/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tkc {

/// Amounts of work, by one warpgroup. analysis/cost/CostModel.h makes cycles of them.
struct WorkCounts {
  int64_t operations = 0; ///< of MMAs, in units of a 16-bit one
  double functions = 0;   ///< exponentials, roots, ... of one element
  double arithmetic = 0;  ///< other instructions on one element; half of one that takes two
  int64_t votes = 0;      ///< of a warp on values that it has just computed
  int64_t waits = 0;      ///< at mbarriers
  int64_t sharedBytes = 0, loadedBytes = 0, storedBytes = 0;

  void add(const WorkCounts &other, int64_t times);
};

/// Adds the work of one op of the hopper dialect, or of one of the tk dialect, whose MMAs and
/// elementwise work are those of all warpgroups together; regions are counted for maps alone.
/// Values of a map that depend on the row alone are computed once a row, and a negation is part of
/// the instruction that reads it.
void countWork(mlir::Operation *op, WorkCounts &counts);

/// The work of a block of code that runs once; loops inside count once, and of branches the side
/// that is taken more often, or else the one with more work.
WorkCounts countWork(mlir::Block &block);

/// True if the first side is taken rarely: a warp has to vote for it, or it masks elements of a
/// tile, beside one that does not.
bool isRarelyTaken(mlir::scf::IfOp branch);

} // namespace tkc

#endif // TKC_ANALYSIS_WORKCOUNTS_H
