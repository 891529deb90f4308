// Tests that blocks take tiles from a dynamic tile scheduler that do not differ if the user wants that.

// RUN: %tk-opt %s --tk-insert-pipeline | FileCheck %s

// CHECK-LABEL: hopper.kernel @dynamic
// CHECK: hopper.tile_scheduler readers 4{{$}}
tk.kernel @dynamic(%Q: !tk.global<?x64xbf16> {tk.name = "Q"}, %O: !tk.global<?x64xbf16> {tk.name = "O"}) attributes {consumers = 1 : i64, order = "dynamic"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %tiles = tk.extent %Q, 0 : !tk.global<?x64xbf16>
  tk.grid (%m) in (%tiles) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %o = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %r = scf.for %j = %c0 to %tiles step %c1 iter_args(%acc = %o) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %k = tk.load %Q[%j, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
      %next = tk.mma ABt %acc, %q, %k : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%m, %c0], %r : !tk.global<?x64xbf16>, !tk.tile<64x64xf32, register, row>
  }
}
