// RUN: %tk-opt %s --tk-insert-pipeline --split-input-file | FileCheck %s

// Tests that blocks draw their tiles where a loop runs longer for some: the last rows first, as many planes at the same
// time as keep their keys in cache.

// CHECK-LABEL: hopper.kernel @causal
// CHECK: %[[ROWS:.+]] = tk.extent %arg1, 1
// CHECK: %[[FITTING:.+]] = arith.divsi %c262144_i32, %[[ROWS]]
// CHECK: %[[PLANES:.+]] = arith.maxsi %[[FITTING]], %c1_i32{{.*}} : i32
// CHECK: hopper.tile_queue readers 4 planes %[[PLANES]] last_first
// CHECK: hopper.role producer
// CHECK: hopper.tile_loop {{.*}} attributes {drawn}
// CHECK: hopper.role consumer
// CHECK: hopper.tile_loop {{.*}} attributes {drawn}
tk.kernel @causal(%Q: !tk.global<?x?x64xbf16> {tk.name = "Q"}, %K: !tk.global<?x?x64xbf16> {tk.name = "K"}, %O: !tk.global<?x?x64xbf16> {tk.name = "O"}) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %tiles = tk.extent %Q, 1 : !tk.global<?x?x64xbf16>
  %heads = tk.extent %Q, 0 : !tk.global<?x?x64xbf16>
  tk.grid (%m, %h) in (%tiles, %heads) {
    %n = arith.addi %m, %c1 : i32
    %q = tk.load %Q[%h, %m, %c0] : !tk.global<?x?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %o = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %o) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %k = tk.load %K[%h, %j, %c0] : !tk.global<?x?x64xbf16> -> !tk.tile<64x64xbf16, shared>
      %next = tk.mma ABt %acc, %q, %k : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%h, %m, %c0], %r : !tk.global<?x?x64xbf16>, !tk.tile<64x64xf32, register, row>
  }
}

// -----

// Tests that blocks have shares where all loops are equally long, and where the user wants them.

// CHECK-LABEL: hopper.kernel @equal
// CHECK-NOT: tile_queue
// CHECK-NOT: drawn
tk.kernel @equal(%Q: !tk.global<?x64xbf16> {tk.name = "Q"}, %O: !tk.global<?x64xbf16> {tk.name = "O"}) attributes {consumers = 1 : i64} {
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

// -----

// Tests that the user's word counts: shares of a grid whose tiles differ, and a queue for one where they do not.

// CHECK-LABEL: hopper.kernel @in_turn
// CHECK-NOT: tile_queue
// CHECK-LABEL: hopper.kernel @dynamic
// CHECK: hopper.tile_queue readers 4{{$}}
tk.kernel @in_turn(%Q: !tk.global<?x64xbf16> {tk.name = "Q"}, %O: !tk.global<?x64xbf16> {tk.name = "O"}) attributes {consumers = 1 : i64, order = "static"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %tiles = tk.extent %Q, 0 : !tk.global<?x64xbf16>
  tk.grid (%m) in (%tiles) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %n = arith.addi %m, %c1 : i32
    %o = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %o) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %k = tk.load %Q[%j, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
      %next = tk.mma ABt %acc, %q, %k : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%m, %c0], %r : !tk.global<?x64xbf16>, !tk.tile<64x64xf32, register, row>
  }
}
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
