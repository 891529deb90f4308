//===- TkDialect.td - The tk dialect --------------------------------------===//
//
// The user's program: sequential operations on tiles of global tensors.
//
//===----------------------------------------------------------------------===//
#ifndef TK_DIALECT
#define TK_DIALECT

include "mlir/IR/OpBase.td"

def Tk_Dialect : Dialect {
  let name = "tk";
  let cppNamespace = "::tkc::tk";
  let summary = "Sequential tile programs, as the user wrote them";
  let description = [{
    Tiles are SSA values: a register tile (`!tk.tile<128x256xf32, register, row>`) or a shared tile
    (`!tk.tile<128x64xbf16, shared>`). Loops are `scf`, scalars are `arith` on `i32`, `f32` and `i1`.
    There are no threads, barriers, phases or waits: the passes put those in, in the `hopper` dialect.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

class Tk_Op<string mnemonic, list<Trait> traits = []> : Op<Tk_Dialect, mnemonic, traits>;

#endif // TK_DIALECT
