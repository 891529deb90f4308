//===- PrefetchTensorMaps.cpp - TMA has its maps before the first copy -----===//
//
// The first copy through a tensor map fetches the map, 128 bytes of the kernel's parameters, and
// takes so much longer. Fetched while the kernel before this one ends, they cost nothing:
// .5 to 2 % of kernels that take 10 to 40 us (docs/design/experiments/prefetch.md).
//
//===----------------------------------------------------------------------===//
#include "dialect/hopper/HopperPartOps.h"
#include "dialect/hopper/HopperPrefetchOps.h"
#include "dialect/tk/SourceNames.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace tkc {
#define GEN_PASS_DEF_PREFETCHTENSORMAPS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

static Value getWholeMap(Value map) {
  auto part = map.getDefiningOp<PartMapOp>();
  return part ? part.getMap() : map;
}

static void prefetchMaps(KernelOp kernel) {
  for (auto role : kernel.getBody().front().getOps<RoleOp>()) {
    if (role.getKind() != RoleKind::Producer)
      continue;
    llvm::SetVector<Value> maps;
    role.walk([&](TmaLoadOp load) { maps.insert(getWholeMap(load.getSource())); });
    if (!maps.empty())
      OpBuilder::atBlockBegin(&role.getBody().front())
          .create<PrefetchMapsOp>(getUnnamedLoc(role.getLoc()), maps.getArrayRef());
  }
}

namespace {
struct PrefetchTensorMaps : tkc::impl::PrefetchTensorMapsBase<PrefetchTensorMaps> {
  void runOnOperation() override { forEachKernel<KernelOp>(getOperation(), prefetchMaps); }
};
} // namespace
