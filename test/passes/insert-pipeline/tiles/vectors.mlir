// Tests vectors: they have a ring of one row, padded to 128 bytes and loaded in boxes of at most 256.
// A column vector is read in parts, a row vector whole; one warpgroup stores what all of them hold.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline | FileCheck %s

!row = !tk.vector<320xf32, register, row>
!V = !tk.global<?xf32>

// CHECK-LABEL: hopper.kernel @vectors
// CHECK: hopper.alloc_ring "v" : <8, 1x320xf32>
// CHECK: hopper.alloc_ring "w" : <8, 1x128xf32>
// CHECK: hopper.role producer
// CHECK: hopper.expect_bytes {{.+}}, 1792
// CHECK: %[[LOW:.+]] = hopper.columns {{.+}} : <1x320xf32> -> <1x256xf32>
// CHECK: hopper.tma_load %arg0[%[[FIRST:.+]]] to %[[LOW]]
// CHECK: %[[HIGH:.+]] = hopper.columns {{.+}} : <1x320xf32> -> <1x64xf32>
// CHECK: %[[NEXT:.+]] = arith.addi %[[FIRST]], %c256
// CHECK: hopper.tma_load %arg0[%[[NEXT]]] to %[[HIGH]]
// CHECK: hopper.role consumer warpgroups 2
// CHECK: ^bb0(%[[W:.+]]: i32):
// CHECK: %[[V:.+]] = hopper.load_fragment {{.+}} : <1x320xf32> -> !hopper.vector<320xf32, row>
// CHECK: %[[OWN:.+]] = arith.muli %[[W]], %c64
// CHECK: hopper.columns {{.+}}, %[[OWN]] : <1x128xf32> -> <1x64xf32>
// CHECK: %[[C:.+]] = hopper.load_fragment {{.+}} : <1x64xf32> -> !hopper.vector<64xf32, column>
// CHECK: %[[ONE:.+]] = arith.cmpi eq, %[[W]], %c0
// CHECK: scf.if %[[ONE]] {
// CHECK: hopper.store_global accumulate %[[V]] to %arg0
// CHECK: hopper.store_global %[[C]] to %arg0
tk.kernel @vectors(%L: !V {tk.name = "L"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %v = tk.load %L[%m] : !V -> !tk.vector<320xf32, shared> loc("v")
    %x = tk.read %v : !tk.vector<320xf32, shared> -> !row
    %w = tk.load %L[%m] : !V -> !tk.vector<128xf32, shared> loc("w")
    %y = tk.read %w : !tk.vector<128xf32, shared> -> !tk.vector<128xf32, register, column>
    tk.store accumulate %L[%m], %x : !V, !row
    tk.store %L[%m], %y : !V, !tk.vector<128xf32, register, column>
  }
}
