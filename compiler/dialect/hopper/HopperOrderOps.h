//===- HopperOrderOps.h - In which order blocks take tiles ----------------===//
#ifndef TKC_DIALECT_HOPPER_HOPPERORDEROPS_H
#define TKC_DIALECT_HOPPER_HOPPERORDEROPS_H

#include "dialect/hopper/Hopper.h"

#define GET_OP_CLASSES
#include "dialect/hopper/HopperOrderOps.h.inc"

namespace tkc::hopper {

/// The kernel's order, or null.
inline TileOrderOp getTileOrder(KernelOp kernel) {
  auto orders = kernel.getBody().front().getOps<TileOrderOp>();
  return orders.empty() ? TileOrderOp() : *orders.begin();
}

} // namespace tkc::hopper

#endif // TKC_DIALECT_HOPPER_HOPPERORDEROPS_H
