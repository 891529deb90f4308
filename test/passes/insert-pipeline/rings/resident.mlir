// Tests loads that are the same for all tiles: they land once, before the first tile, on one barrier that nobody frees;
// equal ones are one, also from within a loop. A load from a tensor that the kernel stores to is done for each tile.
// RUN: %tk-opt %s --tk-insert-pipeline | FileCheck %s

// CHECK-LABEL: hopper.kernel @weights
// CHECK: hopper.alloc_ring "w" : <1, 64x64xbf16>
// CHECK: hopper.alloc_ring "v" : <1, 1x64xf32>
// CHECK: hopper.alloc_ring "x" : <{{[2-9]}}, 64x64xbf16>
// CHECK-NOT: alloc_ring "again"
// CHECK: %[[LANDED:.+]] = hopper.alloc_barrier "resident_full" arrivals 1
// CHECK-SAME: guards = "w and v have landed"
// CHECK-NOT: "resident_empty"
// CHECK: hopper.role producer
// CHECK: hopper.expect_bytes %[[LANDED]][%{{.+}}], 8448
// CHECK: hopper.tma_load %{{.+}} signals %[[LANDED]]
// CHECK: hopper.tma_load %{{.+}} signals %[[LANDED]]
// CHECK: hopper.tile_loop
// CHECK-NOT: %[[LANDED]]
// CHECK: hopper.role consumer
// CHECK: hopper.wait_barrier %[[LANDED]][%{{.+}}] because "w and v have landed"
// CHECK: hopper.tile_loop
// CHECK-NOT: %[[LANDED]]
// CHECK: hopper.slot %{{.+}}[%c0
tk.kernel @weights(%W: !tk.global<64x64xbf16> {tk.name = "W"}, %V: !tk.global<64xf32> {tk.name = "V"},
                   %X: !tk.global<?x64xbf16> {tk.name = "X"}, %Y: !tk.global<?x64xf32> {tk.name = "Y"},
                   %n: i32) attributes {consumers = 1 : i64, persistent = true} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %x = tk.load %X[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared> loc("x")
    %start = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %w = tk.load %W[%c0, %c0] : !tk.global<64x64xbf16> -> !tk.tile<64x64xbf16, shared> loc("w")
      %next = tk.mma AB %acc, %x, %w : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    }
    %again = tk.load %W[%c0, %c0] : !tk.global<64x64xbf16> -> !tk.tile<64x64xbf16, shared> loc("again")
    %weights = tk.read %again : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    %v = tk.load %V[%c0] : !tk.global<64xf32> -> !tk.vector<64xf32, shared> loc("v")
    %row = tk.read %v : !tk.vector<64xf32, shared> -> !tk.vector<64xf32, register, row>
    %scaled = tk.map (%e = %sum : !tk.tile<64x64xf32, register, row>, %g = %weights : !tk.tile<64x64xbf16, register, row>, %f = %row : !tk.vector<64xf32, register, row>) -> !tk.tile<64x64xf32, register, row> {
      %0 = arith.mulf %e, %f : f32
      %1 = arith.extf %g : bf16 to f32
      %2 = arith.addf %0, %1 : f32
      tk.yield %2 : f32
    }
    tk.store %Y[%m, %c0], %scaled : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
  }
}

// CHECK-LABEL: hopper.kernel @written
// CHECK-NOT: resident
tk.kernel @written(%Y: !tk.global<?x64xf32> {tk.name = "Y"}, %n: i32) attributes {consumers = 1 : i64, persistent = true} {
  %c0 = arith.constant 0 : i32
  tk.grid (%m) in (%n) {
    %first = tk.load %Y[%c0, %c0] : !tk.global<?x64xf32> -> !tk.tile<64x64xf32, shared> loc("first")
    %x = tk.read %first : !tk.tile<64x64xf32, shared> -> !tk.tile<64x64xf32, register, row>
    tk.store %Y[%m, %c0], %x : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
  }
}
