// Tests that a store is to one tensor, an argument.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics -o /dev/null

tk.kernel @k(%A: !tk.global<?x?xbf16>, %B: !tk.global<?x?xbf16>, %flag: i1) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %T = arith.select %flag, %A, %B : !tk.global<?x?xbf16>
    %t = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    // expected-error @below {{the stored tensor is not an argument of the kernel}}
    tk.store %T[%m, %c0], %t : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
  }
}
