//===- NeededReach.h - Who must have met between two accesses -------------===//
#ifndef TKC_ANALYSIS_NEEDEDREACH_H
#define TKC_ANALYSIS_NEEDEDREACH_H

#include "analysis/hazards/HazardState.h"
#include "dialect/hopper/Hopper.h"

namespace tkc {

/// Who must have met between `cause`, which accesses `earlier`, and `op`, which accesses `place`,
/// both of `role`: nobody, `Reach::Thread`, if they have nothing in common. Warpgroups with
/// programs of their own signal their accesses to each other, which tk-check-protocol proves to be
/// enough.
Reach getNeededReach(hopper::RoleOp role, const SharedPlaces &places, mlir::Operation *op,
                     const SharedPlace &place, mlir::Operation *cause, const SharedPlace &earlier);

} // namespace tkc

#endif // TKC_ANALYSIS_NEEDEDREACH_H
