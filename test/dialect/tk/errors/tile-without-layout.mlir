// Tests that a register tile has a layout.

// RUN: %tk-opt %s --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{a register tile needs a layout tag, 'row' or 'col'}}
  %t = tk.fill %zero : !tk.tile<64x64xf32, register>
}
