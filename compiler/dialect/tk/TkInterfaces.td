//===- TkInterfaces.td - Interfaces and traits of tiles and their ops -------===//
#ifndef TK_INTERFACES
#define TK_INTERFACES

include "mlir/IR/OpBase.td"

def Tk_ElementsInterface : TypeInterface<"ElementsInterface"> {
  let cppNamespace = "::tkc::tk";
  let description = [{
    A tile, or a vector that stands for a tile with one of its extents left out: a column vector has a
    value for each row and is the same in all columns. Elementwise ops of both dialects are verified
    against this, so that they need not know whose types they work on.
  }];
  let methods = [
    InterfaceMethod<"The type of one element.", "::mlir::Type", "getElementType">,
    InterfaceMethod<"Rows; 0 for a row vector.", "int64_t", "getRows">,
    InterfaceMethod<"Columns; 0 for a column vector.", "int64_t", "getCols">,
    InterfaceMethod<"The same with elements of another type.", "::mlir::Type", "withElementType",
                    (ins "::mlir::Type":$elementType)>,
  ];
  let extraClassDeclaration = [{
    bool isVector() { return getRows() == 0 || getCols() == 0; }
    /// How many coordinates an element has.
    unsigned getRank() { return isVector() ? 1 : 2; }
  }];
}

// An op of a tile program, which tk-insert-pipeline divides among roles.
def Tk_InTilePrograms : NativeOpTrait<"InTilePrograms"> {
  let cppNamespace = "::tkc::tk";
}

def Tk_CrossWarp : OpInterface<"CrossWarp"> {
  let cppNamespace = "::tkc::tk";
  let description = [{
    An op on registers that may need what other warps hold, which it then gets through shared memory.
  }];
  let methods = [
    InterfaceMethod<"Bytes of shared memory through which as many warps, which share the tile, exchange values; 0 where "
                    "none needs another one's.", "int64_t", "getScratchBytes", (ins "int64_t":$warps)>,
  ];
}

// An op that does the same on the fragments that a warpgroup holds: the hopper dialect has an op of the same name with
// the same operands and attributes, which tk-insert-pipeline makes of it. That of a CrossWarp is an Exchange, and has
// scratch memory, the number of warpgroups that share it, and their barrier besides.
def Tk_SameOnFragments : NativeOpTrait<"SameOnFragments"> {
  let cppNamespace = "::tkc::tk";
}

#endif // TK_INTERFACES
