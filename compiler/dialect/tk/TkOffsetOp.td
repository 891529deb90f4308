//===- TkOffsetOp.td - An index that counts elements ----------------------===//
//
// Few files speak of it, so it has definitions of its own.
//
//===----------------------------------------------------------------------===//
#ifndef TK_OFFSET_OP
#define TK_OFFSET_OP

include "dialect/tk/TkDialect.td"
include "dialect/tk/TkTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tk_OffsetOp : Tk_Op<"offset", [Pure]> {
  let summary = "an index of a load that counts elements where others count tiles or vectors";
  let description = [{
    For halos: a tile that begins at any row or column. It may begin outside of the tensor, whose elements there read as
    zero. Only loads take it, in their last two dimensions.

    Example:
    ```mlir
    %left = tk.offset %column
    %x = tk.load %X[%m, %left] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    ```
  }];
  let arguments = (ins I32:$elements);
  let results = (outs I32:$result);
  let assemblyFormat = "$elements attr-dict";
}

#endif // TK_OFFSET_OP
