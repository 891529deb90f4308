//===- TkInterfaces.td - Interfaces of types for elementwise ops ----------===//
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

#endif // TK_INTERFACES
