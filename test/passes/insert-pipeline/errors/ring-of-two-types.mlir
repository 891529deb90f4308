// Tests that loads of one ring have one type.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics -o /dev/null

tk.kernel @k(%A: !tk.global<?x?xbf16>) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %a = tk.load %A[%m, %c0] {ring = 0 : i64} : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %x = tk.read %a : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    tk.store %A[%m, %c0], %x : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
    // expected-error @below {{the loads of ring 0 differ in type}}
    %b = tk.load %A[%m, %c0] {ring = 0 : i64} : !tk.global<?x?xbf16> -> !tk.tile<64x32xbf16, shared>
    %y = tk.read %b : !tk.tile<64x32xbf16, shared> -> !tk.tile<64x32xbf16, register, row>
    tk.store %A[%m, %c0], %y : !tk.global<?x?xbf16>, !tk.tile<64x32xbf16, register, row>
  }
}
