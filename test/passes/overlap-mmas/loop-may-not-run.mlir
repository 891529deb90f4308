// Tests that a loop that may not run stands in a branch.
// Work fused with the rounding of the operand is separated from it, and an MMA without an update needs no rescaling.

// RUN: %tk-opt %s --tk-overlap-mmas --canonicalize --cse | FileCheck %s

!score = !tk.tile<128x128xf32, register, row>
!shared = !tk.tile<128x128xbf16, shared>

// CHECK-LABEL: tk.kernel @maybe
// CHECK: %[[RUNS:.+]] = arith.cmpi {{.*}} : i32
// CHECK: %[[R:.+]] = scf.if %[[RUNS]]
// CHECK: scf.for
// CHECK: tk.mma ABt
// CHECK: tk.mma AB
// CHECK: math.exp2
// CHECK-NOT: arith.truncf
// CHECK: tk.yield %{{.+}} : f32
// CHECK: arith.truncf
// CHECK: scf.yield
// CHECK: tk.mma AB
// CHECK: else
// CHECK-NEXT: scf.yield %[[NONE:.+]] :
tk.kernel @maybe(%Q: !tk.global<?x128xbf16>, %K: !tk.global<?x128xbf16>, %O: !tk.global<?x128xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x128xbf16> -> !shared
    %o0 = tk.fill %zero : !score
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%o = %o0) -> (!score) : i32 {
      %k = tk.load %K[%j, %c0] : !tk.global<?x128xbf16> -> !shared
      %v = tk.load %K[%j, %c1] : !tk.global<?x128xbf16> -> !shared
      %none = tk.fill %zero : !score
      %s = tk.mma ABt %none, %q, %k : !score, !shared, !shared
      %p = tk.map (%x = %s : !score) -> !tk.tile<128x128xbf16, register, row> {
        %0 = math.exp2 %x : f32
        %1 = arith.truncf %0 : f32 to bf16
        tk.yield %1 : bf16
      }
      %o2 = tk.mma AB %o, %p, %v : !score, !tk.tile<128x128xbf16, register, row>, !shared
      scf.yield %o2 : !score
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%m, %c0], %r : !tk.global<?x128xbf16>, !score
  }
}
