// Tests that blocks of one tile each take the longest tiles first, with as many heads at a time as keep what their tiles
// share in L2; and that the order says nothing where all tiles are the same work, or a raster group has an order of its own.

// RUN: %tk-opt %s --split-input-file --tk-insert-pipeline | FileCheck %s

!A = !tk.global<?x?x64xbf16>
!acc = !tk.tile<64x64xf32, register, row>
!t = !tk.tile<64x64xbf16, shared>

// CHECK-LABEL: hopper.kernel @rising
// CHECK: %[[HEADS:.+]] = arith.maxsi
// CHECK: hopper.tile_order head_group %[[HEADS]] last_first
// CHECK: hopper.tile_loop
// CHECK-NOT: dynamic
tk.kernel @rising(%A: !A {tk.name = "A"}, %C: !A {tk.name = "C"}) attributes {consumers = 1 : i64, persistent = false} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %tiles = tk.extent %A, 1 : !A
  %heads = tk.extent %A, 0 : !A
  tk.grid (%m, %h) in (%tiles, %heads) {
    %f = tk.fill %zero : !acc
    %r = scf.for %j = %c0 to %m step %c1 iter_args(%acc = %f) -> (!acc) : i32 {
      %a = tk.load %A[%h, %j, %c0] : !A -> !t
      %s = tk.mma AB %acc, %a, %a : !acc, !t, !t
      scf.yield %s : !acc
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%h, %m, %c0], %r : !A, !acc
  }
}

// -----

!A = !tk.global<?x?x64xbf16>
!acc = !tk.tile<64x64xf32, register, row>
!t = !tk.tile<64x64xbf16, shared>

// CHECK-LABEL: hopper.kernel @equal
// CHECK-NOT: tile_order
tk.kernel @equal(%A: !A {tk.name = "A"}, %C: !A {tk.name = "C"}) attributes {consumers = 1 : i64, persistent = false} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %tiles = tk.extent %A, 1 : !A
  %heads = tk.extent %A, 0 : !A
  tk.grid (%m, %h) in (%tiles, %heads) {
    %f = tk.fill %zero : !acc
    %r = scf.for %j = %c0 to %tiles step %c1 iter_args(%acc = %f) -> (!acc) : i32 {
      %a = tk.load %A[%h, %j, %c0] : !A -> !t
      %s = tk.mma AB %acc, %a, %a : !acc, !t, !t
      scf.yield %s : !acc
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%h, %m, %c0], %r : !A, !acc
  }
}

// -----

!A = !tk.global<?x?x64xbf16>
!acc = !tk.tile<64x64xf32, register, row>
!t = !tk.tile<64x64xbf16, shared>

// CHECK-LABEL: hopper.kernel @raster
// CHECK-NOT: tile_order
tk.kernel @raster(%A: !A {tk.name = "A"}, %C: !A {tk.name = "C"}) attributes {consumers = 1 : i64, persistent = false} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %tiles = tk.extent %A, 1 : !A
  %heads = tk.extent %A, 0 : !A
  tk.grid (%m, %h) in (%tiles, %heads) swizzle 8 {
    %f = tk.fill %zero : !acc
    %r = scf.for %j = %c0 to %m step %c1 iter_args(%acc = %f) -> (!acc) : i32 {
      %a = tk.load %A[%h, %j, %c0] : !A -> !t
      %s = tk.mma AB %acc, %a, %a : !acc, !t, !t
      scf.yield %s : !acc
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%h, %m, %c0], %r : !A, !acc
  }
}
