// Tests that a load has an index for each dimension.

// RUN: %tk-opt %s --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{a tensor of rank 2 needs as many indices, but 1 are given}}
  %t = tk.load %A[%c1] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
}
