// Tests that loops over tiles count in i32.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics -o /dev/null

tk.kernel @k(%A: !tk.global<?x?xbf16>) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %t = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    // expected-error @below {{the loop counts in 'index' when it should count in i32}}
    scf.for %i = %i0 to %i1 step %i1 {
      tk.store %A[%m, %c0], %t : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
    }
  }
}
