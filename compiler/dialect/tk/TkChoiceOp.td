//===- TkChoiceOp.td - A function that chooses among kernels --------------===//
//
// Few files speak of it, so it has definitions of its own.
//
//===----------------------------------------------------------------------===//
#ifndef TK_CHOICE_OP
#define TK_CHOICE_OP

include "dialect/tk/TkDialect.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/SymbolInterfaces.td"

def Tk_ChoiceOp : Tk_Op<"choice", [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a function that launches whichever of several kernels is predicted to be the fastest";
  let description = [{
    The kernels take the same arguments and compute the same; which of them is the fastest depends on the
    extents at launch. They stand in the user's order: the first one is what the function means, and what
    is launched where the prediction finds no difference.

    Example:
    ```mlir
    tk.choice @gemm of [@gemm_128_256, @gemm_64_128]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefArrayAttr:$kernels);
  let assemblyFormat = "$sym_name `of` $kernels attr-dict";
  let hasVerifier = 1;
}

#endif // TK_CHOICE_OP
