// Tests that the shapes of an MMA fit together.

// RUN: %tk-opt %s --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %acc = tk.fill %zero : !tk.tile<64x64xf32, register, row>
  %a = tk.load %A[%c1, %c1] : !tk.global<?x?xbf16> -> !tk.tile<64x32xbf16, shared>
  %b = tk.load %A[%c1, %c1] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
  // expected-error @below {{A is 64 x 32 but B is 64 x 64: the inner sizes 32 and 64 must be equal}}
  %r = tk.mma AB %acc, %a, %b : !tk.tile<64x64xf32, register, row>, !tk.tile<64x32xbf16, shared>, !tk.tile<64x64xbf16, shared>
}
