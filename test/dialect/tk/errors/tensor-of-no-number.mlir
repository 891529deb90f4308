// Tests that a tensor holds numbers.

// RUN: %tk-opt %s --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{a tensor's element is an integer or a float, this is 'index'}}
  %t = tk.load %A[%c1, %c1] : !tk.global<?x?xindex> -> !tk.tile<64x64xbf16, shared>
}
