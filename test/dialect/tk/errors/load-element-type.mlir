// Tests that a load keeps the element type.

// RUN: %tk-opt %s --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{loads 'bf16' into a tile of 'f16'}}
  %t = tk.load %A[%c1, %c1] : !tk.global<?x?xbf16> -> !tk.tile<64x64xf16, shared>
}
