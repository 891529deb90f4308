// Tests that a hint for a loop without loads cannot be honoured.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics

tk.kernel @idle(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %n: i32) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %t = tk.fill %x : !tk.tile<64x64xf32, register, row>
    // expected-error @below {{this loop asks for 4 stages, but it loads nothing; leave the hint out}}
    scf.for %k = %c0 to %n step %c1 : i32 {
      tk.store %A[%m, %k], %t : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 4>}
  }
}
