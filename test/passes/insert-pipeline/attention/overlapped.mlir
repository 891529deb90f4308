// Tests a loop whose MMAs overlap its elementwise work: each MMA is a group of its own.
// They are the scores of the next block and the MMA with the weights of this one. K is given back after the wait
// for the scores, and V after that for the output.

// RUN: %tk-opt %s --tk-insert-pipeline | FileCheck %s

!shared = !tk.tile<128x64xbf16, shared>
!scores = !tk.tile<128x128xf32, register, row>
!weights = !tk.tile<128x128xbf16, register, row>
!out = !tk.tile<128x64xf32, register, row>

// CHECK-LABEL: hopper.kernel @overlapped
// CHECK: hopper.role consumer
// CHECK-NOT: "v_release"
// CHECK: scf.for
// CHECK: hopper.wait_barrier {{.+}} because "k of this stage has landed"
// CHECK: hopper.wgmma ABt
// CHECK-NEXT: hopper.commit_wgmma
// CHECK: hopper.wait_barrier {{.+}} because "v of this stage has landed"
// CHECK: hopper.wgmma AB
// CHECK-NEXT: hopper.commit_wgmma
// CHECK-NEXT: hopper.arrive {{.+}}[%[[K_USE:.+]]] : <
// CHECK: hopper.map {{.+}} -> !hopper.fragment<64x128xbf16>
// CHECK: hopper.arrive {{.+}}[%[[V_USE:.+]]] : <
// CHECK: hopper.map {{.+}} -> !hopper.fragment<64x64xf32>
// CHECK: scf.yield
// CHECK: hopper.wgmma AB
// CHECK: hopper.arrive {{.+}}[%[[V_USE]]] : <
tk.kernel @overlapped(%Q: !tk.global<?x64xbf16> {tk.name = "Q"}, %K: !tk.global<?x64xbf16> {tk.name = "K"}, %V: !tk.global<?x64xbf16> {tk.name = "V"},
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
      %o2 = tk.map (%x = %o1 : !out) -> !out {
        %z = arith.mulf %x, %scale : f32
        tk.yield %z : f32
      }
      scf.yield %o2, %p1 : !out, !weights
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    %v1 = tk.load %V[%last, %c0] {ring = 1 : i64} : !tk.global<?x64xbf16> -> !shared loc("v")
    %o4 = tk.mma AB %o3, %p3, %v1 : !out, !weights, !shared loc("o")
    tk.store %O[%m, %c0], %o4 : !tk.global<?x64xbf16>, !out
  }
}
