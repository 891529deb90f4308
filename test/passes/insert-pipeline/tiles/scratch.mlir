// Tests a tile that consumers write: each warpgroup writes its rows, and MMAs take it whole, by rows and in parts.
// It is B as a whole and A by rows, also transposed by columns; a part of it is no copy.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline | FileCheck %s

!tile = !tk.tile<128x64xbf16, shared>
!half = !tk.tile<128x64xbf16, register, row>
!A = !tk.global<?x?xbf16>

// CHECK-LABEL: hopper.kernel @scratch
// CHECK: %[[P:.+]] = hopper.alloc_ring "p" {what = "written by the consumers: 1 tile"} : <1, 128x64xbf16>
// CHECK: hopper.role consumer warpgroups 2
// CHECK: ^bb0(%[[W:.+]]: i32):
// CHECK: %[[TILE:.+]] = hopper.slot %[[P]][%c0
// CHECK: %[[OWN:.+]] = hopper.rows %[[TILE]], %{{.+}} : <128x64xbf16> -> <64x64xbf16>
// CHECK: hopper.store_fragment %{{.+}} to %[[OWN]] : <64x64xbf16>, <64x64xbf16>
// CHECK: hopper.wgmma ABt {{.+}} : <64x128xf32>, !hopper.shared<64x64xbf16>, <128x64xbf16>
// CHECK: %[[HALF:.+]] = hopper.columns %[[TILE]], %c32{{.*}} : <128x64xbf16> -> <128x32xbf16>
// CHECK: hopper.wgmma AB {{.+}} : <64x32xf32>, !hopper.fragment<64x128xbf16>, <128x32xbf16>
// CHECK: hopper.columns %{{.+}} : <64x128xbf16> -> <64x64xbf16>
// CHECK: hopper.wgmma AtB
// CHECK: hopper.load_fragment {{.+}} -> !hopper.fragment<64x64xbf16>
// CHECK: hopper.tma_store accumulate
tk.kernel @scratch(%A: !A {tk.name = "A"}, %C: !A {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %a = tk.load %A[%m, %m] : !A -> !tile loc("a")
    %x = tk.read %a : !tile -> !half
    %p0 = tk.alloc : !tile loc("p")
    %p = tk.write %x to %p0 : !half, !tile
    %f = tk.fill %zero : !tk.tile<128x128xf32, register, row>
    %s = tk.mma ABt %f, %p, %p : !tk.tile<128x128xf32, register, row>, !tile, !tile
    %s16 = tk.map (%e = %s : !tk.tile<128x128xf32, register, row>) -> !tk.tile<128x128xbf16, register, row> {
      %r = arith.truncf %e : f32 to bf16
      tk.yield %r : bf16
    }
    %h = tk.slice %p[0, 32] : !tile -> !tk.tile<128x32xbf16, shared>
    %g = tk.fill %zero : !tk.tile<128x32xf32, register, row>
    %o = tk.mma AB %g, %s16, %h : !tk.tile<128x32xf32, register, row>, !tk.tile<128x128xbf16, register, row>, !tk.tile<128x32xbf16, shared>
    tk.store %C[%m, %c0], %o : !A, !tk.tile<128x32xf32, register, row>
    %b = tk.load %A[%m, %m] : !A -> !tk.tile<64x128xbf16, shared> loc("b")
    %c = tk.load %A[%m, %m] : !A -> !tk.tile<64x32xbf16, shared> loc("c")
    %t = tk.mma AtB %g, %b, %c : !tk.tile<128x32xf32, register, row>, !tk.tile<64x128xbf16, shared>, !tk.tile<64x32xbf16, shared>
    tk.store %C[%m, %c0], %t : !A, !tk.tile<128x32xf32, register, row>
    tk.store accumulate %C[%m, %c0], %p : !A, !tile
  }
}
