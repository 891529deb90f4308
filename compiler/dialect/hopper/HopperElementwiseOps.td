//===- HopperElementwiseOps.td - Maps and reductions of fragments ---------===//
//
// The same as in the tk dialect, on the part that one warpgroup holds. Maps do
// not communicate. Reductions of rows stay within four threads; reductions of
// columns go through shared memory, so here they name it.
//
//===----------------------------------------------------------------------===//
#ifndef HOPPER_ELEMENTWISE_OPS
#define HOPPER_ELEMENTWISE_OPS

include "dialect/hopper/HopperRoleOps.td"

def Hopper_RegisterValue : AnyTypeOf<[Hopper_FragmentType, Hopper_VectorType]>;

def Hopper_MapOp : Hopper_Op<"map", [
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

def Hopper_ReduceRowsOp : Hopper_Op<"reduce_rows", [Pure,
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

def Hopper_FinishRowsOp : Hopper_Op<"finish_rows", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "combines the partial values of a row's four threads by two shuffles";
  let description = "Example: `%total = hopper.finish_rows add %sums : !hopper.vector<64xf32, column>`";
  let arguments = (ins Tk_Combine:$combine, Hopper_VectorType:$source);
  let results = (outs Hopper_VectorType:$result);
  let assemblyFormat = "$combine $source attr-dict `:` qualified(type($source))";
  let hasVerifier = 1;
}

def Hopper_ReduceColumnsOp : Hopper_Op<"reduce_columns", [
    MemoryEffects<[MemWrite<Barriers>, MemRead<SharedMemory>, MemWrite<SharedMemory>]>,
    OptionalTypesMatchWith<"the initial values have the result's type", "result", "init", "$_self">]> {
  let summary = "combines the elements of each column of a tile across all warps that hold it";
  let description = [{
    Every warp writes its columns' values to a row of `scratch`, the warpgroups that share the tile, as many
    as `across` says, meet, and every thread combines the rows. `scratch` is any shared memory of 4 bytes for
    each column and warp. They meet twice at `barrier_id`: before reading, and before `scratch` may be
    written again.

    Example:
    ```mlir
    %sums = hopper.reduce_columns add %s across 2 through %t : !hopper.fragment<64x128xf32>, !hopper.shared<8x128xf32> -> !hopper.vector<128xf32, row>
    ```
  }];
  let arguments = (ins Tk_Combine:$combine, Hopper_FragmentType:$source, Optional<Hopper_VectorType>:$init,
                       I64Attr:$warpgroups, Hopper_SharedType:$scratch,
                       DefaultValuedAttr<I64Attr, "1">:$barrier_id);
  let results = (outs Hopper_VectorType:$result);
  let assemblyFormat = [{
    $combine $source (`init` $init^)? `across` $warpgroups `through` $scratch attr-dict
      `:` qualified(type($source)) `,` qualified(type($scratch)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Hopper_SliceOp : Hopper_Op<"slice", [Pure]> {
  let summary = "some columns of a fragment, from column `first` on, as many as the result type says";
  let description = [{
    Columns begin and end at multiples of 8, so each thread takes a part of its own registers.

    Example: `%left = hopper.slice %s[64] : !hopper.fragment<64x128xf32> -> !hopper.fragment<64x64xf32>`
  }];
  let arguments = (ins Hopper_FragmentType:$source, I64Attr:$first);
  let results = (outs Hopper_FragmentType:$result);
  let assemblyFormat = "$source `` `[` $first `]` attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

#endif // HOPPER_ELEMENTWISE_OPS
