// Tests that a sum which starts with zero times something is carried in parts.
// The first iteration of an overlapped loop does so.

// RUN: %tk-opt %s --tk-delay-reductions | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @zero_matmul
// CHECK: hopper.reduce_rows add partial
// CHECK: scf.for
// CHECK: hopper.reduce_rows add partial
// CHECK: hopper.finish_rows add
hopper.kernel @zero_matmul(%L: !tk.global<?xf32> {tk.name = "L"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %alpha = hopper.map (%x = %s : !tile) -> !tile {
      %0 = math.exp2 %x : f32
      tk.yield %0 : f32
    }
    %factor = hopper.reduce_rows max %alpha : !tile -> !column
    %sum0 = hopper.reduce_rows add %s : !tile -> !column
    %total1 = hopper.map (%f = %factor : !column, %x = %sum0 : !column) -> !column {
      %0 = arith.mulf %zero, %f : f32
      %1 = arith.addf %0, %x : f32
      tk.yield %1 : f32
    }
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%total = %total1) -> (!column) : i32 {
      %sum = hopper.reduce_rows add %s : !tile -> !column
      %next = hopper.map (%t = %total : !column, %f = %factor : !column, %x = %sum : !column) -> !column {
        %0 = arith.mulf %t, %f : f32
        %1 = arith.addf %0, %x : f32
        tk.yield %1 : f32
      }
      scf.yield %next : !column
    }
    hopper.store_global %r to %L[%c0] : !column, !tk.global<?xf32>
  }
}
