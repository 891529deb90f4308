//===- OnlineSoftmax.h - A vote on maxima whose exponentials are summed ---===//
//
// Online softmax after tk-conditional-rescale, in one loop:
//
//     part = partial_row_max(s)
//     row_max_grew = any_row(part > bound || others)                  any
//     now, from, alpha = if (row_max_grew) { ... } else { ... }        branch
//     p = exp2((s - from) * scale)                             exponentials
//     partial_row_sum(p), convert(p)                           readers
//     o = if (row_max_grew) { o * alpha } else { o }                   scalings
//
// This finds it, if the sums of exponentials tell as well whether a row's maximum grows, or if
// there are none (tk-row-sums-on-tensor-cores) and the exponentials do as they are converted.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_PASSES_ONLINESOFTMAX_H
#define TKC_PASSES_ONLINESOFTMAX_H

#include "dialect/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <optional>

namespace tkc {

class MissedReason;

struct OnlineSoftmax {
  hopper::AnyRowOp any;
  hopper::ReduceRowsOp part; ///< the partial maxima of the scores
  mlir::scf::IfOp branch;    ///< where the reference may move

  /// The bound that the vote compares the maximum with, and the other conditions in its body.
  mlir::Value bound;
  mlir::SmallVector<mlir::Value> others;

  hopper::MapOp exponentials;
  unsigned reference = 0; ///< among the branch's results: the reference of the exponentials
  mlir::Value scale;      ///< null if there is none
  /// Below it, scaled, a reference may be rounded: no exponential is wrong enough for its readers.
  float largestReference = 4096;
  /// The readers of the exponentials: a sum at the front, and conversions; or one conversion to 16
  /// bits.
  mlir::SmallVector<mlir::Operation *> readers;
  bool hasSum() const { return mlir::isa<hopper::ReduceRowsOp>(readers.front()); }
  /// Other branches on the vote, which have no `else` of their own.
  mlir::SmallVector<mlir::scf::IfOp> scalings;
  /// Ops that compute from the branch's results, up to the last of these.
  mlir::SmallVector<mlir::Operation *> dependents;
};

/// The first such vote of the loop. Moves constants that its condition uses out of the loop. A vote
/// that is no such one leaves the reason in `missed`.
std::optional<OnlineSoftmax> findOnlineSoftmax(mlir::scf::ForOp loop, MissedReason &missed);

/// The reference of the exponentials while no maximum grows.
mlir::Value getUnmovedReference(OnlineSoftmax &vote);

/// The unmoved reference, and the bound that the vote compares with.
mlir::SmallVector<mlir::Value> getState(OnlineSoftmax &vote);

/// The next iteration's value of a part of the state, given the branch's results; null if
/// something else decides that.
mlir::Value getNext(mlir::Value value, OnlineSoftmax &vote, mlir::scf::ForOp loop);

} // namespace tkc

#endif // TKC_PASSES_ONLINESOFTMAX_H
