// Tests a loop that begins where the tile stands in the grid, as over the blocks below the diagonal: both roles run it from
// there (that they run it equally often is proven by check-protocol/proven/kernels-of-insert-pipeline.test).

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline | FileCheck %s

!Q = !tk.global<?x64xbf16>
!b = !tk.tile<64x64xbf16, shared>
!acc = !tk.tile<64x64xf32, register, row>

// CHECK-LABEL: hopper.kernel @below
// CHECK: hopper.role producer
// CHECK: hopper.tile_loop (%[[N:.+]]) in (%[[TILES:.+]]) attributes {dynamic}
// CHECK: scf.for %{{.+}} = %[[N]] to %[[TILES]]
// CHECK: hopper.role consumer
// CHECK: hopper.tile_loop (%[[N:.+]]) in (%[[TILES]]) attributes {dynamic}
// CHECK: scf.for %{{.+}} = %[[N]] to %[[TILES]]
tk.kernel @below(%Q: !Q {tk.name = "Q"}, %K: !Q {tk.name = "K"}, %S: !tk.global<?x64xf32> {tk.name = "S"}, %tiles: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%n) in (%tiles) {
    %k = tk.load %K[%n, %c0] : !Q -> !b loc("k")
    scf.for %j = %n to %tiles step %c1 : i32 {
      %q = tk.load %Q[%j, %c0] : !Q -> !b loc("q")
      %f = tk.fill %zero : !acc
      %s = tk.mma ABt %f, %k, %q : !acc, !b, !b
      tk.store accumulate %S[%j, %c0], %s : !tk.global<?x64xf32>, !acc
    } {tk.pipeline = #tk.pipeline<stages = 0>}
  }
}
