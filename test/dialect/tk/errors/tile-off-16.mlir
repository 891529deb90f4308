// Tests that a tile's extents are multiples of 16.

// RUN: %tk-opt %s --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{a tile's rows and columns are positive multiples of 16, these are 64 x 20}}
  %t = tk.fill %zero : !tk.tile<64x20xf32, register, row>
}
