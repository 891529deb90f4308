// Tests that the tensor cores read an operand in registers until somebody reads the MMA's result.

// RUN: %tk-opt %s --test-tile-registers --verify-diagnostics -o /dev/null

tk.kernel @flight(%A: !tk.global<?x?xbf16>, %C: !tk.global<?x?xbf16>) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %a = tk.load %A[%m, %m] : !tk.global<?x?xbf16> -> !tk.tile<64x128xbf16, shared>
    %b = tk.load %A[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared>
    // expected-remark @below {{32: a tile}}
    %none = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    // expected-remark @below {{32: a tile}}
    %x = tk.read %a[%c0, %c0] : !tk.tile<64x128xbf16, shared> -> !tk.tile<64x128xbf16, register, row>
    // expected-remark @below {{64: a tile a tile}}
    %o = tk.mma AB %none, %x, %b : !tk.tile<64x64xf32, register, row>, !tk.tile<64x128xbf16, register, row>, !tk.tile<128x64xbf16, shared>
    // expected-remark @below {{64: a tile a tile}}
    %k = arith.addi %m, %c1 : i32
    // expected-remark @below {{32: a tile}}
    tk.store %C[%m, %k], %o : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
  }
}
