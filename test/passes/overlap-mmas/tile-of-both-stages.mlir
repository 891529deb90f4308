// Tests that a loop stays as it is if both of its MMAs read one tile.

// RUN: %tk-opt %s --tk-overlap-mmas --canonicalize --cse | FileCheck %s

!score = !tk.tile<128x128xf32, register, row>
!rounded = !tk.tile<128x128xbf16, register, row>
!shared = !tk.tile<128x128xbf16, shared>

// CHECK-LABEL: tk.kernel @tile_of_both_stages
// CHECK-NOT: ring =
// CHECK-NOT: scf.if
// CHECK: tk.store
tk.kernel @tile_of_both_stages(%Q: !tk.global<?x128xbf16>, %O: !tk.global<?x128xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x128xbf16> -> !shared
    %o0 = tk.fill %zero : !score
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%o = %o0) -> (!score) : i32 {
      %k = tk.load %Q[%j, %c0] : !tk.global<?x128xbf16> -> !shared
      %s = tk.mma ABt %o0, %q, %k : !score, !shared, !shared
      %p = tk.map (%x = %s : !score) -> !rounded {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      }
      %o1 = tk.mma AB %o, %p, %k : !score, !rounded, !shared
      scf.yield %o1 : !score
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%m, %c0], %r : !tk.global<?x128xbf16>, !score
  }
}
