//===- CarriedRowMax.h - Row references that move only when a warp says so ===//
//
// Online softmax measures the scores of a row from a reference that the loop
// carries and that each iteration may move:
//
//     now  = row_max(s) > best + slack ? row_max(s) : best     the choice
//     from = now == -inf ? 0 : now                             what follows from it
//     alpha = exp2((best - from) * c)                           a factor
//
// As long as no row of a warp chooses the new value, `now` is `best`, `from` is what
// it was, and `alpha` is 1 if it is 1 for a reference that stays: exp2(0). A warp
// can tell by one vote, and before the four threads of a row have combined their
// maxima, since one of the four is the maximum:
//
//     part = partial_row_max(s)
//     row_max_grew = any_row(part > best + slack || unmoved alpha != 1)
//     if (row_max_grew) { combine part; now, from, alpha } else { best, unmoved from, 1 }
//
// The new value may be any that follows from the maximum alone: one a little below it, for example,
// so that exponentials use the range of an 8-bit float.
//
// A unmoved value is what a value would be with the present reference in both
// places, before and after. The loop carries it; only the branch changes it. Nothing
// has to be proved about the factor: a row whose unmoved factor is not 1 (a masked
// row, NaN) takes the branch, where everything is computed as the source says.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_PASSES_CARRIEDROWMAX_H
#define TKC_PASSES_CARRIEDROWMAX_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tkc {

class MissedReason;

/// Puts each choice of the loop that one of `factors` follows from into a branch. Gives the
/// condition of the branch for each value that has taken such a factor's place: the value is 1 for
/// every row of the warp where the condition does not hold. Choices that nearly are such leave
/// their reason in `missed`.
llvm::DenseMap<mlir::Value, mlir::Value>
branchOnChoices(mlir::scf::ForOp &loop, const llvm::SetVector<mlir::Value> &factors,
                MissedReason &missed);

} // namespace tkc

#endif // TKC_PASSES_CARRIEDROWMAX_H
