//===- TkOps.td - Kernels, grids, scopes and MMAs -------------------------===//
#ifndef TK_OPS
#define TK_OPS

include "dialect/tk/TkChoiceOp.td"
include "dialect/tk/TkElementOp.td"
include "dialect/tk/TkElementwiseOps.td"
include "dialect/tk/TkOffsetOp.td"
include "dialect/tk/TkPartOp.td"
include "dialect/tk/TkTransferOps.td"
include "dialect/tk/TkTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

def Tk_KernelOp : Tk_Op<"kernel", [
    IsolatedFromAbove, FunctionOpInterface, Symbol, SingleBlock, NoTerminator, AffineScope]> {
  let summary = "one instance of a kernel function";
  let description = [{
    Arguments are global tensors and scalars (`i32`, `f32`, `i1`). The body holds scalar code and one
    `tk.grid`. Argument attributes `tk.name` hold the user's names; `parameters` holds the template
    arguments as the user would read them ("BM = 128, BN = 256, BK = 64"), in order. `consumers` is the
    number of compute warpgroups that share every register tile by rows; tk-distribute sets it.

    The others are the user's hints: `registers` of a producer and of a consumer thread, `persistent`
    false for one block per tile, `order` of the tiles ("static" or "dynamic"), `cluster` (blocks along
    the grid's first two dimensions), `pdl` false to wait for the kernel before at once.

    Example:
    ```mlir
    tk.kernel @gemm(%A: !tk.global<?x?xbf16> {tk.name = "A"}) attributes {parameters = "BM = 128"} {
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$parameters,
                       OptionalAttr<I64Attr>:$consumers,
                       OptionalAttr<DenseI64ArrayAttr>:$registers,
                       OptionalAttr<BoolAttr>:$persistent,
                       OptionalAttr<StrAttr>:$order,
                       OptionalAttr<DenseI64ArrayAttr>:$cluster,
                       OptionalAttr<BoolAttr>:$pdl,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let builders = [
    /// Without arguments, which the body gets later, and without hints.
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type, "::mlir::StringAttr":$parameters)>,
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The user's name of argument `index`.
    ::llvm::StringRef getArgumentName(unsigned index);

    // FunctionOpInterface.
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Tk_GridOp : Tk_TileOp<"grid", [SingleBlock, NoTerminator]> {
  let summary = "the tile space: the body runs once for every point, in no promised order";
  let description = [{
    Extents are listed fastest dimension first. `swizzle` = n visits the first two dimensions in groups
    of n points of the first one, so that blocks which run together share operands in L2; 0 means plain
    order. The body's arguments (`i32`) are the point.

    Example:
    ```mlir
    tk.grid (%m, %n) in (%m_tiles, %n_tiles) swizzle 8 {
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

def Tk_EachOp : Tk_TileOp<"each", [SingleBlock, NoTerminator]> {
  let summary = "runs its body in several warpgroups, or warps, at the same time, each on tiles of its own";
  let description = [{
    The body's argument (`i32`) is the number of the warpgroup or warp, 0 to `count` - 1. A register tile
    that the body makes belongs to one of them, whole: it has a multiple of 64 rows in a `warpgroup`, of
    16 in a `warp`. A load whose place depends on the number is made once for each of them, others once
    for all. The body defines nothing for the code after it. It stands in a grid, around everything that
    touches tiles. With `alone` only the first warp is the program's: the others make its warpgroup whole,
    and their stores are in branches not taken.

    Example:
    ```mlir
    tk.each warpgroup of 2 (%w) {
    }
    ```
  }];
  let arguments = (ins Tk_EachWorker:$worker, ConfinedAttr<I64Attr, [IntPositive]>:$count, UnitAttr:$alone);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getIndex() { return getBody().getArgument(0); }
  }];
}

def Tk_ExtentOp : Tk_Op<"extent", [
    Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the extent of one dimension of a global tensor";
  let description = [{
    At least 1: the launcher launches nothing for empty tensors. Folds when the extent is static.

    Example: `%rows = tk.extent %C, 0 : !tk.global<?x?xbf16>`
  }];
  let arguments = (ins Arg<Tk_GlobalType, "the tensor">:$source, I64Attr:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$source `,` $dim attr-dict `:` type($source)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

def Tk_FillOp : Tk_TileOp<"fill", [Pure,
    TypesMatchWith<"the value has the result's element type", "result", "value",
                   "::llvm::cast<::tkc::tk::ElementsInterface>($_self).getElementType()">]> {
  let summary = "a register tile or vector whose elements are all one scalar";
  let description = "Example: `%acc = tk.fill %zero : !tk.tile<128x256xf32, register, row>`";
  let arguments = (ins AnyType:$value);
  let results = (outs Tk_RegisterValue:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def Tk_MmaOp : Tk_TileOp<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + A B, with A or B transposed as the form says";
  let description = [{
    The verifier checks what is always wrong (shapes that do not fit together); `tk-verify-layouts`
    checks what the machine cannot do (tile heights, operand spaces, element types, layout tags).

    With `sums` the accumulator has eight columns more than B: to each of them the sums of A's rows are
    added, an MMA with ones. Only of form AB with A in registers. With `subtracts` it is acc - A B: the tensor cores
    negate A as they read it.

    Example:
    ```mlir
    %r = tk.mma AB %acc, %a, %b : !tk.tile<128x256xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x256xbf16, shared>
    ```
  }];
  let arguments = (ins Tk_MmaForm:$form, Arg<Tk_RegisterTile, "the accumulator">:$acc,
                       Arg<Tk_TileType, "A">:$a, Arg<Tk_TileType, "B">:$b, UnitAttr:$sums, UnitAttr:$subtracts);
  let results = (outs Tk_RegisterTile:$result);
  let assemblyFormat = [{
    $form $acc `,` $a `,` $b attr-dict `:` type($acc) `,` type($a) `,` type($b)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isATransposed() { return getForm() == MmaForm::AtB || getForm() == MmaForm::AtBt; }
    bool isBTransposed() { return getForm() == MmaForm::ABt || getForm() == MmaForm::AtBt; }
  }];
}

#endif // TK_OPS
