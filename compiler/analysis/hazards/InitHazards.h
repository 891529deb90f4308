//===- InitHazards.h - mbarriers that are used before they are set up -----===//
#ifndef TKC_ANALYSIS_INITHAZARDS_H
#define TKC_ANALYSIS_INITHAZARDS_H

#include "analysis/hazards/Hazards.h"

namespace tkc {

/// Adds the hazards between the initialisation of mbarriers and the roles that use them: TMA sees
/// it only after a fence, the other threads only once they have met.
void findInitHazards(hopper::KernelOp kernel, llvm::SmallVectorImpl<Hazard> &hazards);

} // namespace tkc

#endif // TKC_ANALYSIS_INITHAZARDS_H
