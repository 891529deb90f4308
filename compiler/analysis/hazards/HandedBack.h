//===- HandedBack.h - Accumulators that waits give back to threads --------===//
#ifndef TKC_ANALYSIS_HANDEDBACK_H
#define TKC_ANALYSIS_HANDEDBACK_H

#include "analysis/registers/FragmentVariables.h"
#include "dialect/hopper/Hopper.h"
#include <map>
#include <set>

namespace tkc {

/// The variables of accumulators whose MMAs are over after a wait, and whose may be running.
struct CoveredMmas {
  hopper::WaitWgmmaOp wait;
  std::set<unsigned> over, running;
};

/// For each wait of a role, the accumulators that it gives back, as the values that their variables
/// hold there; none of an accumulator that only MMAs use. `covered` is in program order.
llvm::SmallVector<std::pair<hopper::WaitWgmmaOp, llvm::SmallVector<mlir::Value>>>
listHandedBack(hopper::RoleOp role, const FragmentVariables &variables,
               const std::map<unsigned, CoveredMmas> &covered);

} // namespace tkc

#endif // TKC_ANALYSIS_HANDEDBACK_H
