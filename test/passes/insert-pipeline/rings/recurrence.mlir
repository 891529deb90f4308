// Tests that the consumer hands what it carries over in a ring of shared tiles, and that each of the reducer's two warpgroups takes
// every second iteration: it begins at its own, passes over the other's stages, and gives the handed tile back where it touches
// the result of the MMA that reads it. Loads that it reads have an even number of stages, and arrivals of one of its warpgroups.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --canonicalize --cse | FileCheck %s

// CHECK-LABEL: hopper.kernel @state
// CHECK-DAG: %[[C2:.+]] = arith.constant 2 : i32
// CHECK: %[[X:.+]] = hopper.alloc_ring "x" : <[[STAGES:[2468]]], 64x64xbf16>
// CHECK: %[[PAST:.+]] = hopper.alloc_ring "past_ring" {{.*}}written by the consumers{{.*}} : <2, 64x64xbf16>
// CHECK: %[[XFULL:.+]] = hopper.alloc_barrier "full" arrivals 1 {{.*}}waits = "consumer and reducer"
// CHECK: %[[XEMPTY:.+]] = hopper.alloc_barrier "empty" arrivals 8
// CHECK: %[[FULL:.+]] = hopper.alloc_barrier "past_full" arrivals 4 {{.*}}waits = "reducer"
// CHECK: %[[EMPTY:.+]] = hopper.alloc_barrier "past_empty" arrivals 4 {{.*}}waits = "consumer"
// CHECK: hopper.role consumer warpgroups 1
// CHECK: scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c1{{.*}} iter_args
// CHECK: hopper.wait_barrier %[[EMPTY]]{{.*}} previous
// CHECK: hopper.store_fragment
// CHECK: hopper.arrive %[[FULL]]
// CHECK: hopper.wgmma AB
// CHECK: hopper.arrive %[[XEMPTY]][%[[USE:.+]]]
// CHECK: hopper.advance %[[USE]] : <[[STAGES]]>
// CHECK: hopper.role reducer warpgroups 2
// CHECK: ^bb0(%[[OWN:.+]]: i32):
// CHECK: %[[USE:.+]] = hopper.cursor "use"
// CHECK: %[[TAKEN:.+]] = hopper.cursor "past_use"
// CHECK: hopper.advance %[[USE]] by %[[OWN]]
// CHECK: hopper.advance %[[TAKEN]] by %[[OWN]]
// CHECK: scf.for %{{.+}} = %[[OWN]] to %{{.+}} step %[[C2]]
// CHECK: hopper.wait_barrier %[[FULL]][%[[TAKEN]]]
// CHECK: hopper.wgmma ABt
// CHECK-NOT: hopper.arrive %[[EMPTY]]
// CHECK: hopper.wgmma ABt
// CHECK: hopper.arrive %[[EMPTY]][%[[TAKEN]]]
// CHECK: hopper.advance %[[TAKEN]] by %[[C2]]
// CHECK: hopper.map
// CHECK: hopper.wgmma AB
// CHECK: hopper.arrive %[[XEMPTY]][%[[USE]]]
// CHECK: hopper.advance %[[USE]] by %[[C2]]
// CHECK: hopper.tma_store
tk.kernel @state(%X: !tk.global<?x64xbf16> {tk.name = "X"}, %Y: !tk.global<?x64xf32> {tk.name = "Y"}, %O: !tk.global<?x64xf32> {tk.name = "O"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%n) in (%c4) {
    %none = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %past = tk.alloc : !tk.tile<64x64xbf16, shared> loc("past")
    %sum = scf.for %m = %c0 to %c4 step %c1 iter_args(%state = %none) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %x = tk.load %X[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared> loc("x")
      %kept = tk.read %x : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
      %narrow = tk.map (%a = %state : !tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xbf16, register, row> {
        %0 = arith.truncf %a : f32 to bf16
        tk.yield %0 : bf16
      }
      %written = tk.write %narrow to %past : !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
      %y = tk.mma ABt %none, %x, %written : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      %s = tk.mma ABt %none, %x, %x : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      %both = tk.map (%a = %y : !tk.tile<64x64xf32, register, row>, %b = %s : !tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xf32, register, row> {
        %0 = arith.addf %a, %b : f32
        tk.yield %0 : f32
      }
      %seen = tk.mma AB %both, %kept, %x : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
      tk.store %Y[%m, %c0], %seen : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
      %next = tk.mma AB %state, %kept, %x : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%n, %c0], %sum : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
  }
}
