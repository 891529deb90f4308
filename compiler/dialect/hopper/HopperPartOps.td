//===- HopperPartOps.td - Parts of tensors by TMA -------------------------===//
#ifndef HOPPER_PART_OPS
#define HOPPER_PART_OPS

include "dialect/hopper/HopperCopyOps.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Hopper_PartMapOp : Hopper_Op<"part_map", [Elsewhere<"Scalar", ["tile/part"]>, Pure]> {
  let summary = "the rows [first, last) of a tensor, as copies by its tensor map see them";
  let description = [{
    Coordinates of copies count from `first` and are not negative; rows from `last` on read as zero and are not
    written, although the tensor goes on there. A tensor map is for parts alone or for the whole tensor:
    host/map_dimensions.h says what is different in it.

    Example: `%part = hopper.part_map %map[%first, %last]`
  }];
  let arguments = (ins Hopper_TensorMapType:$map, I32:$first, I32:$last);
  let results = (outs Hopper_TensorMapType:$result);
  let assemblyFormat = "$map `[` $first `,` $last `]` attr-dict";
}

#endif // HOPPER_PART_OPS
