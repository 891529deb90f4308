//===- TkTransferOps.td - Between tensors, shared memory and registers ----===//
//
// Tiles and vectors in shared memory are values like any other: a load or a write
// makes a new one. Which bytes they take, and who waits for whom, is decided when
// the pipeline is inserted.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TRANSFER_OPS
#define TK_TRANSFER_OPS

include "dialect/tk/TkTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def GlobalMemory : Resource<"::tkc::tk::GlobalMemory">;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

def Tk_LoadOp : Tk_TileOp<"load"> {
  let summary = "copies a tile or vector of a global tensor into shared memory";
  let description = [{
    One index per dimension of the tensor. Of a tile, the last two count tiles (the tile at rows
    `[i * rows, (i + 1) * rows)`); of a vector, the last one counts vectors. The others count elements.
    Elements outside the tensor read as zero. With the indices of several places, one after the other,
    as many rows of the tile come from each.

    Loads with the same `ring` are the same load at several places of a loop that has been pipelined: they
    share one ring of buffers. The `policy` is a hint for L2.

    Example: `%a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared>`
  }];
  let arguments = (ins Arg<Tk_GlobalType, "the tensor", [MemRead<GlobalMemory>]>:$source,
                       Variadic<I32>:$indices, OptionalAttr<I64Attr>:$ring, OptionalAttr<Tk_CachePolicy>:$policy);
  let results = (outs Res<Tk_SharedValue, "the tile or vector", [MemAlloc]>:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$source, "::mlir::ValueRange":$indices),
              [{ build($_builder, $_state, result, source, indices, ::mlir::IntegerAttr(), CachePolicyAttr()); }]>,
  ];
  let assemblyFormat = "$source `[` $indices `]` (`policy` $policy^)? attr-dict `:` type($source) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Tk_StackOp : Tk_TileOp<"stack", [Pure]> {
  let summary = "loaded tiles as one shared tile, one below the other";
  let description = [{
    An array of tiles, each of which a `tk.load` fills, of which each worker of a `tk.each` takes another one:
    a `tk.slice` of this one, whose place depends on the worker's number. `tk-stack-loads` makes the loads one.

    Example: `%all = tk.stack %a, %b : !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared> -> !tk.tile<128x64xbf16, shared>`
  }];
  let arguments = (ins Variadic<Tk_SharedTile>:$tiles);
  let results = (outs Tk_SharedTile:$result);
  let assemblyFormat = "$tiles attr-dict `:` qualified(type($tiles)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Tk_StoreOp : Tk_TileOp<"store"> {
  let summary = "writes a tile or vector to a global tensor, rounding to its element type";
  let description = [{
    Indices as in `tk.load`. Elements outside the tensor are not written. With `accumulate`, the elements
    are added to those of the tensor, each one atomically, in no promised order. The `policy`, of a tile alone,
    tells L2 how long to keep what is written.

    Examples:
    ```mlir
    tk.store %C[%m, %n], %acc : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
    tk.store %C[%m, %n], %acc policy evict_last : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
    ```
  }];
  let arguments = (ins Arg<Tk_GlobalType, "the tensor", [MemWrite<GlobalMemory>]>:$dest,
                       Variadic<I32>:$indices, Tk_AnyValue:$value, UnitAttr:$accumulate,
                       OptionalAttr<Tk_CachePolicy>:$policy);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$dest, "::mlir::ValueRange":$indices, "::mlir::Value":$value),
              [{ build($_builder, $_state, dest, indices, value, /*accumulate=*/false, CachePolicyAttr()); }]>,
  ];
  let assemblyFormat = [{
    (`accumulate` $accumulate^)? $dest `[` $indices `]` `,` $value (`policy` $policy^)? attr-dict
      `:` type($dest) `,` qualified(type($value))
  }];
  let hasVerifier = 1;
}

def Tk_GatherOp : Tk_TileOp<"gather"> {
  let summary = "loads the rows of a tensor that an index vector names";
  let description = [{
    Row i of a tile is row `index[i]` of the tensor: of `indices`, the last one counts tiles along the
    columns, the one before it is a row that is added to each index, the others count elements. Element i
    of a vector is element `index[i]` of the last dimension, counted from the last of `indices`. Elements
    outside the tensor read as zero.

    Example:
    ```mlir
    %x = tk.gather %T[%zero, %zero] by %index : !tk.global<?x?xbf16>, !tk.vector<64xi32, register, column> -> !tk.tile<64x64xbf16, register, row>
    ```
  }];
  let arguments = (ins Arg<Tk_GlobalType, "the tensor", [MemRead<GlobalMemory>]>:$source,
                       Variadic<I32>:$indices, Tk_RegisterVector:$index);
  let results = (outs Tk_RegisterValue:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` `by` $index attr-dict `:` type($source) `,` qualified(type($index)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tk_ScatterOp : Tk_TileOp<"scatter"> {
  let summary = "stores to the rows of a tensor that an index vector names";
  let description = [{
    Row i of a tile goes to row `index[i]` of the tensor, element i of a vector to element `index[i]` of the last
    dimension, at `indices` as in `tk.gather`; elements outside the tensor are not written. With `add`, the
    elements are added to those of the tensor, each one atomically, in no promised order; with `max` or `min`, the
    larger or the smaller one stays, atomically, too; without, either stays of two that go to one place.

    Example:
    ```mlir
    tk.scatter %T[%zero, %zero], %x by %index : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>, !tk.vector<64xi32, register, column>
    ```
  }];
  let arguments = (ins Arg<Tk_GlobalType, "the tensor", [MemWrite<GlobalMemory>]>:$dest,
                       Variadic<I32>:$indices, Tk_RegisterValue:$value, Tk_RegisterVector:$index,
                       OptionalAttr<Tk_Combine>:$combine);
  let assemblyFormat = [{
    ($combine^)? $dest `[` $indices `]` `,` $value `by` $index attr-dict
      `:` type($dest) `,` qualified(type($value)) `,` qualified(type($index))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shared memory and registers
//===----------------------------------------------------------------------===//

def Tk_AllocOp : Tk_TileOp<"alloc"> {
  let summary = "a tile or vector in shared memory that holds nothing yet";
  let description = [{
    In a `tk.each`, every worker has one of its own, unless it is `common`: then there is one for all of
    them, and each writes parts that the others do not. The result of a `tk.write` to it has the parts
    of all workers.

    Examples:
    ```mlir
    %p = tk.alloc : !tk.tile<128x64xbf16, shared>
    %q = tk.alloc common : !tk.tile<128x64xbf16, shared>
    ```
  }];
  let arguments = (ins UnitAttr:$common);
  let results = (outs Res<Tk_SharedValue, "the tile or vector", [MemAlloc]>:$result);
  let assemblyFormat = "(`common` $common^)? attr-dict `:` qualified(type($result))";
}

def Tk_WriteOp : Tk_TileOp<"write", [Pure, AllTypesMatch<["dest", "result"]>]> {
  let summary = "a shared tile or vector, a part of which has been replaced from registers";
  let description = [{
    Writes `value`, which has the element type of `dest`. Indices count tiles (vectors) of `value`'s size;
    without any, `value` has the size of `dest`. The result takes the bytes of `dest`, which nobody may use
    any more: `dest` is a `tk.alloc` or another `tk.write`.

    Example:
    ```mlir
    %q = tk.write %x to %p : !tk.tile<128x64xbf16, register, row>, !tk.tile<128x64xbf16, shared>
    ```
  }];
  let arguments = (ins Tk_RegisterValue:$value, Tk_SharedValue:$dest, Variadic<I32>:$indices);
  let results = (outs Tk_SharedValue:$result);
  let assemblyFormat = [{
    $value `to` $dest (`[` $indices^ `]`)? attr-dict `:` qualified(type($value)) `,` qualified(type($dest))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The tile or vector that it writes to; null if that is not known.
    AllocOp getAlloc();
  }];
}

def Tk_ReadOp : Tk_TileOp<"read", [Pure]> {
  let summary = "a register tile or vector with the elements of a shared one, or of a part of it";
  let description = [{
    Indices count tiles (vectors) of the result's size; without any, the result has the size of `source`.

    Example:
    ```mlir
    %k = tk.read %s[%i, %zero] : !tk.tile<64x64xbf16, shared> -> !tk.tile<16x64xbf16, register, row>
    ```
  }];
  let arguments = (ins Tk_SharedValue:$source, Variadic<I32>:$indices);
  let results = (outs Tk_RegisterValue:$result);
  let assemblyFormat = [{
    $source (`[` $indices^ `]`)? attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tk_ReadColumnOp : Tk_TileOp<"read_column", [Pure]> {
  let summary = "one column of a shared tile as a register vector";
  let description = [{
    `column` counts columns. tk-distribute makes it of a sum over rows in which all other columns are zero, for
    scanner warps (dialect/tk/Scanner.h), of which a lane reads neighbours of the column.

    Example: `%v = tk.read_column %s[%i] : !tk.tile<64x16xf32, shared> -> !tk.vector<64xf32, register, column>`
  }];
  let arguments = (ins Tk_SharedTile:$source, I32:$column);
  let results = (outs Tk_RegisterVector:$result);
  let assemblyFormat = [{
    $source `[` $column `]` attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

#endif // TK_TRANSFER_OPS
