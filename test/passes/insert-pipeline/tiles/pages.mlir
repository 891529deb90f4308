// Tests that each page of a tile is a copy of its own into a part of the stage, on one barrier.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline | FileCheck %s

!tile = !tk.tile<64x64xbf16, shared>
!K = !tk.global<?x?x16x64xbf16>

// CHECK-LABEL: hopper.kernel @pages
// CHECK: hopper.role producer
// CHECK: hopper.expect_bytes %[[FULL:.+]][%[[FILL:.+]]], 8192
// CHECK: %[[STAGE:.+]] = hopper.stage
// CHECK: %[[PART:.+]] = hopper.rows %[[STAGE]], %c0{{.*}} -> <16x64xbf16>
// CHECK: hopper.tma_load %{{.+}}[%{{.+}}, %[[H:[^,]+]], %{{.+}}, %{{.+}}] to %[[PART]] signals %[[FULL]][%[[FILL]]]
// CHECK: %[[PART:.+]] = hopper.rows %[[STAGE]], %c16
// CHECK: hopper.tma_load %{{.+}}[%[[H]], %[[H]], %{{.+}}, %{{.+}}] to %[[PART]] signals %[[FULL]][%[[FILL]]]
// CHECK: hopper.rows %[[STAGE]], %c32
// CHECK: hopper.rows %[[STAGE]], %c48
// CHECK-NOT: hopper.rows
// CHECK: hopper.role consumer
tk.kernel @pages(%K: !K {tk.name = "K"}, %C: !tk.global<?x?xf32> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%h) in (%c4) {
    %acc = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %acc) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %x = tk.load %K[%k, %h, %c0, %c0, %h, %h, %c0, %c0, %c0, %h, %c0, %c0, %c1, %h, %c0, %c0] : !K -> !tile
      %b = tk.mma ABt %a, %x, %x : !tk.tile<64x64xf32, register, row>, !tile, !tile
      scf.yield %b : !tk.tile<64x64xf32, register, row>
    }
    tk.store %C[%h, %c0], %sum : !tk.global<?x?xf32>, !tk.tile<64x64xf32, register, row>
  }
}
