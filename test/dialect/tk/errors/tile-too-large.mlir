// Tests that a tile's extents are bounded.

// RUN: %tk-opt %s --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{a tile has at most 65536 rows and columns, these are 1048576 x 16}}
  %t = tk.fill %zero : !tk.tile<1048576x16xf32, register, row>
}
