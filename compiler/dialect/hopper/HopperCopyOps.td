//===- HopperCopyOps.td - Shared memory, TMA, registers <-> shared --------===//
#ifndef HOPPER_COPY_OPS
#define HOPPER_COPY_OPS

include "dialect/hopper/HopperBarrierOps.td"

def Hopper_AllocRingOp : Hopper_Op<"alloc_ring", [Elsewhere<"Declaration">, MemoryEffects<[MemAlloc<SharedMemory>]>]> {
  let summary = "a ring of tiles in shared memory";
  let description = [{
    `offset` (bytes from a 1024-byte boundary) and `swizzle` (span in bytes: 32, 64 or 128) are set by
    tk-allocate-shared. A tile wider than its swizzle span is stored as swizzle-atom columns of `swizzle` bytes of a
    row, each swizzle-atom column with all rows. `what` says what the buffer is for, in the emitted memory plan.

    A ring may lie `over` another one, in its bytes, if nothing needs both at once: what is written to one of them
    destroys the other's tiles. Rings over the same one share no bytes with each other.

    Examples:
    ```mlir
    %a = hopper.alloc_ring "a" : !hopper.ring<4, 128x64xbf16>
    %staging = hopper.alloc_ring "staging" : !hopper.ring<4, 64x64xbf16> over %a : !hopper.ring<4, 128x64xbf16>
    ```
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<StrAttr>:$what, OptionalAttr<I64Attr>:$offset,
                       OptionalAttr<I64Attr>:$swizzle, Optional<Hopper_RingType>:$over);
  let results = (outs Hopper_RingType:$result);
  let assemblyFormat = "$name attr-dict `:` type($result) (`over` $over^ `:` type($over))?";
  let hasVerifier = 1;
}

def Hopper_FillOnesOp : Hopper_Op<"fill_ones", [SetUp<"Shared">, MemoryEffects<[MemWrite<SharedMemory>]>]> {
  let summary = "all threads of the block write the ones beside a ring's stages, and a proxy fence after that";
  let description = [{
    Before the block's first barrier, after which the roles begin.

    Example: `hopper.fill_ones %v : !hopper.ring<2, 128x64xbf16, with_ones>`
  }];
  let arguments = (ins Hopper_RingType:$ring);
  let assemblyFormat = "$ring attr-dict `:` type($ring)";
}

// The result is one tile of the ring.
def TileOfRing : TypesMatchWith<"the tile is one of the ring's", "ring", "result",
    "::tkc::hopper::SharedType::get($_self.getContext(), ::llvm::cast<::tkc::hopper::RingType>($_self).getRows(), "
    "::llvm::cast<::tkc::hopper::RingType>($_self).getCols(), ::llvm::cast<::tkc::hopper::RingType>($_self).getElementType())">;

def Hopper_StageOp : Hopper_Op<"stage", [
    Bookkeeping<"Declaration">,
    TypesMatchWith<"cursor and ring have the same number of stages", "ring", "cursor",
      "::tkc::hopper::CursorType::get($_self.getContext(), ::llvm::cast<::tkc::hopper::RingType>($_self).getStages())">,
    TileOfRing, MemoryEffects<[MemRead<Cursors>]>]> {
  let summary = "the tile at the cursor's stage of a ring";
  let description = "Example: `%t = hopper.stage %a[%use] : !hopper.ring<4, 128x64xbf16>`";
  let arguments = (ins Hopper_RingType:$ring, Hopper_CursorType:$cursor);
  let results = (outs Hopper_SharedType:$result);
  let assemblyFormat = "$ring `[` $cursor `]` attr-dict `:` type($ring)";
}

def Hopper_SlotOp : Hopper_Op<"slot", [Bookkeeping<"Declaration">, Pure, TileOfRing]> {
  let summary = "the tile at a computed place of a ring";
  let description = "Example: `%t = hopper.slot %staging[%i] : !hopper.ring<4, 64x64xbf16>`";
  let arguments = (ins Hopper_RingType:$ring, I32:$index);
  let results = (outs Hopper_SharedType:$result);
  let assemblyFormat = "$ring `[` $index `]` attr-dict `:` type($ring)";
}

def Hopper_RowsOp : Hopper_Op<"rows", [Bookkeeping<"Scalar">, Pure]> {
  let summary = "some rows of a shared tile, from row `first` on, as many as the result type says";
  let arguments = (ins Hopper_SharedType:$source, I32:$first);
  let results = (outs Hopper_SharedType:$result);
  let assemblyFormat = "$source `,` $first attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Hopper_TensorMapOp : Hopper_Op<"tensor_map", [Elsewhere<"Scalar">, Pure]> {
  let summary = "the TMA descriptor of a global tensor for boxes of one swizzle-atom column";
  let description = [{
    Box rows x columns, or depth x rows x columns; swizzle in bytes. The launcher encodes it; the kernel gets it as a parameter.
    `output` marks the map of a tensor that is stored to: it also holds what store_tail_columns needs.

    Example: `%map = hopper.tensor_map %A box [128, 64] swizzle 128 : !tk.global<?x?xbf16>`
  }];
  let arguments = (ins Tk_GlobalType:$source, DenseI64ArrayAttr:$box, I64Attr:$swizzle, OptionalAttr<StrAttr>:$name,
                       UnitAttr:$output);
  let results = (outs Hopper_TensorMapType:$result);
  let assemblyFormat = "$source `box` $box `swizzle` $swizzle attr-dict `:` type($source)";
}

def Hopper_TmaLoadOp : Hopper_Op<"tma_load", [
    DeclareOpInterfaceMethods<SharedAccess>, TmaCopy, BarrierUse, OneThreadStatement<"Load", ["tile/move"]>,
    CursorOfBarrier, MemoryEffects<[MemRead<HopperGlobalMemory>, MemWrite<SharedMemory>, MemWrite<Barriers>, MemRead<Cursors>]>]> {
  let summary = "one thread starts a TMA copy of a tile from global to shared memory";
  let description = [{
    `coordinates` are in elements, one per dimension of the tensor, slowest first. Upon completion the
    tile is in `dest` (zeros outside the tensor) and its full byte count has been counted on the barrier.
    `source` is the tensor until tk-legalize-for-emission replaces it by its tensor map. A box
    of `depth` above 1 brings as many tiles, one below the other, of consecutive indices of the dimension before the rows.
    The `policy` tells L2 how long to keep what is read.

    Example:
    ```mlir
    hopper.tma_load %A[%row, %col] to %t signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<128x64xbf16>, !hopper.barrier<4>
    hopper.tma_load %X[%first, %row, %col] depth 8 to %t signals %full[%fill] : !tk.global<?x16x64xbf16>, !hopper.shared<128x64xbf16>, !hopper.barrier<4>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Tk_GlobalType, Hopper_TensorMapType]>:$source, Variadic<I32>:$coordinates,
                       Hopper_SharedType:$dest, Hopper_BarrierType:$barrier, Hopper_CursorType:$cursor,
                       OptionalAttr<Tk_CachePolicy>:$policy, DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$depth);
  let assemblyFormat = [{
    $source `[` $coordinates `]` (`depth` $depth^)? `to` $dest `signals` $barrier `[` $cursor `]`
      (`policy` $policy^)? attr-dict
      `:` type($source) `,` type($dest) `,` type($barrier)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::OpOperand &getTensorMutable() { return getSourceMutable(); }
    ::mlir::Value getTile() { return getDest(); }
    bool isOutput() { return false; }
  }];
}

def Hopper_TmaStoreOp : Hopper_Op<"tma_store", [
    DeclareOpInterfaceMethods<SharedAccess>, TmaCopy, OneThreadStatement<"Store", ["tile/move"]>,
    MemoryEffects<[MemWrite<HopperGlobalMemory>, MemRead<SharedMemory>]>]> {
  let summary = "the warpgroup's leader starts a TMA copy of a tile from shared to global memory and commits it as a group";
  let description = [{
    Reads `source` at some time until a `hopper.wait_stores_read` of the same thread covers the group.
    Elements outside the tensor are not written, and neither are the last columns of the tensor if its
    rows are not whole 16 bytes: TMA writes 16 bytes at a time. `hopper.store_tail_columns` stores those.
    With `accumulate`, elements are added to the tensor's (cp.reduce.async.bulk.tensor .add). The `policy` tells
    L2 how long to keep what is written; where the compiler has chosen it, `because` says why.

    Examples:
    ```mlir
    hopper.tma_store %t to %C[%row, %col] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
    hopper.tma_store %t to %C[%row, %col] policy evict_first because "L2 keeps the inputs" : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
    ```
  }];
  let arguments = (ins Hopper_SharedType:$source, AnyTypeOf<[Tk_GlobalType, Hopper_TensorMapType]>:$dest,
                       Variadic<I32>:$coordinates, UnitAttr:$accumulate, OptionalAttr<Tk_CachePolicy>:$policy,
                       OptionalAttr<StrAttr>:$policy_reason);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$dest, "::mlir::ValueRange":$coordinates),
              [{ build($_builder, $_state, source, dest, coordinates, /*accumulate=*/false,
                       ::tkc::tk::CachePolicyAttr(), ::mlir::StringAttr()); }]>,
  ];
  let assemblyFormat = [{
    (`accumulate` $accumulate^)? $source `to` $dest `[` $coordinates `]` (`policy` $policy^)? (`because` $policy_reason^)?
      attr-dict `:` type($source) `,` type($dest)
  }];
  let extraClassDeclaration = [{
    ::mlir::OpOperand &getTensorMutable() { return getDestMutable(); }
    ::mlir::Value getTile() { return getSource(); }
    bool isOutput() { return true; }
  }];
}

def Hopper_StoreTailColumnsOp : Hopper_Op<"store_tail_columns", [
    DeclareOpInterfaceMethods<SharedAccess>, TmaCopy, Statement<"Store", ["tile/move"]>,
    MemoryEffects<[MemWrite<HopperGlobalMemory>, MemRead<SharedMemory>]>]> {
  let summary = "the warpgroup stores the columns of a tile that a tma_store leaves: those after a row's last whole 16 bytes";
  let description = [{
    Ordinary loads from shared and stores to global memory; nothing happens except in tiles at the right
    edge of a tensor whose rows are not whole 16 bytes. Operands as of `hopper.tma_store`, whose `policy` it has if
    the user has said it.
  }];
  let arguments = (ins Hopper_SharedType:$source, AnyTypeOf<[Tk_GlobalType, Hopper_TensorMapType]>:$dest,
                       Variadic<I32>:$coordinates, UnitAttr:$accumulate, OptionalAttr<Tk_CachePolicy>:$policy);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$dest, "::mlir::ValueRange":$coordinates),
              [{ build($_builder, $_state, source, dest, coordinates, /*accumulate=*/false, ::tkc::tk::CachePolicyAttr()); }]>,
  ];
  let assemblyFormat = [{
    (`accumulate` $accumulate^)? $source `to` $dest `[` $coordinates `]` (`policy` $policy^)?
      attr-dict `:` type($source) `,` type($dest)
  }];
  let extraClassDeclaration = [{
    ::mlir::OpOperand &getTensorMutable() { return getDestMutable(); }
    ::mlir::Value getTile() { return getSource(); }
    bool isOutput() { return true; }
  }];
}

def Hopper_WaitStoresReadOp : Hopper_Op<"wait_stores_read", [OneThreadStatement<"Wait", ["tile/move"]>, MemoryEffects<[MemWrite<SharedMemory>]>]> {
  let summary = "the warpgroup's leader waits until all but the newest `pending` store groups have read their source";
  let description = "cp.async.bulk.wait_group.read.";
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$pending, StrAttr:$reason);
  let assemblyFormat = "$pending `because` $reason attr-dict";
}

def Hopper_StoreFragmentOp : Hopper_Op<"store_fragment", [DeclareOpInterfaceMethods<SharedAccess>, Statement<"Shared", ["tile/move"]>, MemoryEffects<[MemWrite<SharedMemory>]>]> {
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

def Hopper_LoadFragmentOp : Hopper_Op<"load_fragment", [DeclareOpInterfaceMethods<SharedAccess>, Statement<"Shared", ["tile/move"]>, MemoryEffects<[MemRead<SharedMemory>]>]> {
  let summary = "the warpgroup reads a fragment, or a vector, from shared memory";
  let description = [{
    The source has the result's shape: this warpgroup's rows are chosen with `hopper.rows` before. In a
    role `each warp` it is the warp's own tile, so it has a quarter of the fragment's rows. A vector's
    source is a tile of one row. Sixteen-bit tiles come by ldmatrix. With `in_order` the source lies in
    fragment order, as its tensor does: a thread reads 16 bytes at a time.
    With `hopper.transposed` the fragment is the transpose of the source, of 16-bit elements: ldmatrix transposes it.

    Example:
    ```mlir
    %x = hopper.load_fragment %t : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
    %v = hopper.load_fragment %u : !hopper.shared<1x128xf32> -> !hopper.vector<128xf32, row>
    ```
  }];
  let arguments = (ins Hopper_SharedType:$source, UnitAttr:$in_order);
  let results = (outs AnyTypeOf<[Hopper_FragmentType, Hopper_VectorType]>:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$source),
              [{ build($_builder, $_state, result, source, /*in_order=*/false); }]>,
  ];
  let assemblyFormat = "(`in_order` $in_order^)? $source attr-dict `:` type($source) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Hopper_LoadColumnOp : Hopper_Op<"load_column", [DeclareOpInterfaceMethods<SharedAccess>, Statement<"Shared", ["tile/lanes"]>, MemoryEffects<[MemRead<SharedMemory>]>]> {
  let summary = "a scanner warp reads one column of a shared tile";
  let description = [{
    Example: `%v = hopper.load_column %t[%i] : !hopper.shared<64x16xf32> -> !hopper.vector<64xf32, lanes>`
  }];
  let arguments = (ins Hopper_SharedType:$source, I32:$column);
  let results = (outs Hopper_VectorType:$result);
  let assemblyFormat = "$source `[` $column `]` attr-dict `:` type($source) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Hopper_ColumnsOp : Hopper_Op<"columns", [Bookkeeping<"Scalar">, Pure]> {
  let summary = "some columns of a shared tile, from column `first` on, as many as the result type says";
  let description = [{
    `first` is a multiple of 16 for a tile; of a vector (a tile of one row) any multiple of 4 elements.

    Example: `%r = hopper.columns %t, %first : !hopper.shared<64x128xbf16> -> !hopper.shared<64x64xbf16>`
  }];
  let arguments = (ins Hopper_SharedType:$source, I32:$first);
  let results = (outs Hopper_SharedType:$result);
  let assemblyFormat = "$source `,` $first attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Hopper_StoreVectorOp : Hopper_Op<"store_vector", [DeclareOpInterfaceMethods<SharedAccess>, Statement<"Shared", ["tile/move"]>, MemoryEffects<[MemWrite<SharedMemory>]>]> {
  let summary = "the warpgroup writes a vector to shared memory";
  let description = [{
    With `in_order` a scanner warp writes it in fragment order, from which threads read four of their columns
    at a time; with `split` each float as the sum of two bf16, as a `split` vector is read.

    Example: `hopper.store_vector %v to %t : !hopper.vector<64xf32, column>, !hopper.shared<1x64xf32>`
  }];
  let arguments = (ins Hopper_VectorType:$source, Hopper_SharedType:$dest, UnitAttr:$in_order, UnitAttr:$split);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$dest),
              [{ build($_builder, $_state, source, dest, /*in_order=*/false, /*split=*/false); }]>,
  ];
  let assemblyFormat = "(`in_order` $in_order^)? (`split` $split^)? $source `to` $dest attr-dict `:` type($source) `,` type($dest)";
  let hasVerifier = 1;
}

def Hopper_StoreGlobalOp : Hopper_Op<"store_global", [Statement<"Store", ["host/global", "tile/global"]>, MemoryEffects<[MemWrite<HopperGlobalMemory>]>]> {
  let summary = "the warpgroup writes a vector, or a fragment, straight from registers to global memory";
  let description = [{
    `coordinates` of the first element, in elements; rounds to the tensor's element type; elements outside
    the tensor are not written. Of a vector, one of the threads that hold a value writes it. The tensor of
    a fragment lies in fragment order: a thread writes 16 bytes at a time. With `accumulate`, values
    are added (red.global.add).

    Example:
    ```mlir
    hopper.store_global %v to %L[%b, %row] : !hopper.vector<64xf32, column>, !tk.global<?x?xf32>
    hopper.store_global accumulate %x to %S[%row, %zero] : !hopper.fragment<64x64xf32>, !tk.global<?x64xf32, fragments>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Hopper_VectorType, Hopper_FragmentType]>:$source, Tk_GlobalType:$dest,
                       Variadic<I32>:$coordinates, UnitAttr:$accumulate);
  let assemblyFormat = [{
    (`accumulate` $accumulate^)? $source `to` $dest `[` $coordinates `]` attr-dict `:` qualified(type($source)) `,` type($dest)
  }];
  let hasVerifier = 1;
}

def Hopper_GatherOp : Hopper_Op<"gather", [Statement<"Load", ["host/global", "tile/global"]>, MemoryEffects<[MemRead<HopperGlobalMemory>]>]> {
  let summary = "the warpgroup loads rows of a tensor, or elements, that an index vector names";
  let description = [{
    As `tk.gather`, but `coordinates` count elements. Ordinary loads from global memory to registers.

    Example:
    ```mlir
    %x = hopper.gather %T[%zero, %zero] by %index : !tk.global<?x?xbf16>, !hopper.vector<64xi32, column> -> !hopper.fragment<64x64xbf16>
    ```
  }];
  let arguments = (ins Tk_GlobalType:$source, Variadic<I32>:$coordinates, Hopper_VectorType:$index);
  let results = (outs AnyTypeOf<[Hopper_FragmentType, Hopper_VectorType]>:$result);
  let assemblyFormat = [{
    $source `[` $coordinates `]` `by` $index attr-dict `:` type($source) `,` type($index) `->` qualified(type($result))
  }];
}

def Hopper_ScatterOp : Hopper_Op<"scatter", [Statement<"Store", ["host/global", "tile/global"]>, MemoryEffects<[MemWrite<HopperGlobalMemory>]>]> {
  let summary = "the warpgroup stores to rows of a tensor, or elements, that an index vector names";
  let description = [{
    As `tk.scatter`, but `coordinates` count elements. Each thread stores what it holds, or combines it with
    the elements there (red.global.add, .max, .min).

    Example:
    ```mlir
    hopper.scatter %x by %index to %T[%zero, %zero] : !hopper.fragment<64x64xf32>, !hopper.vector<64xi32, column>, !tk.global<?x?xbf16>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Hopper_FragmentType, Hopper_VectorType]>:$source, Tk_GlobalType:$dest,
                       Variadic<I32>:$coordinates, Hopper_VectorType:$index, OptionalAttr<Tk_Combine>:$combine);
  let assemblyFormat = [{
    ($combine^)? $source `by` $index `to` $dest `[` $coordinates `]` attr-dict
      `:` qualified(type($source)) `,` type($index) `,` type($dest)
  }];
}

#endif // HOPPER_COPY_OPS
