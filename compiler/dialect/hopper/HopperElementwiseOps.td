//===- HopperElementwiseOps.td - Maps and reductions of fragments ---------===//
//
// The same as in the tk dialect, on the part that one warpgroup holds. Maps do
// not communicate. Reductions of rows stay within four threads; reductions of
// columns go through shared memory, so here they name it.
//
//===----------------------------------------------------------------------===//
#ifndef HOPPER_ELEMENTWISE_OPS
#define HOPPER_ELEMENTWISE_OPS

include "dialect/hopper/HopperMmaOps.td"

def Hopper_MapOp : Hopper_Op<"map", [
    Statement<"Elementwise", ["tile/map"]>, Hopper_InPlace,
    RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "each thread computes its elements of a fragment or vector from its elements of others";
  let description = [{
    As `tk.map`. Coordinates count from the warpgroup's first row.

    Example:
    ```mlir
    %p = hopper.map (%x = %s : !hopper.fragment<64x128xf32>, %n = %now : !hopper.vector<64xf32, column>)
           -> !hopper.fragment<64x128xf32> {
      %0 = arith.subf %x, %n : f32
      %1 = math.exp2 %0 : f32
      tk.yield %1 : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Hopper_RegisterValue>:$inputs);
  let results = (outs Variadic<Hopper_RegisterValue>:$results);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [
    /// As tk.map's.
    OpBuilder<(ins "::mlir::TypeRange":$resultTypes, "::mlir::ValueRange":$inputs, "bool":$coordinates,
                   "::llvm::function_ref<void(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>":$body)>,
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block::BlockArgListType getElements() {
      return getBody().getArguments().take_front(getInputs().size());
    }
    ::mlir::Block::BlockArgListType getCoordinates() {
      return getBody().getArguments().drop_front(getInputs().size());
    }
  }];
}

def Hopper_ReduceRowsOp : Hopper_Op<"reduce_rows", [Statement<"Reduction", ["tile/reduce"]>, Pure, Hopper_InPlace,
    OptionalTypesMatchWith<"the initial values have the result's type", "result", "init", "$_self">]> {
  let summary = "combines the elements of each row of a fragment";
  let description = [{
    With `partial`, every thread combines only the elements that it holds itself, a quarter of the row;
    `hopper.finish_rows` then combines the four.

    Example:
    ```mlir
    %now = hopper.reduce_rows max %s init %best : !hopper.fragment<64x128xf32> -> !hopper.vector<64xf32, column>
    ```
  }];
  let arguments = (ins Tk_Combine:$combine, UnitAttr:$partial, Hopper_FragmentType:$source,
                       Optional<Hopper_VectorType>:$init);
  let results = (outs Hopper_VectorType:$result);
  let assemblyFormat = [{
    $combine (`partial` $partial^)? $source (`init` $init^)? attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Hopper_FinishRowsOp : Hopper_Op<"finish_rows", [Statement<"Reduction", ["tile/reduce"]>, Pure, Hopper_InPlace, AllTypesMatch<["source", "result"]>]> {
  let summary = "combines the partial values of a row's four threads by two shuffles";
  let description = "Example: `%total = hopper.finish_rows add %sums : !hopper.vector<64xf32, column>`";
  let arguments = (ins Tk_Combine:$combine, Hopper_VectorType:$source);
  let results = (outs Hopper_VectorType:$result);
  let assemblyFormat = "$combine $source attr-dict `:` qualified(type($source))";
  let hasVerifier = 1;
}

def Hopper_AnyRowOp : Hopper_Op<"any_row", [
    Statement<"Reduction", ["tile/reduce"]>,
    RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "whether a condition holds for a row that this warp holds (vote.sync)";
  let description = [{
    The body gets an element of each column vector, as in `hopper.map`, and yields the condition. The result is
    the same in all threads of a warp, but not in all warps of a warpgroup: a branch on it may hold nothing
    that more than a warp must execute together. Every thread asks for its own elements, so of partial values
    (`hopper.reduce_rows partial`) all four of a row are asked.

    Example:
    ```mlir
    %p = hopper.any_row (%f = %alpha : !hopper.vector<64xf32, column>) -> i1 {
      %0 = arith.cmpf une, %f, %one : f32
      tk.yield %0 : i1
    }
    ```
  }];
  let arguments = (ins Variadic<Hopper_VectorType>:$inputs);
  let results = (outs I1:$result);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [
    /// As hopper.map's, without coordinates.
    OpBuilder<(ins "::mlir::ValueRange":$inputs,
                   "::llvm::function_ref<void(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>":$body)>,
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Hopper_AnyLargeOp : Hopper_Op<"any_large", [Statement<"Reduction", ["tile/reduce"]>, Pure]> {
  let summary = "whether this warp holds an element of 2 or more in size, or one that is not a number (vote.sync)";
  let description = [{
    Of 16-bit floats. The result is the same in all threads of a warp, as that of `hopper.any_row`.

    Example: `%p = hopper.any_large %weights : !hopper.fragment<64x128xbf16>`
  }];
  let arguments = (ins Hopper_FragmentType:$source);
  let results = (outs I1:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source))";
  let hasVerifier = 1;
}

def Hopper_ReduceColumnsOp : Hopper_Op<"reduce_columns", [
    DeclareOpInterfaceMethods<SharedAccess>, Exchange, Statement<"Reduction", ["tile/reduce"]>, Hopper_InPlace,
    AttrSizedOperandSegments,
    MemoryEffects<[MemWrite<Barriers>, MemRead<SharedMemory>, MemWrite<SharedMemory>]>,
    OptionalTypesMatchWith<"the initial values have the result's type", "result", "init", "$_self">]> {
  let summary = "combines the elements of each column of a tile across all warps that hold it";
  let description = [{
    Every warp writes its columns' values to a row of `scratch`, the warpgroups that share the tile, as many
    as `across` says, meet, and every thread combines the rows. `scratch` is any shared memory of 4 bytes for
    each column and warp. They meet twice at `barrier_id`: before reading, and before `scratch` may be
    written again. Where every warp has a tile of its own, there is no `scratch` and nobody meets.

    Example:
    ```mlir
    %sums = hopper.reduce_columns add %s across 2 through %t : !hopper.fragment<64x128xf32>, !hopper.shared<8x128xf32> -> !hopper.vector<128xf32, row>
    ```
  }];
  let arguments = (ins Tk_Combine:$combine, Hopper_FragmentType:$source, Optional<Hopper_VectorType>:$init,
                       I64Attr:$warpgroups, Optional<Hopper_SharedType>:$scratch,
                       DefaultValuedAttr<I64Attr, "1">:$barrier_id);
  let results = (outs Hopper_VectorType:$result);
  let assemblyFormat = [{
    $combine $source (`init` $init^)? `across` $warpgroups (`through` $scratch^)? attr-dict
      `:` qualified(type($source)) (`,` qualified(type($scratch))^)? `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Hopper_SliceOp : Hopper_Op<"slice", [DeclareOpInterfaceMethods<CudaSpelling>, Pure]> {
  let summary = "a part of a fragment or vector, from a constant row and column on";
  let description = [{
    The result's type says how much. Columns begin and end at multiples of 8 and rows at multiples of 64, so
    each thread takes a part of its own registers. A result that is a column vector is one column, from any
    place: it comes by shuffles from the thread that holds it. Of a vector, `row` or `column` counts its
    elements, whichever it has; the other is 0.

    Example: `%left = hopper.slice %s[0, 64] : !hopper.fragment<64x128xf32> -> !hopper.fragment<64x64xf32>`
  }];
  let arguments = (ins Hopper_RegisterValue:$source, I64Attr:$row, I64Attr:$column);
  let results = (outs Hopper_RegisterValue:$result);
  let assemblyFormat = [{
    $source `` `[` $row `,` $column `]` attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Hopper_ConcatOp : Hopper_Op<"concat", [
    Statement<"Elementwise", ["tile/parts"]>, DeclareOpInterfaceMethods<RuntimeCall>, Pure]> {
  let summary = "joins fragments side by side (`columns`) or one below the other (`rows`), or vectors end to end";
  let description = [{
    Each thread joins its own registers.

    Example:
    ```mlir
    %t = hopper.concat columns %a, %b : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xf32> -> !hopper.fragment<64x128xf32>
    ```
  }];
  let arguments = (ins Tk_Along:$along, Variadic<Hopper_RegisterValue>:$parts);
  let results = (outs Hopper_RegisterValue:$result);
  let assemblyFormat = "$along $parts attr-dict `:` qualified(type($parts)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Hopper_DeinterleaveOp : Hopper_Op<"deinterleave", [
    Statement<"Elementwise", ["tile/interleave"]>, DeclareOpInterfaceMethods<RuntimeCall>, Pure]> {
  let summary = "every other column of a fragment: 0, 2, 4, ... or, with `odd`, 1, 3, 5, ...";
  let description = [{
    The four threads that share a row exchange by shuffles, two for each two registers.

    Example: `%b = hopper.deinterleave odd %x : !hopper.fragment<64x128xbf16> -> !hopper.fragment<64x64xbf16>`
  }];
  let arguments = (ins UnitAttr:$odd, Hopper_FragmentType:$source);
  let results = (outs Hopper_FragmentType:$result);
  let assemblyFormat = "(`odd` $odd^)? $source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Hopper_InterleaveOp : Hopper_Op<"interleave", [
    Statement<"Elementwise", ["tile/interleave"]>, Calls<"interleave_columns", "interleaved">, Pure,
    AllTypesMatch<["even", "odd"]>]> {
  let summary = "the columns of two fragments interleaved, the first one's first";
  let description = [{
    The four threads that share a row exchange by shuffles, two for each two registers.

    Example: `%x = hopper.interleave %a, %b : !hopper.fragment<64x64xf32> -> !hopper.fragment<64x128xf32>`
  }];
  let arguments = (ins Hopper_FragmentType:$even, Hopper_FragmentType:$odd);
  let results = (outs Hopper_FragmentType:$result);
  let assemblyFormat = "$even `,` $odd attr-dict `:` qualified(type($even)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Hopper_SwapPairsOp : Hopper_Op<"swap_pairs", [
    Statement<"Elementwise", ["tile/interleave"]>, Calls<"swap_pairs", "swapped">, Pure,
    AllTypesMatch<["source", "result"]>]> {
  let summary = "a fragment with the columns of each pair swapped: 1, 0, 3, 2, ...";
  let description = "Example: `%b = hopper.swap_pairs %x : !hopper.fragment<64x128xbf16>`";
  let arguments = (ins Hopper_FragmentType:$source);
  let results = (outs Hopper_FragmentType:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source))";
}

def Hopper_ScaleColumnsOp : Hopper_Op<"scale_columns", [
    Statement<"Elementwise", ["tile/split"]>, Calls<"scale_columns", "scaled">, Pure, Hopper_InPlace,
    AllTypesMatch<["source", "result"]>]> {
  let summary = "each column of a bf16 fragment times its factor, rounded (mul and fma.rn.bf16x2)";
  let description = [{
    The factors are the sums of two bf16, so two elements cost two instructions, and the product is right to
    2^-17 of itself before it is rounded. An infinite element may become NaN.

    Example: `%b = hopper.scale_columns %x, %f : !hopper.fragment<64x64xbf16>, !hopper.vector<64xf32, split>`
  }];
  let arguments = (ins Hopper_FragmentType:$source, Hopper_VectorType:$factors);
  let results = (outs Hopper_FragmentType:$result);
  let assemblyFormat = "$source `,` $factors attr-dict `:` qualified(type($source)) `,` qualified(type($factors))";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Moves between threads. `scratch` is shared memory that the warps exchange
// through; a kernel whose warps have tiles of their own needs none.
//===----------------------------------------------------------------------===//

class Hopper_CrossWarpOp<string mnemonic, list<Trait> traits = []> : Hopper_Op<mnemonic, !listconcat([
    DeclareOpInterfaceMethods<SharedAccess>, Exchange, MemoryEffects<[MemWrite<Barriers>, MemRead<SharedMemory>, MemWrite<SharedMemory>]>], traits)> {
  let results = (outs Hopper_RegisterValue:$result);
  let hasVerifier = 1;
}

def Hopper_TransposeOp : Hopper_CrossWarpOp<"transpose", [
    Statement<"Elementwise", ["tile/transpose"]>, Calls<"transpose", "transposed">]> {
  let summary = "rows become columns";
  let description = [{
    Of a fragment: `each warp` transposes its own tile by movmatrix (16-bit elements) or shuffles. Otherwise
    all warpgroups that share the tile write it to `scratch`, which has the tile's elements, meet, and read it.
    Of a vector: a column vector becomes a row vector or the other way round, through `scratch` of 4 bytes for
    each element. `warpgroups` is how many share the tile; they meet at `barrier_id` before reading and before
    `scratch` may be written again.

    Example:
    ```mlir
    %t = hopper.transpose %a across 1 through %s : !hopper.fragment<64x128xbf16>, !hopper.shared<64x128xbf16> -> !hopper.fragment<128x64xbf16>
    ```
  }];
  let arguments = (ins Hopper_RegisterValue:$source, I64Attr:$warpgroups, Optional<Hopper_SharedType>:$scratch,
                       DefaultValuedAttr<I64Attr, "5">:$barrier_id);
  let assemblyFormat = [{
    $source `across` $warpgroups (`through` $scratch^)? attr-dict
      `:` qualified(type($source)) (`,` type($scratch)^)? `->` qualified(type($result))
  }];
}

def Hopper_ScanOp : Hopper_CrossWarpOp<"scan", [
    Statement<"Reduction", ["tile/scan"]>, DeclareOpInterfaceMethods<RuntimeCall>, Hopper_InPlace,
    AllTypesMatch<["source", "result"]>]> {
  let summary = "value i of the result combines values of a vector: 0 to i, or those that the reach says (Tk_Reach)";
  let description = [{
    Within a warp by shuffles. A column vector also goes across warps: through `scratch` of 4 bytes for each
    warp of the `warpgroups` that share it. A total is the same in every place and costs five shuffles.

    Example: `%c = hopper.scan add %v across 2 through %s : !hopper.vector<64xf32, column>, !hopper.shared<1x16xf32>`
  }];
  let arguments = (ins Tk_Combine:$combine, DefaultValuedAttr<Tk_Reach, "::tkc::tk::Reach::Before">:$reach,
                       Hopper_VectorType:$source, I64Attr:$warpgroups, Optional<Hopper_SharedType>:$scratch,
                       DefaultValuedAttr<I64Attr, "5">:$barrier_id);
  let assemblyFormat = [{
    $combine ($reach^)? $source `across` $warpgroups (`through` $scratch^)? attr-dict
      `:` qualified(type($source)) (`,` type($scratch)^)?
  }];
}

#endif // HOPPER_ELEMENTWISE_OPS
