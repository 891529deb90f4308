// Tests that a grid has as many indices as extents.

// RUN: %tk-opt %s --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{has 2 extents but 1 indices}}
  tk.grid (%m) in (%c1, %c1) {
  }
}
