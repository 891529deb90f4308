// Tests that one copy brings the tiles of all warpgroups where they lie in planes that follow one another: planes m * 2 + w,
// but not m + w * 2, nor planes of two dimensions at once.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --tk-allocate-shared --tk-legalize-for-emission | FileCheck %s

!A = !tk.global<?x?x64x64xbf16>
!tile = !tk.tile<64x64xbf16, shared>
!reg = !tk.tile<64x64xbf16, register, row>

// CHECK-LABEL: hopper.kernel @planes
// CHECK-DAG: %[[MANY:.+]] = hopper.tensor_map %arg0 box [2, 64, 64] swizzle 128
// CHECK-DAG: %[[ONE:.+]] = hopper.tensor_map %arg0 box [64, 64] swizzle 128
// CHECK: hopper.role producer
// CHECK: %[[FIRST:.+]] = arith.muli
// CHECK: hopper.tma_load %[[MANY]][%{{.+}}, %[[FIRST]], %{{.+}}, %{{.+}}] depth 2 to %{{.+}}, <128x64xbf16>,
// CHECK: hopper.tma_load %[[ONE]]{{.+}}, <64x64xbf16>,
// CHECK: hopper.tma_load %[[ONE]]{{.+}}, <64x64xbf16>,
// CHECK: hopper.tma_load %[[ONE]]{{.+}}, <64x64xbf16>,
// CHECK: hopper.tma_load %[[ONE]]{{.+}}, <64x64xbf16>,
// CHECK-NOT: hopper.tma_load
// CHECK: hopper.role consumer
tk.kernel @planes(%A: !A {tk.name = "A"}, %C: !A {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  tk.grid (%m) in (%c2) {
    tk.each warpgroup of 2 (%w) {
      %first = arith.muli %m, %c2 : i32
      %plane = arith.addi %first, %w : i32
      %a0 = tk.load %A[%c0, %plane, %c0, %c0] : !A -> !tile loc("a")
      %a = tk.read %a0 : !tile -> !reg
      %twice = arith.muli %w, %c2 : i32
      %far = arith.addi %m, %twice : i32
      %b0 = tk.load %A[%c0, %far, %c0, %c0] : !A -> !tile loc("b")
      %b = tk.read %b0 : !tile -> !reg
      %d0 = tk.load %A[%w, %plane, %c0, %c0] : !A -> !tile loc("d")
      %d = tk.read %d0 : !tile -> !reg
      tk.store %C[%c0, %plane, %c0, %c0], %a : !A, !reg
      tk.store %C[%c0, %far, %c0, %c0], %b : !A, !reg
      tk.store %C[%w, %plane, %c0, %c0], %d : !A, !reg
    }
  }
}
