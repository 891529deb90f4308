// Tests that two MMAs of one load have two variables, one stage for all three loads and one group.
// The two accumulators start as the same value, and one staging ring is used by both stores one after the other.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --canonicalize --cse | FileCheck %s

// CHECK-LABEL: hopper.kernel @gate
// CHECK: hopper.alloc_ring "staging" {what = "2 consumers x 2 buffers"} : <4, 64x32xbf16>
// CHECK: hopper.role consumer
// CHECK: %[[Y:.+]] = hopper.uninitialized
// CHECK: %[[Z:.+]] = hopper.uninitialized
// CHECK: iter_args(%{{.+}} = %[[Y]], %{{.+}} = %[[Z]])
// CHECK: hopper.wgmma AB
// CHECK: hopper.wgmma ABt
// CHECK-NEXT: hopper.commit_wgmma
// CHECK: arith.remsi
// CHECK: %[[GOES_ON:.+]] = arith.addi %{{.+}}, %c1
// CHECK: arith.remsi %[[GOES_ON]], %c2
tk.kernel @gate(%X: !tk.global<?x?xbf16> {tk.name = "X"}, %W: !tk.global<?x?xbf16> {tk.name = "W"}, %V: !tk.global<?x?xbf16> {tk.name = "V"},
                %Y: !tk.global<?x?xbf16> {tk.name = "Y"}, %Z: !tk.global<?x?xbf16> {tk.name = "Z"}) {
  %c128 = arith.constant 128 : i32
  %c64 = arith.constant 64 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %rows = tk.extent %Y, 0 : !tk.global<?x?xbf16>
  %m_tiles = arith.ceildivsi %rows, %c128 : i32
  %cols = tk.extent %X, 1 : !tk.global<?x?xbf16>
  %k_tiles = arith.ceildivsi %cols, %c64 : i32
  %fill = tk.fill %zero : !tk.tile<128x96xf32, register, row>
  tk.grid (%m) in (%m_tiles) {
    %sums:2 = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%y = %fill, %z = %fill) -> (!tk.tile<128x96xf32, register, row>, !tk.tile<128x96xf32, register, row>) : i32 {
      %x = tk.load %X[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared> loc("x")
      %w = tk.load %W[%k, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x96xbf16, shared> loc("w")
      %v = tk.load %V[%c0, %k] : !tk.global<?x?xbf16> -> !tk.tile<96x64xbf16, shared> loc("v")
      %y2 = tk.mma AB %y, %x, %w : !tk.tile<128x96xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x96xbf16, shared> loc("y")
      %z2 = tk.mma ABt %z, %x, %v : !tk.tile<128x96xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<96x64xbf16, shared> loc("z")
      scf.yield %y2, %z2 : !tk.tile<128x96xf32, register, row>, !tk.tile<128x96xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %Y[%m, %c0], %sums#0 : !tk.global<?x?xbf16>, !tk.tile<128x96xf32, register, row>
    tk.store %Z[%m, %c0], %sums#1 : !tk.global<?x?xbf16>, !tk.tile<128x96xf32, register, row>
  }
}
