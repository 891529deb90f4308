// Tests that a load is of one tensor, an argument.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics -o /dev/null

tk.kernel @k(%A: !tk.global<?x?xbf16>, %B: !tk.global<?x?xbf16>, %flag: i1) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %T = arith.select %flag, %A, %B : !tk.global<?x?xbf16>
    // expected-error @below {{the loaded tensor is not an argument of the kernel}}
    %a = tk.load %T[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %b = tk.read %a : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    tk.store %A[%m, %c0], %b : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
  }
}
