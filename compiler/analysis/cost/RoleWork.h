//===- RoleWork.h - Which roles load and which ones compute ---------------===//
//
// The time of a kernel has two parts, its loads and the computation on tiles beside them. A role of
// a new kind is placed in them here, for the cost of a tile, the report's limits and the timeline
// alike. Scanner warps are in neither: they run beside the consumers and ahead of them.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_COST_ROLEWORK_H
#define TKC_ANALYSIS_COST_ROLEWORK_H

#include "dialect/hopper/BlockShape.h"

namespace tkc {

/// True if the role computes on the tiles that arrive.
inline bool computesOnTiles(hopper::RoleOp role) {
  switch (role.getKind()) {
  case hopper::RoleKind::Consumer:
  case hopper::RoleKind::Reducer:
    return true;
  case hopper::RoleKind::Producer:
  case hopper::RoleKind::Scanner:
    return false;
  }
  llvm_unreachable("a role of another kind");
}

/// True if the role makes tiles arrive: the producer, or a reducer without one.
inline bool loadsTiles(hopper::RoleOp role) {
  switch (role.getKind()) {
  case hopper::RoleKind::Producer:
    return true;
  case hopper::RoleKind::Consumer:
  case hopper::RoleKind::Reducer:
    return startsLoads(role);
  case hopper::RoleKind::Scanner:
    return false;
  }
  llvm_unreachable("a role of another kind");
}

} // namespace tkc

#endif // TKC_ANALYSIS_COST_ROLEWORK_H
