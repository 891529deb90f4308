//===- HopperCopyOps.td - Shared memory, TMA, registers <-> shared --------===//
#ifndef HOPPER_COPY_OPS
#define HOPPER_COPY_OPS

include "dialect/hopper/HopperBarrierOps.td"

def Hopper_AllocRingOp : Hopper_Op<"alloc_ring", [MemoryEffects<[MemAlloc<SharedMemory>]>]> {
  let summary = "a ring of tiles in shared memory";
  let description = [{
    `offset` (bytes from a 1024-byte boundary) and `swizzle` (span in bytes: 32, 64 or 128) are set by
    tk-allocate-shared. A tile wider than its swizzle span is stored as strips of `swizzle` bytes of a
    row, each strip with all rows. `what` says what the buffer is for, in the emitted memory plan.

    Example: `%a = hopper.alloc_ring "a" : !hopper.ring<4, 128x64xbf16>`
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<StrAttr>:$what, OptionalAttr<I64Attr>:$offset,
                       OptionalAttr<I64Attr>:$swizzle);
  let results = (outs Hopper_RingType:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
}

// The result is one tile of the ring.
def TileOfRing : TypesMatchWith<"the tile is one of the ring's", "ring", "result",
    "::tkc::hopper::SharedType::get($_self.getContext(), ::llvm::cast<::tkc::hopper::RingType>($_self).getRows(), "
    "::llvm::cast<::tkc::hopper::RingType>($_self).getCols(), ::llvm::cast<::tkc::hopper::RingType>($_self).getElementType())">;

def Hopper_StageOp : Hopper_Op<"stage", [
    TypesMatchWith<"cursor and ring have the same number of stages", "ring", "cursor",
      "::tkc::hopper::CursorType::get($_self.getContext(), ::llvm::cast<::tkc::hopper::RingType>($_self).getStages())">,
    TileOfRing, MemoryEffects<[MemRead<Cursors>]>]> {
  let summary = "the tile at the cursor's stage of a ring";
  let description = "Example: `%t = hopper.stage %a[%use] : !hopper.ring<4, 128x64xbf16>`";
  let arguments = (ins Hopper_RingType:$ring, Hopper_CursorType:$cursor);
  let results = (outs Hopper_SharedType:$result);
  let assemblyFormat = "$ring `[` $cursor `]` attr-dict `:` type($ring)";
}

def Hopper_SlotOp : Hopper_Op<"slot", [Pure, TileOfRing]> {
  let summary = "the tile at a computed place of a ring";
  let description = "Example: `%t = hopper.slot %staging[%i] : !hopper.ring<4, 64x64xbf16>`";
  let arguments = (ins Hopper_RingType:$ring, I32:$index);
  let results = (outs Hopper_SharedType:$result);
  let assemblyFormat = "$ring `[` $index `]` attr-dict `:` type($ring)";
}

def Hopper_RowsOp : Hopper_Op<"rows", [Pure]> {
  let summary = "some rows of a shared tile, from row `first` on, as many as the result type says";
  let arguments = (ins Hopper_SharedType:$source, I32:$first);
  let results = (outs Hopper_SharedType:$result);
  let assemblyFormat = "$source `,` $first attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Hopper_TensorMapOp : Hopper_Op<"tensor_map", [Pure]> {
  let summary = "the TMA descriptor of a global tensor for boxes of one strip";
  let description = [{
    Box rows x columns, swizzle in bytes. The launcher encodes it; the kernel gets it as a parameter.
    `output` marks the map of a tensor that is stored to: it also holds what store_row_ends needs.

    Example: `%map = hopper.tensor_map %A box [128, 64] swizzle 128 : !tk.global<?x?xbf16>`
  }];
  let arguments = (ins Tk_GlobalType:$source, DenseI64ArrayAttr:$box, I64Attr:$swizzle, OptionalAttr<StrAttr>:$name,
                       UnitAttr:$output);
  let results = (outs Hopper_TensorMapType:$result);
  let assemblyFormat = "$source `box` $box `swizzle` $swizzle attr-dict `:` type($source)";
}

def Hopper_TmaLoadOp : Hopper_Op<"tma_load", [
    CursorOfBarrier, MemoryEffects<[MemRead<HopperGlobalMemory>, MemWrite<SharedMemory>, MemWrite<Barriers>, MemRead<Cursors>]>]> {
  let summary = "one thread starts a TMA copy of a tile from global to shared memory";
  let description = [{
    `coordinates` are in elements, one per dimension of the tensor, slowest first. Upon completion the
    tile is in `dest` (zeros outside the tensor) and its full byte count has been counted on the barrier.
    `source` is the tensor until tk-legalize-for-emission replaces it by its tensor map.

    Example:
    ```mlir
    hopper.tma_load %A[%row, %col] to %t signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<128x64xbf16>, !hopper.barrier<4>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Tk_GlobalType, Hopper_TensorMapType]>:$source, Variadic<I32>:$coordinates,
                       Hopper_SharedType:$dest, Hopper_BarrierType:$barrier, Hopper_CursorType:$cursor);
  let assemblyFormat = [{
    $source `[` $coordinates `]` `to` $dest `signals` $barrier `[` $cursor `]` attr-dict
      `:` type($source) `,` type($dest) `,` type($barrier)
  }];
}

def Hopper_TmaStoreOp : Hopper_Op<"tma_store", [
    MemoryEffects<[MemWrite<HopperGlobalMemory>, MemRead<SharedMemory>]>]> {
  let summary = "the warpgroup's leader starts a TMA copy of a tile from shared to global memory and commits it as a group";
  let description = [{
    Reads `source` at some time until a `hopper.wait_stores_read` of the same thread covers the group.
    Elements outside the tensor are not written, and neither are the last columns of the tensor if its
    rows are not whole 16 bytes: TMA writes 16 bytes at a time. `hopper.store_row_ends` stores those.

    Example:
    ```mlir
    hopper.tma_store %t to %C[%row, %col] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
    ```
  }];
  let arguments = (ins Hopper_SharedType:$source, AnyTypeOf<[Tk_GlobalType, Hopper_TensorMapType]>:$dest,
                       Variadic<I32>:$coordinates);
  let assemblyFormat = "$source `to` $dest `[` $coordinates `]` attr-dict `:` type($source) `,` type($dest)";
}

def Hopper_StoreRowEndsOp : Hopper_Op<"store_row_ends", [
    MemoryEffects<[MemWrite<HopperGlobalMemory>, MemRead<SharedMemory>]>]> {
  let summary = "the warpgroup stores the columns of a tile that a tma_store leaves: those behind a row's last whole 16 bytes";
  let description = [{
    Ordinary loads from shared and stores to global memory; nothing happens except in tiles at the right
    edge of a tensor whose rows are not whole 16 bytes. Operands as of `hopper.tma_store`.
  }];
  let arguments = (ins Hopper_SharedType:$source, AnyTypeOf<[Tk_GlobalType, Hopper_TensorMapType]>:$dest,
                       Variadic<I32>:$coordinates);
  let assemblyFormat = "$source `to` $dest `[` $coordinates `]` attr-dict `:` type($source) `,` type($dest)";
}

def Hopper_WaitStoresReadOp : Hopper_Op<"wait_stores_read", [MemoryEffects<[MemWrite<SharedMemory>]>]> {
  let summary = "the warpgroup's leader waits until all but the newest `pending` store groups have read their source";
  let description = "cp.async.bulk.wait_group.read.";
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$pending, StrAttr:$reason);
  let assemblyFormat = "$pending `because` $reason attr-dict";
}

def Hopper_StoreFragmentOp : Hopper_Op<"store_fragment", [MemoryEffects<[MemWrite<SharedMemory>]>]> {
  let summary = "the warpgroup writes a block of a fragment to shared memory, rounding to its element type (stmatrix)";
  let description = [{
    The block has the shape of `dest` and starts at row `row` and column `column` of the fragment; both
    must be compile-time constants once loops marked for unrolling are unrolled.

    Example:
    ```mlir
    hopper.store_fragment %acc[%row, %column] to %t : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
    ```
  }];
  let arguments = (ins Hopper_FragmentType:$source, I32:$row, I32:$column, Hopper_SharedType:$dest);
  let assemblyFormat = "$source `[` $row `,` $column `]` `to` $dest attr-dict `:` type($source) `,` type($dest)";
  let hasVerifier = 1;
}

#endif // HOPPER_COPY_OPS
