//===- NeededReach.cpp - Who must have met between two accesses -----------===//
#include "analysis/hazards/NeededReach.h"

#include "dialect/hopper/WarpgroupPrograms.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

static Reach getReachOfPlaces(const SharedPlaces &places, const SharedPlace &a,
                              const SharedPlace &b) {
  if (places.mayCross(a, b))
    return Reach::Consumers;
  return places.mayOverlap(a, b) ? Reach::Warpgroup : Reach::Thread;
}

/// True if branches on the role's index let one warpgroup alone do both, the same one.
static bool isOfOneWarpgroup(RoleOp role, Operation *op, Operation *cause) {
  int64_t comers = 0;
  for (int64_t warpgroup = 0; warpgroup < int64_t(role.getWarpgroups()); ++warpgroup) {
    const bool comes = comesTo(op, role, warpgroup);
    if (comes != comesTo(cause, role, warpgroup))
      return false;
    comers += comes;
  }
  return comers == 1;
}

Reach tkc::getNeededReach(RoleOp role, const SharedPlaces &places, Operation *op,
                          const SharedPlace &place, Operation *cause, const SharedPlace &earlier) {
  Region *own = getOwnProgram(op), *others = getOwnProgram(cause);
  const bool isOwn = own && others;
  Reach needed = getReachOfPlaces(places, place, earlier);
  if (needed == Reach::Thread || (isOwn && own != others))
    return Reach::Thread;
  if (isOwn && !(places.mayOverlap(place, earlier) && places.mayMeetInColumns(place, earlier)))
    return Reach::Thread;
  return isOwn || isOfOneWarpgroup(role, op, cause) ? Reach::Warpgroup : needed;
}
