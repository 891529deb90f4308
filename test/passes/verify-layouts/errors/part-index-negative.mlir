// Tests that a load from a part is refused whose index along the part may be negative: the tensor map has the rows before it.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%X: !tk.global<?x?x64xbf16> {tk.name = "X"}, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %part = tk.part %X[%c0, %c4] along 1 : !tk.global<?x?x64xbf16> -> !tk.global<?x?x64xbf16>
  tk.grid (%m) in (%c4) {
    %before = arith.subi %m, %c4 : i32
    %any = tk.load %part[%before, %m, %c0] : !tk.global<?x?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    // expected-note @below {{it is computed here}}
    %row = arith.subi %m, %c4 : i32
    // expected-note @below {{the tensor goes on before the part; bound the index, for example by max(0, ...)}}
    // expected-error @below {{index 1 of this load from a part may be negative when it should be at least 0}}
    %t = tk.load %part[%c0, %row, %c0] : !tk.global<?x?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %offset = tk.offset %m
    %u = tk.load %part[%c0, %offset, %c0] : !tk.global<?x?x64xbf16> -> !tk.tile<64x64xbf16, shared>
  }
}
