// Tests that a load before the loop has its own barriers, is waited for once and given back after the loop.
// What is stored in the loop is given back before the store, which waits for the MMA anyway. An MMA into a fresh
// accumulator does not accumulate. A store may stand in the loop.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --canonicalize --cse | FileCheck %s

// CHECK-LABEL: hopper.kernel @pre
// CHECK: hopper.alloc_ring "q" : <2, 128x64xbf16>
// CHECK: %[[FULL:.+]] = hopper.alloc_barrier "q_full"
// CHECK: %[[EMPTY:.+]] = hopper.alloc_barrier "q_empty"
// CHECK: hopper.role producer
// CHECK: hopper.wait_barrier %[[EMPTY]]
// CHECK: hopper.advance
// CHECK: scf.for
// CHECK: hopper.role consumer
// CHECK: hopper.wait_barrier %[[FULL]]
// CHECK: scf.for
// CHECK: hopper.wgmma ABt {{.+}} accumulate %false
// CHECK: hopper.commit_wgmma
// CHECK-NEXT: hopper.arrive %{{[^ ]+}}[%{{[^ ]+}}] : <
// CHECK: hopper.tma_store
// CHECK: } {hopper.unroll}
// CHECK: hopper.arrive %[[EMPTY]]
tk.kernel @pre(%Q: !tk.global<?x64xbf16> {tk.name = "Q"}, %K: !tk.global<?x64xbf16> {tk.name = "K"}, %O: !tk.global<?x?xbf16> {tk.name = "O"}) {
  %c128 = arith.constant 128 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %rows = tk.extent %Q, 0 : !tk.global<?x64xbf16>
  %m_tiles = arith.ceildivsi %rows, %c128 : i32
  %cols = tk.extent %K, 0 : !tk.global<?x64xbf16>
  %n_tiles = arith.ceildivsi %cols, %c128 : i32
  %fill = tk.fill %zero : !tk.tile<128x128xf32, register, row>
  tk.grid (%m) in (%m_tiles) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<128x64xbf16, shared> loc("q")
    scf.for %j = %c0 to %n_tiles step %c1 : i32 {
      %k = tk.load %K[%j, %c0] : !tk.global<?x64xbf16> -> !tk.tile<128x64xbf16, shared> loc("k")
      %s = tk.mma ABt %fill, %q, %k : !tk.tile<128x128xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<128x64xbf16, shared> loc("s")
      tk.store %O[%m, %j], %s : !tk.global<?x?xbf16>, !tk.tile<128x128xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
  }
}
