//===- HopperTypes.td - Rings, barriers, cursors and fragments ------------===//
#ifndef HOPPER_TYPES
#define HOPPER_TYPES

include "dialect/hopper/HopperDialect.td"
include "dialect/tk/TkInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Hopper_RoleKind : I32EnumAttr<"RoleKind", "what a warpgroup of the block does", [
    I32EnumAttrCase<"Producer", 0, "producer">,
    I32EnumAttrCase<"Consumer", 1, "consumer">,
    I32EnumAttrCase<"Reducer", 2, "reducer">,
    I32EnumAttrCase<"Scanner", 3, "scanner">]> {
  let cppNamespace = "::tkc::hopper";
}

def Hopper_EqualExtentAttr : AttrDef<Hopper_Dialect, "EqualExtent"> {
  let mnemonic = "equal_extent";
  let summary = "two dimensions of kernel arguments that the program walks with one index";
  let description = [{
    [argument, dim] twice, the index's name and the line it is declared on (0 if unknown): the launcher
    refuses tensors that disagree, and says why.

    Example: `#hopper.equal_extent<[0, 0], [2, 0] by "m" line 5>`
  }];
  let parameters = (ins "int64_t":$firstArgument, "int64_t":$firstDim, "int64_t":$secondArgument,
                        "int64_t":$secondDim, StringRefParameter<>:$index, "int64_t":$line);
  let assemblyFormat = [{
    `<` `[` $firstArgument `,` $firstDim `]` `,` `[` $secondArgument `,` $secondDim `]`
    `by` $index `line` $line `>`
  }];
}

class Hopper_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Hopper_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Hopper_RingType : Hopper_Type<"Ring", "ring"> {
  let summary = "a ring of equal tiles in shared memory";
  let description = [{
    In a ring `with_ones`, MMAs may read columns of ones beside a stage: its stages are one tall tile,
    and a swizzle-atom column of ones follows the last swizzle-atom column of that.

    Examples: `!hopper.ring<4, 128x64xbf16>`, `!hopper.ring<2, 128x64xbf16, with_ones>`
  }];
  let parameters = (ins "int64_t":$stages, "int64_t":$rows, "int64_t":$cols, "::mlir::Type":$elementType,
                        "bool":$withOnes);
  let builders = [TypeBuilder<(ins "int64_t":$stages, "int64_t":$rows, "int64_t":$cols,
                                   "::mlir::Type":$elementType, CArg<"bool", "false">:$withOnes)>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// With a stage's part of the ones, which take as many rows as all stages.
    int64_t getStageBytes() const;
  }];
}

def Hopper_SharedType : Hopper_Type<"Shared", "shared"> {
  let summary = "one tile in shared memory: a stage of a ring, or some rows of it";
  let description = "Example: `!hopper.shared<64x64xbf16>`";
  let parameters = (ins "int64_t":$rows, "int64_t":$cols, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Hopper_BarrierType : Hopper_Type<"Barrier", "barrier"> {
  let summary = "one mbarrier for each stage of a ring";
  let parameters = (ins "int64_t":$stages);
  let assemblyFormat = "`<` $stages `>`";
  let genVerifyDecl = 1;
}

def Hopper_CursorType : Hopper_Type<"Cursor", "cursor"> {
  let summary = "a role's place in a ring: a stage and a phase bit; a mutable object, not a value";
  let parameters = (ins "int64_t":$stages);
  let assemblyFormat = "`<` $stages `>`";
  let genVerifyDecl = 1;
}

def Hopper_TensorMapType : Hopper_Type<"TensorMap", "tensor_map"> {
  let summary = "a TMA descriptor, made by the launcher";
}

def Hopper_FragmentType : Hopper_Type<"Fragment", "fragment", [Tk_ElementsInterface]> {
  let summary = "the part of a register tile that one warpgroup holds";
  let description = [{
    Rows is a multiple of 64; each thread holds rows * cols / 128 elements, laid out as wgmma's
    accumulator (PTX ISA, "Register fragments and shared memory matrix layouts").

    Example: `!hopper.fragment<64x256xf32>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$cols, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// 32-bit registers per thread.
    int64_t getRegisters() const {
      return getRows() * getCols() * ::tkc::tk::getStorageBits(getElementType()) / 8 / 128 / 4;
    }
    ::mlir::Type withElementType(::mlir::Type elementType) const {
      return get(getContext(), getRows(), getCols(), elementType);
    }
  }];
}

def Hopper_VectorType : Hopper_Type<"FragmentVector", "vector", [Tk_ElementsInterface]> {
  let summary = "the part of a register vector that one warpgroup holds";
  let description = [{
    It lies along a fragment: a `column` vector has the values of the fragment's rows, each in the four
    threads that hold the row; a `row` vector has a value for each column, in all eight threads of a warp
    that hold the column, and in every warp. A `lanes` vector is a scanner warp's: each lane holds as many
    neighbours as there are 32 in its length. A `split` vector is a row vector each of whose elements is the
    sum of two bf16, which threads hold in pairs of columns.

    Example: `!hopper.vector<64xf32, column>`
  }];
  let parameters = (ins "int64_t":$length, "::mlir::Type":$elementType,
                        "::tkc::tk::Orientation":$orientation);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// True if it has a value for each column of a fragment.
    bool isOfColumns() const {
      return getOrientation() == ::tkc::tk::Orientation::Row || getOrientation() == ::tkc::tk::Orientation::Split;
    }
    int64_t getRows() const { return isOfColumns() ? 0 : getLength(); }
    int64_t getCols() const { return isOfColumns() ? getLength() : 0; }
    /// 32-bit registers per thread: a row's value is in 4 of 128 threads of its 64 rows, a column's in 8 of
    /// each warp's 32.
    int64_t getRegisters() const { return isOfColumns() ? getLength() / 4 : getLength() / 32; }
    ::mlir::Type withElementType(::mlir::Type elementType) const {
      return get(getContext(), getLength(), elementType, getOrientation());
    }
  }];
}

#endif // HOPPER_TYPES
