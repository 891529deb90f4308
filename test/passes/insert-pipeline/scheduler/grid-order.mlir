// Tests that tiles keep the grid's order, the first dimension fastest, where the user wants a dynamic tile scheduler and loops are
// equally long for all first indices: neighbours read the same tiles at the same time.

// RUN: %tk-opt %s --tk-insert-pipeline --cse | FileCheck %s

// CHECK-LABEL: hopper.kernel @neighbours
// CHECK: %[[ONE:.+]] = arith.constant 1 : i32
// CHECK: hopper.tile_scheduler readers 4 head_group %[[ONE]]{{$}}
tk.kernel @neighbours(%Q: !tk.global<?x?x64xbf16> {tk.name = "Q"}, %K: !tk.global<?x?x64xbf16> {tk.name = "K"}, %O: !tk.global<?x?x64xbf16> {tk.name = "O"}) attributes {consumers = 1 : i64, order = "dynamic"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %batches = tk.extent %Q, 0 : !tk.global<?x?x64xbf16>
  %tiles = tk.extent %Q, 1 : !tk.global<?x?x64xbf16>
  tk.grid (%m, %b) in (%tiles, %batches) {
    %q = tk.load %Q[%b, %m, %c0] : !tk.global<?x?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %o = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %r = scf.for %j = %c0 to %tiles step %c1 iter_args(%acc = %o) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %k = tk.load %K[%b, %j, %c0] : !tk.global<?x?x64xbf16> -> !tk.tile<64x64xbf16, shared>
      %next = tk.mma ABt %acc, %q, %k : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%b, %m, %c0], %r : !tk.global<?x?x64xbf16>, !tk.tile<64x64xf32, register, row>
  }
}
