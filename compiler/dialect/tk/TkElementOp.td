//===- TkElementOp.td - One element of a tensor, as a scalar --------------===//
//
// Few files speak of it, so it has definitions of its own.
//
//===----------------------------------------------------------------------===//
#ifndef TK_ELEMENT_OP
#define TK_ELEMENT_OP

include "dialect/tk/TkDialect.td"
include "dialect/tk/TkTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tk_ElementOp : Tk_Op<"element", [Pure]> {
  let summary = "one element of a tensor, as a scalar; zero outside of it";
  let description = [{
    The result is `f32`, or `i32` of integers, whatever the tensor's elements are. Each thread reads it for
    itself, in all roles alike, so that it may decide what they do. The kernel does not write to the tensor:
    the value is the same wherever it is read. It stands in the grid, after the wait for the kernel before; one that is
    read `early` stands before that wait. That kernel may write the element yet, so that the value is good for hints alone.

    Example: `%expert = tk.element %Expert[%m] : !tk.global<?xi32> -> i32`
  }];
  let arguments = (ins Tk_GlobalType:$source, Variadic<I32>:$indices, UnitAttr:$early);
  let results = (outs AnyTypeOf<[I32, F32]>:$result);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` qualified(type($source)) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TK_ELEMENT_OP
