// Tests that an operand for which there is no room stays in shared memory, and one that no loop reads.

// RUN: %tk-opt %s --tk-promote-operands-to-registers | FileCheck %s

!score = !tk.tile<128x128xf32, register, row>
!shared = !tk.tile<128x128xbf16, shared>

// CHECK-LABEL: tk.kernel @full
// CHECK-NOT: tk.read
tk.kernel @full(%Q: !tk.global<?x128xbf16>, %O: !tk.global<?x256xbf16>, %n: i32) attributes {consumers = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x128xbf16> -> !tk.tile<256x128xbf16, shared>
    %o0 = tk.fill %zero : !tk.tile<256x176xf32, register, row>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%o = %o0) -> (!tk.tile<256x176xf32, register, row>) : i32 {
      %k = tk.load %Q[%j, %c0] : !tk.global<?x128xbf16> -> !tk.tile<176x128xbf16, shared>
      %o1 = tk.mma ABt %o, %q, %k : !tk.tile<256x176xf32, register, row>, !tk.tile<256x128xbf16, shared>, !tk.tile<176x128xbf16, shared>
      scf.yield %o1 : !tk.tile<256x176xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    %p = tk.load %Q[%m, %c1] : !tk.global<?x128xbf16> -> !shared
    %s0 = tk.fill %zero : !score
    %s = tk.mma ABt %s0, %p, %p : !score, !shared, !shared
  }
}
