//===- HopperPrefetchOps.td - Prefetches while another kernel drains ------===//
#ifndef HOPPER_PREFETCH_OPS
#define HOPPER_PREFETCH_OPS

include "dialect/hopper/HopperRoleOps.td"

def Hopper_PrefetchMapsOp : Hopper_Op<"prefetch_maps", [
    SetUp<"Load", ["tile/move"]>, MemoryEffects<[MemWrite<HopperGlobalMemory>]>]> {
  let summary = "one thread fetches tensor maps ahead of their first copy (prefetch.tensormap)";
  let description = [{
    Maps are the kernel's parameters, which no kernel writes: the wait for the kernel before need not come first.

    Example: `hopper.prefetch_maps %A_map, %B_map`
  }];
  let arguments = (ins Variadic<Hopper_TensorMapType>:$maps);
  let assemblyFormat = "$maps attr-dict";
}

def Hopper_FirstTileOp : Hopper_Op<"first_tile", [Statement<"Loop">, SingleBlock, NoTerminator]> {
  let summary = "the place of this block's first tile, for prefetches before the kernel before this one ends";
  let description = [{
    Extents, `swizzle` and the body's arguments are those of the role's `hopper.tile_loop`, which is not `dynamic`: its
    first tile is the block's number.

    Example:
    ```mlir
    hopper.first_tile (%m, %n) in (%m_tiles, %n_tiles) swizzle 8 {
    }
    ```
  }];
  let arguments = (ins Variadic<I32>:$extents, DefaultValuedAttr<I64Attr, "0">:$swizzle);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block::BlockArgListType getIndices() { return getBody().getArguments(); }
  }];
}

def Hopper_PrefetchLoadOp : Hopper_Op<"prefetch_load", [
    OneThreadStatement<"Load", ["tile/move"]>, MemoryEffects<[MemWrite<HopperGlobalMemory>]>]> {
  let summary = "one thread asks L2 for the box of a TMA load that comes later (cp.async.bulk.prefetch.tensor)";
  let description = [{
    A hint: it gives nothing, and no element of it is read by this kernel, so it may come before the wait for the kernel
    before. `tile` says what the box is; nothing is written there. Coordinates are those of `hopper.tma_load`, anywhere.

    Example: `hopper.prefetch_load %A_map[%row, %col] for %t : !hopper.tensor_map, !hopper.shared<128x64xbf16>`
  }];
  let arguments = (ins Hopper_TensorMapType:$source, Variadic<I32>:$coordinates, Hopper_SharedType:$tile);
  let assemblyFormat = "$source `[` $coordinates `]` `for` $tile attr-dict `:` type($source) `,` type($tile)";
}

#endif // HOPPER_PREFETCH_OPS
