// Tests that an order of blocks in groups needs two dimensions.

// RUN: %tk-opt %s --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{'swizzle' needs two dimensions, this grid has 1}}
  tk.grid (%m) in (%c1) swizzle 8 {
  }
}
