//===- TkElementwiseOps.td - Maps, reductions, parts of tiles -------------===//
//
// Everything that happens to register tiles between their MMAs. One op, the
// map, stands for all elementwise code: its body is ordinary scalar arithmetic,
// so MLIR's folders and CSE work in it, a chain of operations is fused by inlining
// one body into another, and a new operation needs no new op.
//
//===----------------------------------------------------------------------===//
#ifndef TK_ELEMENTWISE_OPS
#define TK_ELEMENTWISE_OPS

include "dialect/tk/TkTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

def Tk_MapOp : Tk_TileOp<"map", [
    RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "computes every element of a tile or vector from the elements at the same place of others";
  let description = [{
    Operands are register tiles of the result's shape and layout, and register vectors that are the same
    along the extent they do not have: a column vector gives an element its row's value, a row vector its
    column's. A result is a tile, or a vector if all operands are vectors of its orientation. Several
    results have one shape and may differ in element type.

    The body computes one element. Its arguments are the operands' elements and, after `at`, the
    element's coordinates (`i32`): row and column in a tile, the index in a vector. Scalars from outside
    are used as they are. The body holds scalar ops without effects and ends with `tk.yield`.

    Example:
    ```mlir
    %p = tk.map (%x = %s : !tk.tile<128x128xf32, register, row>, %n = %now : !tk.vector<128xf32, register, column>)
           -> !tk.tile<128x128xf32, register, row> {
      %0 = arith.subf %x, %n : f32
      %1 = math.exp2 %0 : f32
      tk.yield %1 : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tk_RegisterValue>:$inputs);
  let results = (outs Variadic<Tk_RegisterValue>:$results);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [
    /// `body` gets the elements and, if `coordinates`, the coordinates; it must end with tk.yield.
    OpBuilder<(ins "::mlir::TypeRange":$resultTypes, "::mlir::ValueRange":$inputs, "bool":$coordinates,
                   "::llvm::function_ref<void(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>":$body)>,
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The arguments that hold the operands' elements.
    ::mlir::Block::BlockArgListType getElements() {
      return getBody().getArguments().take_front(getInputs().size());
    }
    /// The arguments that hold the coordinates; none without `at`.
    ::mlir::Block::BlockArgListType getCoordinates() {
      return getBody().getArguments().drop_front(getInputs().size());
    }
  }];
}

def Tk_YieldOp : Tk_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "the elements that the body of a map has computed, one for each result";
  let description = "Example: `tk.yield %1 : f32`";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict $values `:` type($values)";
}

def Tk_ConvertOp : Tk_Op<"convert", [Pure]> {
  let summary = "a float as a tf32, rounded to nearest even, or a tf32 as the float that it is";
  let description = [{
    For other pairs of types there are arith.truncf and arith.extf; these two MLIR counts as equally wide.
    A scalar op for the body of a `tk.map`.

    Example: `%t = tk.convert %x : f32 to tf32`
  }];
  let arguments = (ins AnyTypeOf<[F32, TF32]>:$source);
  let results = (outs AnyTypeOf<[F32, TF32]>:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasFolder = 1;
}

def Tk_RandomOp : Tk_Op<"random", [Pure]> {
  let summary = "a random number, evenly distributed over 0 <= x < 1, that belongs to a row and a column";
  let description = [{
    Philox 4x32-10 (Salmon et al., SC 2011) with the counter that runtime/language/random.h describes: equal
    operands give equal numbers. A scalar op for the body of a `tk.map`.

    Example: `%u = tk.random %seed, %row, %column, %sequence`
  }];
  let arguments = (ins I32:$seed, I32:$row, I32:$column, I32:$sequence);
  let results = (outs F32:$result);
  let assemblyFormat = "$seed `,` $row `,` $column `,` $sequence attr-dict";
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

def Tk_ReduceOp : Tk_TileOp<"reduce", [Pure, DeclareOpInterfaceMethods<Tk_CrossWarp>,
    OptionalTypesMatchWith<"the initial values have the result's type", "result", "init", "$_self">]> {
  let summary = "combines the elements of each row, or of each column, of a tile";
  let description = [{
    Reducing `rows` gives a column vector, one value per row; reducing `columns` gives a row vector. Each
    value starts from the one of `init` if there is one. The order of combination is not promised.

    Rows lie within four threads and cost two shuffles per value. Columns lie across all warps that hold
    the tile: they go through shared memory and two barriers.

    Example:
    ```mlir
    %now = tk.reduce max rows %s init %best : !tk.tile<128x128xf32, register, row> -> !tk.vector<128xf32, register, column>
    ```
  }];
  let arguments = (ins Tk_Combine:$combine, Tk_Along:$along, Tk_RegisterTile:$source,
                       Optional<Tk_RegisterVector>:$init);
  let results = (outs Tk_RegisterVector:$result);
  let builders = [
    OpBuilder<(ins "Combine":$combine, "Along":$along, "::mlir::Value":$source,
                   CArg<"::mlir::Value", "{}">:$init)>,
  ];
  let assemblyFormat = [{
    $combine $along $source (`init` $init^)? attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tk_ScanOp : Tk_TileOp<"scan", [Pure, Tk_SameOnFragments, DeclareOpInterfaceMethods<Tk_CrossWarp>, AllTypesMatch<["source", "result"]>]> {
  let summary = "value i of the result combines values of a vector: 0 to i, or those that the reach says (Tk_Reach)";
  let description = [{
    Example: `%sums = tk.scan add %v : !tk.vector<128xf32, register, row>`. The order in which a total is
    combined is not promised.
  }];
  let arguments = (ins Tk_Combine:$combine, DefaultValuedAttr<Tk_Reach, "::tkc::tk::Reach::Before">:$reach,
                       Tk_RegisterVector:$source);
  let results = (outs Tk_RegisterVector:$result);
  let assemblyFormat = "$combine ($reach^)? $source attr-dict `:` qualified(type($source))";
}

//===----------------------------------------------------------------------===//
// Parts and layouts
//===----------------------------------------------------------------------===//

def Tk_SliceOp : Tk_TileOp<"slice", [Pure, DeclareOpInterfaceMethods<Tk_CrossWarp>]> {
  let summary = "the part of a tile or vector that starts at some place";
  let description = [{
    The result's type says how much: a smaller tile, a column (a column vector), a row (a row vector), or
    a part of a vector. Part of a shared tile is a smaller shared tile, without a copy; it starts at
    multiples of 16, and its place may depend on the number of the worker of a `tk.each` around it: `indices`,
    one for each offset or none, are added to the offsets.

    Example:
    ```mlir
    %left = tk.slice %t[0, 0] : !tk.tile<128x128xf32, register, row> -> !tk.tile<128x64xf32, register, row>
    %last = tk.slice %t[0, 127] : !tk.tile<128x128xf32, register, row> -> !tk.vector<128xf32, register, column>
    %own = tk.slice %v[0, 0] plus(%zero, %first) : !tk.tile<64x256xbf16, shared> -> !tk.tile<64x128xbf16, shared>
    ```
  }];
  let arguments = (ins Tk_AnyValue:$source, DenseI64ArrayAttr:$offsets, Variadic<I32>:$indices);
  let results = (outs Tk_AnyValue:$result);
  let assemblyFormat = [{
    $source `` $offsets (`plus` `(` $indices^ `)`)? attr-dict
      `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let builders = [
    /// At a constant place.
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$source, "::llvm::ArrayRef<int64_t>":$offsets), [{
      build($_builder, $_state, result, source, offsets, ::mlir::ValueRange());
    }]>,
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// True for one row of a tile, as a row vector.
    bool takesRow();
  }];
}

def Tk_ConcatOp : Tk_TileOp<"concat", [Pure]> {
  let summary = "joins tiles side by side or one below the other, or vectors end to end";
  let description = [{
    `columns` puts the columns of the second operand after those of the first, `rows` its rows. Column
    vectors join by `rows`, row vectors by `columns`.

    Example:
    ```mlir
    %t = tk.concat columns %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xf32, register, row> -> !tk.tile<128x128xf32, register, row>
    ```
  }];
  let arguments = (ins Tk_Along:$along, Variadic<Tk_RegisterValue>:$parts);
  let results = (outs Tk_RegisterValue:$result);
  let assemblyFormat = "$along $parts attr-dict `:` type($parts) `->` qualified(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tk_DeinterleaveOp : Tk_TileOp<"deinterleave", [Tk_SameOnFragments, Pure]> {
  let summary = "every other column of a tile";
  let description = [{
    The columns 0, 2, 4, ... or, with `odd`, the columns 1, 3, 5, ... of a tile with the layout tag `row`, whose
    columns are a multiple of 32. It takes two shuffles for each two registers.

    Example: `%b = tk.deinterleave odd %x : !tk.tile<64x128xbf16, register, row> -> !tk.tile<64x64xbf16, register, row>`
  }];
  let arguments = (ins UnitAttr:$odd, Tk_RowTile:$source);
  let results = (outs Tk_RowTile:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "bool":$odd)>];
  let assemblyFormat = "(`odd` $odd^)? $source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tk_InterleaveOp : Tk_TileOp<"interleave", [Tk_SameOnFragments, Pure, AllTypesMatch<["even", "odd"]>]> {
  let summary = "the columns of two tiles interleaved";
  let description = [{
    Column 2 j is column j of `even`, and column 2 j + 1 that of `odd`, which are of one type with the layout tag
    `row`. It takes two shuffles for each two registers.

    Example: `%x = tk.interleave %a, %b : !tk.tile<64x64xbf16, register, row> -> !tk.tile<64x128xbf16, register, row>`
  }];
  let arguments = (ins Tk_RowTile:$even, Tk_RowTile:$odd);
  let results = (outs Tk_RowTile:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$even, "::mlir::Value":$odd)>];
  let assemblyFormat = "$even `,` $odd attr-dict `:` qualified(type($even)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tk_SwapPairsOp : Tk_TileOp<"swap_pairs", [Tk_SameOnFragments, Pure, Involution, SameOperandsAndResultType]> {
  let summary = "a tile with the columns of each pair swapped";
  let description = [{
    The columns 1, 0, 3, 2, ... of a tile with the layout tag `row`. No element leaves its thread but those of tf32,
    which take a shuffle for each register.

    Example: `%b = tk.swap_pairs %x : !tk.tile<64x128xbf16, register, row>`
  }];
  let arguments = (ins Tk_RowTile:$source);
  let results = (outs Tk_RowTile:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source))";
}

def Tk_SwapLayoutOp : Tk_TileOp<"swap_layout", [Pure]> {
  let summary = "the same tile with the other layout tag";
  let description = [{
    Elements move between threads: four `movmatrix` for each 16 x 16 of a 16-bit tile. Of a tile that a warp reads
    from shared memory for nothing else, `ldmatrix` transposes them on the way, which costs nothing.

    Example: `%c = tk.swap_layout %v : !tk.tile<64x64xbf16, register, row> -> !tk.tile<64x64xbf16, register, col>`
  }];
  let arguments = (ins Tk_RegisterTile:$source);
  let results = (outs Tk_RegisterTile:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$source)>];
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tk_TransposeOp : Tk_TileOp<"transpose", [Pure, DeclareOpInterfaceMethods<Tk_CrossWarp>]> {
  let summary = "rows become columns";
  let description = [{
    If the layout tag changes too, every element stays where it is: the `col` layout of a tile is the
    `row` layout of its transpose. If the tag stays, it costs as much as `tk.swap_layout`. The transpose of
    a column vector is a row vector, and the other way round.

    Example: `%t = tk.transpose %a : !tk.tile<64x128xbf16, register, row> -> !tk.tile<128x64xbf16, register, col>`
  }];
  let arguments = (ins Tk_RegisterValue:$source);
  let results = (outs Tk_RegisterValue:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` qualified(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TK_ELEMENTWISE_OPS
