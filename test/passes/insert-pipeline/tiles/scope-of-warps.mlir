// Tests a scope of warps: fragments are four tiles, and every warp stores through a buffer of its own.
// MMAs take registers, B as ldmatrix transposes it. One copy brings the rows of A of all warps.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline | FileCheck %s

!A = !tk.global<?x?xbf16>

// CHECK-LABEL: hopper.kernel @warps
// CHECK: hopper.alloc_ring "C_staging" {what = "8 warps x 1 buffer"} : <8, 16x64xbf16>
// CHECK: hopper.tma_load %arg0{{.+}}, <64x64xbf16>,
// CHECK: hopper.tma_load %arg0{{.+}}, <128x64xbf16>,
// CHECK-NOT: hopper.tma_load
// CHECK: hopper.role consumer warpgroups 2 each warp
// CHECK: ^bb0(%[[W:.+]]: i32):
// CHECK: %[[COL:.+]] = hopper.load_fragment {{.+}} {hopper.transposed} : <64x64xbf16> -> !hopper.fragment<256x64xbf16>
// CHECK-NOT: hopper.transpose
// CHECK: hopper.rows {{.+}} : <128x64xbf16> -> <16x64xbf16>
// CHECK: %[[A:.+]] = hopper.load_fragment {{.+}} : <16x64xbf16> -> !hopper.fragment<64x64xbf16>
// CHECK: %[[R:.+]] = hopper.mma_sync {{.+}}, %[[A]], %[[COL]]
// CHECK: hopper.slot {{.+}}[%[[W]]] : <8, 16x64xbf16>
// CHECK: hopper.store_fragment %[[R]]
tk.kernel @warps(%A: !A {tk.name = "A"}, %C: !A {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    tk.each warp of 8 (%w) {
      %b0 = tk.load %A[%m, %c0] : !A -> !tk.tile<64x64xbf16, shared> loc("b")
      %b = tk.read %b0 : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
      %bc = tk.swap_layout %b : !tk.tile<64x64xbf16, register, row> -> !tk.tile<64x64xbf16, register, col>
      %a0 = tk.load %A[%w, %c0] : !A -> !tk.tile<16x64xbf16, shared> loc("a")
      %a = tk.read %a0 : !tk.tile<16x64xbf16, shared> -> !tk.tile<16x64xbf16, register, row>
      %t = tk.fill %zero : !tk.tile<16x64xf32, register, row>
      %r = tk.mma AB %t, %a, %bc : !tk.tile<16x64xf32, register, row>, !tk.tile<16x64xbf16, register, row>, !tk.tile<64x64xbf16, register, col>
      tk.store %C[%w, %c0], %r : !A, !tk.tile<16x64xf32, register, row>
    }
  }
}
