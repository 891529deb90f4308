// Tests that operands in flight end with a later MMA that somebody reads, and that MMAs which begin at zero take no
// registers but those of their results, however many begin there.

// RUN: %tk-opt %s --test-tile-registers --verify-diagnostics -o /dev/null

tk.kernel @order(%A: !tk.global<?x?xbf16>, %C: !tk.global<?x?xbf16>) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %b = tk.load %A[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    // expected-remark @below {{32: a tile}}
    %none = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    // expected-remark @below {{16: a tile}}
    %x = tk.read %b : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    // expected-remark @below {{48: a tile a tile}}
    %o = tk.mma AB %none, %x, %b : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
    // expected-remark @below {{80: a tile a tile a tile}}
    %s = tk.mma AB %none, %b, %b : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
    // expected-remark @below {{80: a tile a tile a tile}}
    %k = arith.addi %m, %c1 : i32
    // expected-remark @below {{64: a tile a tile}}
    tk.store %C[%m, %k], %s : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
    // expected-remark @below {{32: a tile}}
    tk.store %C[%k, %m], %o : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
  }
}
