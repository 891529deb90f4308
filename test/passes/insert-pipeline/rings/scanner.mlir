// Tests that scanner warps, one for each warpgroup of a scope, wait for loads of their own, write vectors of their own into a stage of
// a ring, and arrive once for all of them; that the consumers wait before the first read and give the stage back after the last
// one; and that threads which hand vectors over to threads need no proxy fence for them.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --canonicalize --cse --tk-insert-waits | FileCheck %s

// CHECK-LABEL: hopper.kernel @scanned
// CHECK: %[[G:.+]] = hopper.alloc_ring "g" : <{{.+}}, 1x64xf32>
// CHECK: %[[RING:.+]] = hopper.alloc_ring "now_ring" {{.*}}written by scanner warps{{.*}} : <4, 1x128xf32>
// CHECK: %[[GFULL:.+]] = hopper.alloc_barrier "full" arrivals 1 {{.*}}waits = "scanner"
// CHECK: %[[GEMPTY:.+]] = hopper.alloc_barrier "empty" arrivals 2 {arrives = "one lane of each scanner warp"
// CHECK: %[[FULL:.+]] = hopper.alloc_barrier "vectors_full" arrivals 2 {{.*}}waits = "consumers"
// CHECK: %[[EMPTY:.+]] = hopper.alloc_barrier "vectors_empty" arrivals 8 {{.*}}waits = "scanner"
// CHECK: hopper.role producer
// CHECK: hopper.role scanner warpgroups 1 warps 2 {
// CHECK: ^bb0(%[[WARP:.+]]: i32):
// CHECK: scf.for
// CHECK: hopper.wait_barrier %[[GFULL]]
// CHECK: hopper.load_fragment %{{.+}} -> !hopper.vector<64xf32, lanes>
// CHECK: hopper.fence_async_proxy
// CHECK: hopper.arrive %[[GEMPTY]]
// CHECK: %[[NOW:.+]] = hopper.scan add %{{.+}} across 1 {{.*}}!hopper.vector<64xf32, lanes>
// CHECK: hopper.wait_barrier %[[EMPTY]]{{.*}} previous
// CHECK: %[[FIRST:.+]] = arith.muli %[[WARP]], %c64
// CHECK: %[[PART:.+]] = hopper.columns %{{.+}}, %[[FIRST]] : <1x128xf32> -> <1x64xf32>
// CHECK: hopper.store_vector %[[NOW]] to %[[PART]]
// CHECK-NOT: hopper.fence_async_proxy
// CHECK: hopper.arrive %[[FULL]]
// CHECK: hopper.role consumer warpgroups 2
// CHECK: scf.for
// CHECK: hopper.wait_barrier %[[FULL]]
// CHECK: hopper.load_fragment %{{.+}} -> !hopper.vector<64xf32, row>
// CHECK-NOT: hopper.arrive %[[EMPTY]]
// CHECK: hopper.load_fragment %{{.+}} -> !hopper.vector<64xf32, column>
// CHECK-NOT: hopper.fence_async_proxy
// CHECK: hopper.arrive %[[EMPTY]]
tk.kernel @scanned(%G: !tk.global<?xf32> {tk.name = "G"}, %O: !tk.global<?x64xf32> {tk.name = "O"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%n) in (%c4) {
    tk.each warpgroup of 2 (%w) {
      %double = arith.muli %n, %c2 : i32
      %place = arith.addi %double, %w : i32
      %factor = arith.sitofp %w : i32 to f32
      %none = tk.fill %zero : !tk.tile<64x64xf32, register, row>
      %nows = tk.alloc : !tk.vector<64xf32, shared> loc("nows")
      %sum = scf.for %m = %c0 to %c4 step %c1 iter_args(%o = %none) -> (!tk.tile<64x64xf32, register, row>) : i32 {
        %g = tk.load %G[%m] : !tk.global<?xf32> -> !tk.vector<64xf32, shared> loc("g")
        %gs = tk.read %g : !tk.vector<64xf32, shared> -> !tk.vector<64xf32, register, column>
        %scaled = tk.map (%x = %gs : !tk.vector<64xf32, register, column>) -> !tk.vector<64xf32, register, column> {
          %0 = arith.mulf %x, %factor : f32
          tk.yield %0 : f32
        }
        %now = tk.scan add %scaled : !tk.vector<64xf32, register, column> loc("now")
        %written = tk.write %now to %nows : !tk.vector<64xf32, register, column>, !tk.vector<64xf32, shared>
        %then = tk.read %written : !tk.vector<64xf32, shared> -> !tk.vector<64xf32, register, row>
        %next = tk.map (%a = %o : !tk.tile<64x64xf32, register, row>, %t = %then : !tk.vector<64xf32, register, row>, %i = %now : !tk.vector<64xf32, register, column>) -> !tk.tile<64x64xf32, register, row> {
          %0 = arith.subf %i, %t : f32
          %1 = arith.addf %a, %0 : f32
          tk.yield %1 : f32
        }
        scf.yield %next : !tk.tile<64x64xf32, register, row>
      } {tk.pipeline = #tk.pipeline<stages = 0>}
      tk.store %O[%place, %c0], %sum : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
    }
  }
}
