//===- TkTypes.td - Tiles, global tensors and layout tags -----------------===//
#ifndef TK_TYPES
#define TK_TYPES

include "dialect/tk/TkDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

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

def Tk_MmaForm : I32EnumAttr<"MmaForm", "which operands of a product are transposed", [
    I32EnumAttrCase<"AB", 0>, I32EnumAttrCase<"ABt", 1>,
    I32EnumAttrCase<"AtB", 2>, I32EnumAttrCase<"AtBt", 3>]> {
  let cppNamespace = "::tkc::tk";
}

class Tk_Type<string name, string typeMnemonic> : TypeDef<Tk_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tk_TileType : Tk_Type<"Tile", "tile"> {
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
      return getRows() * getCols() * getElementType().getIntOrFloatBitWidth() / 8;
    }
  }];
}

def Tk_GlobalType : Tk_Type<"Global", "global"> {
  let summary = "a tensor in global memory of rank 1 to 4, contiguous in its last dimension";
  let description = [{
    An extent of `?` is known at launch. Strides of the other dimensions are known at launch too.

    Example: `!tk.global<?x?xbf16>`, `!tk.global<?x?x?x128xbf16>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
  }];
}

def Tk_PipelineAttr : AttrDef<Tk_Dialect, "Pipeline"> {
  let mnemonic = "pipeline";
  let summary = "marks an `scf.for` whose global loads become the load stage";
  let description = [{
    `stages` is the user's hint, 0 when there is none.

    Example: `scf.for ... { ... } {tk.pipeline = #tk.pipeline<stages = 4>}`
  }];
  let parameters = (ins "int64_t":$stages);
  let assemblyFormat = "`<` struct(params) `>`";
}

class Tk_TileOf<string pred, string what>
    : Type<And<[CPred<"::llvm::isa<::tkc::tk::TileType>($_self)">,
                CPred<"::llvm::cast<::tkc::tk::TileType>($_self)." # pred>]>, what,
           "::tkc::tk::TileType">;
def Tk_RegisterTile : Tk_TileOf<"isRegister()", "register tile">;
def Tk_SharedTile : Tk_TileOf<"isShared()", "shared tile">;

#endif // TK_TYPES
