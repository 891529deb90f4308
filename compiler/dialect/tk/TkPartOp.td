//===- TkPartOp.td - A part of a tensor -----------------------------------===//
//
// Few files speak of it, so it has definitions of its own.
//
//===----------------------------------------------------------------------===//
#ifndef TK_PART_OP
#define TK_PART_OP

include "dialect/tk/TkDialect.td"
include "dialect/tk/TkTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tk_PartOp : Tk_Op<"part", [Pure]> {
  let summary = "a tensor of which one dimension is cut down to [first, last)";
  let description = [{
    Indices of loads and stores count from `first`, and are not negative; elements from `last` on are outside,
    although the tensor goes on there: they read as zero and are not written. `dim` is the last dimension, for
    vectors and elements, or the one before it, for tiles; its extent is unknown in the result.
    0 <= first <= last <= the extent of `source`.

    Example:
    ```mlir
    %s = tk.part %Q[%first, %last] along 1 : !tk.global<8x?x64xbf16> -> !tk.global<8x?x64xbf16>
    ```
  }];
  let arguments = (ins Tk_GlobalType:$source, I32:$first, I32:$last, I64Attr:$dim);
  let results = (outs Tk_GlobalType:$result);
  let assemblyFormat = [{
    $source `[` $first `,` $last `]` `along` $dim attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TK_PART_OP
