// Tests that a loop which goes from the last block of keys to the first shares them with the tiles around as one that goes up does: as many
// heads are worked on at the same time as keep their keys in L2.

// RUN: %tk-opt %s --tk-insert-pipeline | FileCheck %s

// CHECK-LABEL: hopper.kernel @last_block_first
// CHECK: %[[ROWS:.+]] = tk.extent %arg1, 1
// CHECK: %[[FITTING:.+]] = arith.divsi %c262144_i32, %[[ROWS]]
// CHECK: %[[HEAD_GROUP:.+]] = arith.maxsi %[[FITTING]], %c1_i32{{.*}} : i32
// CHECK: hopper.tile_scheduler readers 4 head_group %[[HEAD_GROUP]] last_first
// CHECK-COUNT-2: hopper.tile_loop {{.*}} attributes {dynamic}
tk.kernel @last_block_first(%Q: !tk.global<?x?x64xbf16> {tk.name = "Q"}, %K: !tk.global<?x?x64xbf16> {tk.name = "K"}, %O: !tk.global<?x?x64xbf16> {tk.name = "O"}) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %tiles = tk.extent %Q, 1 : !tk.global<?x?x64xbf16>
  %heads = tk.extent %Q, 0 : !tk.global<?x?x64xbf16>
  tk.grid (%m, %h) in (%tiles, %heads) {
    %last = arith.addi %m, %c1 : i32
    %q = tk.load %Q[%h, %m, %c0] : !tk.global<?x?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %o = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %r = scf.for %j = %c0 to %last step %c1 iter_args(%acc = %o) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %block = arith.subi %m, %j : i32
      %k = tk.load %K[%h, %block, %c0] : !tk.global<?x?x64xbf16> -> !tk.tile<64x64xbf16, shared>
      %next = tk.mma ABt %acc, %q, %k : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%h, %m, %c0], %r : !tk.global<?x?x64xbf16>, !tk.tile<64x64xf32, register, row>
  }
}
