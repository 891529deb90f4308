// Tests that static extents that one index walks must agree.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics

tk.kernel @extents(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %B: !tk.global<?x128xbf16> {tk.name = "B"}, %n: i32) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %t = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %t) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      // expected-note @below {{the other access is here}}
      %a = tk.load %A[%m, %k] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
      // expected-error @below {{dimension 1 of 'B' is 128, but dimension 1 of 'A' is 64, and 'one index' walks both}}
      %b = tk.load %B[%m, %k] : !tk.global<?x128xbf16> -> !tk.tile<64x64xbf16, shared>
      %next = tk.mma ABt %acc, %a, %b : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
  }
}
