// Tests that a tile has two dimensions.

// RUN: %tk-opt %s --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{a tile has 2 dimensions, this one has 3}}
  %t = tk.fill %zero : !tk.tile<64x64x4xf32, register, row>
}
