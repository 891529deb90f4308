// Tests a loop whose last MMA nothing waits for and whose last op waits for the first one: V is given back an iteration
// later, at the end.

// RUN: %tk-opt %s --tk-insert-pipeline | FileCheck %s

!shared = !tk.tile<128x64xbf16, shared>
!scores = !tk.tile<128x128xf32, register, row>
!weights = !tk.tile<128x128xbf16, register, row>
!out = !tk.tile<128x64xf32, register, row>

// CHECK-LABEL: hopper.kernel @unscaled
// CHECK: hopper.role consumer
// CHECK: scf.for
// CHECK: hopper.wgmma AB
// CHECK: hopper.map {{.+}} -> !hopper.fragment<64x128xbf16>
// CHECK: scf.if
// CHECK-NEXT: hopper.arrive {{.+}}[%[[V_RELEASE:.+]]] distance 1 : <
// CHECK: scf.yield
// CHECK: hopper.wgmma AB
// CHECK: hopper.arrive {{.+}}[%[[V_RELEASE]]] : <
tk.kernel @unscaled(%Q: !tk.global<?x64xbf16> {tk.name = "Q"}, %K: !tk.global<?x64xbf16> {tk.name = "K"}, %V: !tk.global<?x64xbf16> {tk.name = "V"},
                      %O: !tk.global<?x64xbf16> {tk.name = "O"}, %n: i32, %scale: f32) attributes {consumers = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x64xbf16> -> !shared loc("q")
    %o0 = tk.fill %zero : !out loc("o")
    %s0 = tk.fill %zero : !scores
    %k0 = tk.load %K[%c0, %c0] {ring = 0 : i64} : !tk.global<?x64xbf16> -> !shared loc("k")
    %s1 = tk.mma ABt %s0, %q, %k0 : !scores, !shared, !shared loc("s")
    %p0 = tk.map (%x = %s1 : !scores) -> !weights {
      %e = math.exp2 %x : f32
      %f = arith.truncf %e : f32 to bf16
      tk.yield %f : bf16
    }
    %last = arith.subi %n, %c1 : i32
    %o3, %p3 = scf.for %j = %c0 to %last step %c1 iter_args(%o = %o0, %p = %p0) -> (!out, !weights) : i32 {
      %next = arith.addi %j, %c1 : i32
      %k = tk.load %K[%next, %c0] {ring = 0 : i64} : !tk.global<?x64xbf16> -> !shared loc("k")
      %v = tk.load %V[%j, %c0] {ring = 1 : i64} : !tk.global<?x64xbf16> -> !shared loc("v")
      %s = tk.mma ABt %s0, %q, %k : !scores, !shared, !shared loc("s")
      %o1 = tk.mma AB %o, %p, %v : !out, !weights, !shared loc("o")
      %p1 = tk.map (%x = %s : !scores) -> !weights {
        %e = math.exp2 %x : f32
        %f = arith.truncf %e : f32 to bf16
        tk.yield %f : bf16
      }
      scf.yield %o1, %p1 : !out, !weights
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    %v1 = tk.load %V[%last, %c0] {ring = 1 : i64} : !tk.global<?x64xbf16> -> !shared loc("v")
    %o4 = tk.mma AB %o3, %p3, %v1 : !out, !weights, !shared loc("o")
    tk.store %O[%m, %c0], %o4 : !tk.global<?x64xbf16>, !out
  }
}
