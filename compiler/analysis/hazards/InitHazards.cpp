//===- InitHazards.cpp - mbarriers that are used before they are set up ---===//
#include "analysis/hazards/InitHazards.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

void tkc::findInitHazards(KernelOp kernel, SmallVectorImpl<Hazard> &hazards) {
  Operation *init = nullptr;
  bool isFenced = false, isSynced = false;
  for (Operation &op : kernel.getBody().front()) {
    if (isa<InitBarrierOp>(op)) {
      init = &op;
      isFenced = isSynced = false;
    } else if (isa<FenceBarrierInitOp>(op)) {
      isFenced = true;
    } else if (isa<SyncBlockOp>(op)) {
      isSynced = true;
    } else if (isa<RoleOp>(op) && init) {
      bool isSignalledByTma = false;
      kernel.walk([&](SharedAccess access) {
        isSignalledByTma |= bool(getTileCompletedBy(access, Completion::Bytes));
      });
      if (!isFenced && isSignalledByTma)
        hazards.push_back({HazardKind::InitUnfenced, &op, init});
      if (!isSynced)
        hazards.push_back({HazardKind::InitUnsynced, &op, init});
      return;
    }
  }
}
