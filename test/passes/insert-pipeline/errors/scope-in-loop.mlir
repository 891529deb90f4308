// Tests that a scope of warpgroups stands directly in the grid.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics -o /dev/null

tk.kernel @k(%A: !tk.global<?x?xbf16>) attributes {consumers = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %t = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    scf.for %i = %c0 to %c1 step %c1 : i32 {
      // expected-error @below {{a scope of warpgroups or warps stands directly in the grid}}
      tk.each warpgroup of 2 (%w) {
        tk.store %A[%m, %c0], %t : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
      }
    }
  }
}
