// Tests that MMAs of warpgroups take their right operand from shared memory.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics -o /dev/null

tk.kernel @k(%A: !tk.global<?x?xbf16>) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %a = tk.load %A[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %b = tk.read %a : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    %t = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    // expected-error @below {{the operands of an MMA are in the wrong space: run tk-verify-layouts first}}
    %r = tk.mma ABt %t, %a, %b : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, register, row>
    tk.store %A[%m, %c0], %r : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
  }
}
