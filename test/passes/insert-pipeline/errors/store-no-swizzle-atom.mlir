// Tests that the columns of a stored tile are whole swizzle-atom columns of a swizzle.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics -o /dev/null

tk.kernel @k(%A: !tk.global<?x?xi8>) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %t = tk.fill %zero : !tk.tile<64x48xf32, register, row>
    %u = tk.slice %t[0, 0] : !tk.tile<64x48xf32, register, row> -> !tk.tile<64x48xf32, register, row>
    // expected-error @below {{a tile of 64 x 48 'i8' cannot be stored by 1 compute warpgroups: run tk-verify-layouts and tk-distribute first}}
    tk.store %A[%m, %c0], %u : !tk.global<?x?xi8>, !tk.tile<64x48xf32, register, row>
  }
}
