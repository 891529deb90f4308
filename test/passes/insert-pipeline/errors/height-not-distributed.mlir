// Tests that a tile has rows for each warpgroup.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics -o /dev/null

tk.kernel @k(%A: !tk.global<?x?xbf16>) attributes {consumers = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    // expected-error @below {{a tile of 64 rows does not divide among 2 compute warpgroups in blocks of 64: run tk-distribute first}}
    %t = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    tk.store %A[%m, %c0], %t : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
  }
}
