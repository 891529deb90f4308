//===- HopperTileOps.td - Walking a block's tiles by number ---------------===//
#ifndef HOPPER_TILE_OPS
#define HOPPER_TILE_OPS

include "dialect/hopper/HopperRoleOps.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Hopper_TileShareOp : Hopper_Op<"tile_share", [Elsewhere<"Scalar">, Pure]> {
  let summary = "which tiles of the grid are this block's: from `first` on, one in `blocks`, those before `end`";
  let description = [{
    Tiles have numbers in the order in which a `hopper.tile_loop` that is not `dynamic` visits them. A loop over
    these numbers is that loop, for a role whose tiles hand something on to the next one. There are no more blocks
    than tiles, so `first` is less than `end`.

    Example: `%first, %end, %blocks = hopper.tile_share of(%m_tiles, %n_tiles)`
  }];
  let arguments = (ins Variadic<I32>:$extents);
  let results = (outs I32:$first, I32:$end, I32:$blocks);
  let assemblyFormat = "`of` `(` $extents `)` attr-dict";
}

def Hopper_TileAtOp : Hopper_Op<"tile_at", [Elsewhere<"Scalar">, Pure]> {
  let summary = "where in the grid the tile with a number is";
  let description = [{
    Extents and `swizzle` are those of `hopper.tile_loop`.

    Example: `%m, %n = hopper.tile_at %tile of(%m_tiles, %n_tiles) swizzle 8 : i32, i32`
  }];
  let arguments = (ins I32:$tile, Variadic<I32>:$extents, DefaultValuedAttr<I64Attr, "0">:$swizzle);
  let results = (outs Variadic<I32>:$indices);
  let assemblyFormat = "$tile `of` `(` $extents `)` (`swizzle` $swizzle^)? attr-dict `:` type($indices)";
  let hasVerifier = 1;
}

#endif // HOPPER_TILE_OPS
