// Tests that a tile lives somewhere known.

// RUN: %tk-opt %s --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{expected 'register' or 'shared', found 'tensor'}}
  %t = tk.fill %zero : !tk.tile<64x64xf32, tensor>
}
