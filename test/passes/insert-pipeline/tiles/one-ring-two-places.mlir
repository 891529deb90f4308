// Tests one load at two places: one ring, one pair of barriers, filled and given back one after the other.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline | FileCheck %s

!tile = !tk.tile<128x64xbf16, shared>
!acc = !tk.tile<128x64xf32, register, row>
!A = !tk.global<?x?xbf16>

// CHECK-LABEL: hopper.kernel @ring
// CHECK-COUNT-1: hopper.alloc_ring "k"
// CHECK-NOT: alloc_ring "k"
// CHECK: hopper.role producer
// CHECK: %[[FILL:.+]] = hopper.cursor "k_fill"
// CHECK: hopper.tma_load {{.+}}[%[[FILL]]]
// CHECK: scf.for
// CHECK: hopper.tma_load {{.+}}[%[[FILL]]]
// CHECK: hopper.role consumer
// CHECK-NOT: "k_release"
// CHECK: hopper.wgmma
// CHECK: hopper.arrive %[[EMPTY:[^ ]+]][%[[USE:.+]]]
// CHECK: hopper.map
// CHECK: scf.for
// CHECK: hopper.wgmma
// CHECK: hopper.arrive %[[EMPTY]][%[[USE]]]
// CHECK: hopper.map
tk.kernel @ring(%A: !A {tk.name = "A"}, %C: !A {tk.name = "C"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %q = tk.load %A[%m, %c0] : !A -> !tile loc("q")
    %t = tk.fill %zero : !acc
    %k0 = tk.load %A[%c0, %c0] {ring = 0 : i64} : !A -> !tk.tile<64x64xbf16, shared> loc("k")
    %s0 = tk.mma ABt %t, %q, %k0 : !acc, !tile, !tk.tile<64x64xbf16, shared>
    %p0 = tk.map (%x = %s0 : !acc) -> !acc {
      %y = math.exp2 %x : f32
      tk.yield %y : f32
    }
    %p = scf.for %j = %c1 to %n step %c1 iter_args(%sum = %p0) -> (!acc) : i32 {
      %k = tk.load %A[%j, %c0] {ring = 0 : i64} : !A -> !tk.tile<64x64xbf16, shared> loc("k")
      %s = tk.mma ABt %t, %q, %k : !acc, !tile, !tk.tile<64x64xbf16, shared>
      %next = tk.map (%x = %s : !acc, %z = %sum : !acc) -> !acc {
        %y = math.exp2 %x : f32
        %u = arith.addf %y, %z : f32
        tk.yield %u : f32
      }
      scf.yield %next : !acc
    } {tk.pipeline = #tk.pipeline<stages = 3>}
    tk.store %C[%m, %c0], %p : !A, !acc
  }
}
