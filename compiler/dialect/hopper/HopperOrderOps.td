//===- HopperOrderOps.td - In which order blocks take tiles ---------------===//
#ifndef HOPPER_ORDER_OPS
#define HOPPER_ORDER_OPS

include "dialect/hopper/HopperRoleOps.td"

def Hopper_TileOrderOp : Hopper_Op<"tile_order", [Elsewhere<"Declaration">]> {
  let summary = "blocks of one tile each take the grid's tiles in LPT order (longest processing time first)";
  let description = [{
    The GPU starts blocks in the order of their numbers, so the longest tiles have the lowest. Of the grid's head-batch
    groups (all dimensions but the first), `head_group` follow one another, or all, so that what they share stays in L2.
    With `last_first` the tiles at the end of the first dimension are the longest. A kernel has one at most, and is not
    persistent.

    Example: `hopper.tile_order head_group %heads last_first`
  }];
  let arguments = (ins Optional<I32>:$head_group, UnitAttr:$last_first);
  let assemblyFormat = "(`head_group` $head_group^)? (`last_first` $last_first^)? attr-dict";
  let hasVerifier = 1;
}

#endif // HOPPER_ORDER_OPS
