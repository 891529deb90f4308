// Tests that what lives across a loop counts inside it, and that a value that is used again outlives the MMA.

// RUN: %tk-opt %s --test-tile-registers --verify-diagnostics -o /dev/null

tk.kernel @across(%A: !tk.global<?x?xbf16>, %C: !tk.global<?x?xbf16>) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    // expected-remark @below {{32: a tile}}
    %t = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %a = tk.load %A[%m, %m] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    // expected-remark @below {{32: a tile}}
    %r = tk.mma ABt %t, %a, %a : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
    // expected-remark @below {{64: a tile a tile}}
    %s = tk.mma ABt %r, %a, %a : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
    // expected-remark @below {{64: a tile a tile}}
    scf.for %k = %c0 to %c1 step %c1 : i32 {
      // expected-remark @below {{64: a tile a tile}}
      tk.store %C[%m, %k], %s : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
    }
    // expected-remark @below {{32: a tile}}
    tk.store %C[%m, %c1], %r : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
  }
}
