//===- TkTypes.td - Tiles, global tensors and layout tags -----------------===//
#ifndef TK_TYPES
#define TK_TYPES

include "dialect/tk/TkDialect.td"
include "dialect/tk/TkInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Tk_TileOp<string mnemonic, list<Trait> traits = []> : Tk_Op<mnemonic, !listconcat([Tk_InTilePrograms], traits)>;

def Tk_Space : I32EnumAttr<"Space", "where a tile lives", [
    I32EnumAttrCase<"Register", 0, "register">,
    I32EnumAttrCase<"Shared", 1, "shared">]> {
  let cppNamespace = "::tkc::tk";
}

def Tk_Layout : I32EnumAttr<"Layout", "the layout tag of a register tile", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Row", 1, "row">,
    I32EnumAttrCase<"Col", 2, "col">]> {
  let cppNamespace = "::tkc::tk";
}

def Tk_MmaForm : I32EnumAttr<"MmaForm", "which operands of an MMA are transposed", [
    I32EnumAttrCase<"AB", 0>, I32EnumAttrCase<"ABt", 1>,
    I32EnumAttrCase<"AtB", 2>, I32EnumAttrCase<"AtBt", 3>]> {
  let cppNamespace = "::tkc::tk";
}

def Tk_Orientation : I32EnumAttr<"Orientation", "which way a register vector lies along a tile", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Column", 1, "column">,
    I32EnumAttrCase<"Row", 2, "row">,
    I32EnumAttrCase<"Lanes", 3, "lanes">,
    I32EnumAttrCase<"Split", 4, "split">]> {
  let cppNamespace = "::tkc::tk";
}

def Tk_Combine : I32EnumAttr<"Combine", "how a reduction or scan combines two elements", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">]> {
  let cppNamespace = "::tkc::tk";
}

// Spelled as the runtime's functions begin: scan_sum, total_sum, suffix_sum.
def Tk_Reach : I32EnumAttr<"Reach", "which elements of a vector a scan combines for each of its results", [
    I32EnumAttrCase<"Before", 0, "scan">, I32EnumAttrCase<"All", 1, "total">,
    I32EnumAttrCase<"After", 2, "suffix">]> {
  let cppNamespace = "::tkc::tk";
}

// Spelled as the runtime's cache_policy.
def Tk_CachePolicy : I32EnumAttr<"CachePolicy", "how long L2 keeps what a load reads or a store writes", [
    I32EnumAttrCase<"Normal", 0, "normal">, I32EnumAttrCase<"EvictFirst", 1, "evict_first">,
    I32EnumAttrCase<"EvictLast", 2, "evict_last">]> {
  let cppNamespace = "::tkc::tk";
}

def Tk_Along : I32EnumAttr<"Along", "whether an op works on each row or on each column of a tile", [
    I32EnumAttrCase<"Rows", 0, "rows">, I32EnumAttrCase<"Columns", 1, "columns">]> {
  let cppNamespace = "::tkc::tk";
}

def Tk_EachWorker : I32EnumAttr<"EachWorker", "what runs the steps of a scope side by side", [
    I32EnumAttrCase<"Warpgroup", 0, "warpgroup">, I32EnumAttrCase<"Warp", 1, "warp">]> {
  let cppNamespace = "::tkc::tk";
}

class Tk_Type<string name, string typeMnemonic, list<Trait> traits = []> : TypeDef<Tk_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Tk_TileType : Tk_Type<"Tile", "tile", [Tk_ElementsInterface]> {
  let summary = "a two-dimensional tile of elements in registers or in shared memory";
  let description = [{
    A register tile carries a layout tag, `row` or `col`; a shared tile has none: its swizzle is
    chosen by the compiler. Rows and columns are multiples of 16.

    Example: `!tk.tile<128x256xf32, register, row>`, `!tk.tile<128x64xbf16, shared>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$cols, "::mlir::Type":$elementType,
                        "Space":$space, "Layout":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isRegister() const { return getSpace() == Space::Register; }
    bool isShared() const { return getSpace() == Space::Shared; }
    int64_t getBytes() const {
      return getRows() * getCols() * ::tkc::tk::getStorageBits(getElementType()) / 8;
    }
    ::mlir::Type withElementType(::mlir::Type elementType) const {
      return get(getContext(), getRows(), getCols(), elementType, getSpace(), getLayout());
    }
  }];
}

def Tk_VectorType : Tk_Type<"TileVector", "vector", [Tk_ElementsInterface]> {
  let summary = "a vector of elements in registers or in shared memory";
  let description = [{
    A register vector lies along a tile: a `column` vector has one value per row (what a reduction of
    rows gives), a `row` vector one value per column. A shared vector has no orientation. The length is
    a multiple of 16.

    Example: `!tk.vector<128xf32, register, column>`, `!tk.vector<128xf32, shared>`
  }];
  let parameters = (ins "int64_t":$length, "::mlir::Type":$elementType, "Space":$space,
                        "Orientation":$orientation);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isRegister() const { return getSpace() == Space::Register; }
    bool isShared() const { return getSpace() == Space::Shared; }
    int64_t getRows() const { return getOrientation() == Orientation::Row ? 0 : getLength(); }
    int64_t getCols() const { return getOrientation() == Orientation::Row ? getLength() : 0; }
    int64_t getBytes() const { return getLength() * ::tkc::tk::getStorageBits(getElementType()) / 8; }
    ::mlir::Type withElementType(::mlir::Type elementType) const {
      return get(getContext(), getLength(), elementType, getSpace(), getOrientation());
    }
  }];
}

def Tk_GlobalType : Tk_Type<"Global", "global"> {
  let summary = "a tensor in global memory of rank 1 to 4, contiguous in its last dimension";
  let description = [{
    An extent of `?` is known at launch. Strides of the other dimensions are known at launch too.

    `fragments` says that its memory has the order of MMA fragments: each 16 rows and 8 columns are
    consecutive, as the lanes of a warp hold them; if the last extent is dynamic, the tensor holds
    vectors, and each 16 elements of the last dimension are permuted so.

    Example: `!tk.global<?x?xbf16>`, `!tk.global<?x?x?x128xbf16>`, `!tk.global<?x128xf32, fragments>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "bool":$inFragments);
  let builders = [TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType),
                              "return $_get($_ctxt, shape, elementType, /*inFragments=*/false);">];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// The dimension whose extent is a multiple of 16, of a tensor in fragment order.
    int64_t getFragmentDim() const { return getRank() - (holdsVectors() ? 1 : 2); }
    /// True if a tensor in fragment order holds vectors, not tiles.
    bool holdsVectors() const {
      return getRank() == 1 || ::mlir::ShapedType::isDynamic(getShape().back());
    }
  }];
}

def Tk_PipelineAttr : AttrDef<Tk_Dialect, "Pipeline"> {
  let mnemonic = "pipeline";
  let summary = "marks an `scf.for` whose global loads become the load stage";
  let description = [{
    `stages` is the user's hint, 0 when there is none. `overlap` is false where the user wants no MMA
    to run beside elementwise work of another iteration. `pingpong_warpgroups` says whether warpgroups ping-pong at
    starting MMAs; without it the compiler decides.

    Example: `scf.for ... { ... } {tk.pipeline = #tk.pipeline<stages = 4>}`
  }];
  let parameters = (ins "int64_t":$stages, DefaultValuedParameter<"bool", "true">:$overlap,
                        OptionalParameter<"::mlir::BoolAttr">:$pingpong_warpgroups);
  let builders = [AttrBuilder<(ins "int64_t":$stages), "return $_get($_ctxt, stages, /*overlap=*/true, BoolAttr());">];
  let assemblyFormat = "`<` struct(params) `>`";
}

class Tk_TileOf<string pred, string what>
    : Type<And<[CPred<"::llvm::isa<::tkc::tk::TileType>($_self)">,
                CPred<"::llvm::cast<::tkc::tk::TileType>($_self)." # pred>]>, what,
           "::tkc::tk::TileType">;
def Tk_RegisterTile : Tk_TileOf<"isRegister()", "register tile">;
def Tk_SharedTile : Tk_TileOf<"isShared()", "shared tile">;

/// Each of its rows lies in one quad of threads, so an op can tell columns apart.
def Tk_RowTile : Type<And<[Tk_RegisterTile.predicate,
                           CPred<"::llvm::cast<::tkc::tk::TileType>($_self).getLayout() == ::tkc::tk::Layout::Row">]>,
                      "register tile of the layout 'row'", "::tkc::tk::TileType">;

class Tk_VectorOf<string pred, string what>
    : Type<And<[CPred<"::llvm::isa<::tkc::tk::TileVectorType>($_self)">,
                CPred<"::llvm::cast<::tkc::tk::TileVectorType>($_self)." # pred>]>, what,
           "::tkc::tk::TileVectorType">;
def Tk_RegisterVector : Tk_VectorOf<"isRegister()", "register vector">;
def Tk_SharedVector : Tk_VectorOf<"isShared()", "shared vector">;

// Operands of elementwise ops, values in shared memory, and both.
def Tk_RegisterValue : AnyTypeOf<[Tk_RegisterTile, Tk_RegisterVector]>;
def Tk_SharedValue : AnyTypeOf<[Tk_SharedTile, Tk_SharedVector]>;
def Tk_AnyValue : AnyTypeOf<[Tk_RegisterTile, Tk_RegisterVector, Tk_SharedTile, Tk_SharedVector]>;

#endif // TK_TYPES
