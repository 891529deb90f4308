//===- HopperOps.td - All ops of the hopper dialect -----------------------===//
include "dialect/hopper/HopperRoleOps.td"
include "dialect/hopper/HopperBarrierOps.td"
include "dialect/hopper/HopperCopyOps.td"
include "dialect/hopper/HopperElementOps.td"
include "dialect/hopper/HopperPartOps.td"
include "dialect/hopper/HopperTileOps.td"
include "dialect/hopper/HopperMmaOps.td"
include "dialect/hopper/HopperElementwiseOps.td"
