// Tests that a tile needs rows and columns.

// RUN: %tk-opt %s --verify-diagnostics

tk.kernel @k(%A: !tk.global<?xbf16>) {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{a tile needs a tensor of rank 2 or more, this one has rank 1}}
  %t = tk.load %A[%c1] : !tk.global<?xbf16> -> !tk.tile<64x64xbf16, shared>
}
