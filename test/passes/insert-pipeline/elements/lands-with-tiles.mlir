// Tests that an element of a tensor that only maps use lands with the tiles of its loop: the producer copies it into a ring of
// its own, the full barrier counts one arrival more, and consumers read it, and the vector, once the MMA has started.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --canonicalize --cse | FileCheck %s

// CHECK: hopper.alloc_ring "a"
// CHECK: hopper.alloc_ring "v"
// CHECK: %[[RING:.+]] = hopper.alloc_ring "S_element" {what = "one element at the front of each of [[STAGES:[0-9]+]] stages"} : <[[STAGES]], 1x32xf32>
// CHECK: hopper.alloc_barrier "full" arrivals 2 {arrives = "producer twice, and 8448 TMA bytes", guards = "a and v of this stage have landed"
// CHECK: hopper.alloc_barrier "empty" arrivals 4
// CHECK: hopper.role producer
// CHECK-NOT: tk.element
// CHECK: hopper.expect_bytes %[[FULL:.+]][%[[FILL:.+]]], 8448
// CHECK: hopper.tma_load %arg0
// CHECK: hopper.tma_load %arg2
// CHECK: %[[TO:.+]] = hopper.stage %[[RING]][%[[FILL]]]
// CHECK: hopper.copy_element %arg1[%{{.+}}, %{{.+}}] to %[[TO]] signals %[[FULL]][%[[FILL]]]
// CHECK: hopper.advance %[[FILL]]
// CHECK: hopper.role consumer
// CHECK-NOT: tk.element
// CHECK: hopper.wait_barrier %[[FULL]][%[[USE:.+]]] because "a, v and S_element of this stage have landed"
// CHECK-NOT: hopper.load
// CHECK: hopper.wgmma
// CHECK-NEXT: hopper.commit_wgmma
// CHECK-NEXT: %[[FROM:.+]] = hopper.stage %[[RING]][%[[USE]]]
// CHECK-NEXT: %[[S:.+]] = hopper.load_element %[[FROM]] : <1x32xf32> -> f32
// CHECK: hopper.load_fragment
// CHECK: hopper.arrive
// CHECK: hopper.map
// CHECK: arith.mulf %{{.+}}, %[[S]]
tk.kernel @scaled(%A: !tk.global<?x?xf8E4M3FN> {tk.name = "A"}, %S: !tk.global<?x?xf32> {tk.name = "S"}, %V: !tk.global<?x?xf32> {tk.name = "V"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %m_tiles = tk.extent %S, 0 : !tk.global<?x?xf32>
  %k_tiles = tk.extent %S, 1 : !tk.global<?x?xf32>
  tk.grid (%m) in (%m_tiles) {
    %start = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%before = %start) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<64x128xf8E4M3FN, shared> loc("a")
      %v = tk.load %V[%k, %m] : !tk.global<?x?xf32> -> !tk.vector<64xf32, shared> loc("v")
      %r = tk.read %v : !tk.vector<64xf32, shared> -> !tk.vector<64xf32, register, column>
      %s = tk.element %S[%m, %k] : !tk.global<?x?xf32> -> f32
      %part = tk.fill %zero : !tk.tile<64x64xf32, register, row>
      %p = tk.mma ABt %part, %a, %a : !tk.tile<64x64xf32, register, row>, !tk.tile<64x128xf8E4M3FN, shared>, !tk.tile<64x128xf8E4M3FN, shared>
      %next = tk.map (%x = %before : !tk.tile<64x64xf32, register, row>, %y = %p : !tk.tile<64x64xf32, register, row>, %z = %r : !tk.vector<64xf32, register, column>) -> !tk.tile<64x64xf32, register, row> {
        %f = arith.mulf %z, %s : f32
        %g = arith.mulf %y, %f : f32
        %h = arith.addf %x, %g : f32
        tk.yield %h : f32
      }
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %c0], %sum : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
  }
}
