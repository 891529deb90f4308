// Tests that a loop of two iterations stays as it is: overlapped, one iteration would be left between the first step and the
// last MMA, which would use its tile before the one that its ring held before is given back. Three are overlapped.

// RUN: %tk-opt %s --tk-overlap-mmas --canonicalize --cse | FileCheck %s

!score = !tk.tile<128x128xf32, register, row>
!shared = !tk.tile<128x128xbf16, shared>

// CHECK-LABEL: tk.kernel @twice
// CHECK-NOT: tk.mma
// CHECK: scf.for
// CHECK: tk.mma ABt
// CHECK: tk.mma AB
// CHECK: scf.yield
// CHECK-NOT: tk.mma
tk.kernel @twice(%Q: !tk.global<?x128xbf16>, %O: !tk.global<?x128xbf16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x128xbf16> -> !shared
    %o0 = tk.fill %zero : !score
    %r = scf.for %j = %c0 to %c2 step %c1 iter_args(%o = %o0) -> (!score) : i32 {
      %k = tk.load %Q[%j, %c0] : !tk.global<?x128xbf16> -> !shared
      %v = tk.load %Q[%j, %c1] : !tk.global<?x128xbf16> -> !shared
      %none = tk.fill %zero : !score
      %s = tk.mma ABt %none, %q, %k : !score, !shared, !shared
      %p = tk.map (%x = %s : !score) -> !tk.tile<128x128xbf16, register, row> {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      }
      %o2 = tk.mma AB %o, %p, %v : !score, !tk.tile<128x128xbf16, register, row>, !shared
      scf.yield %o2 : !score
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%m, %c0], %r : !tk.global<?x128xbf16>, !score
  }
}

// CHECK-LABEL: tk.kernel @thrice
// CHECK: tk.mma ABt
// CHECK: scf.for
// CHECK: scf.yield
// CHECK: tk.mma AB
tk.kernel @thrice(%Q: !tk.global<?x128xbf16>, %O: !tk.global<?x128xbf16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x128xbf16> -> !shared
    %o0 = tk.fill %zero : !score
    %r = scf.for %j = %c0 to %c3 step %c1 iter_args(%o = %o0) -> (!score) : i32 {
      %k = tk.load %Q[%j, %c0] : !tk.global<?x128xbf16> -> !shared
      %v = tk.load %Q[%j, %c1] : !tk.global<?x128xbf16> -> !shared
      %none = tk.fill %zero : !score
      %s = tk.mma ABt %none, %q, %k : !score, !shared, !shared
      %p = tk.map (%x = %s : !score) -> !tk.tile<128x128xbf16, register, row> {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      }
      %o2 = tk.mma AB %o, %p, %v : !score, !tk.tile<128x128xbf16, register, row>, !shared
      scf.yield %o2 : !score
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%m, %c0], %r : !tk.global<?x128xbf16>, !score
  }
}
