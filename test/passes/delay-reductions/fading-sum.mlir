// Tests that a running sum that decays is carried in parts, from before the loop until after it.

// RUN: %tk-opt %s --tk-delay-reductions | FileCheck %s

// CHECK-LABEL: hopper.kernel @total
// CHECK: hopper.reduce_rows add partial
// CHECK: scf.for
// CHECK: hopper.reduce_rows add partial
// CHECK-NOT: hopper.finish_rows
// CHECK: scf.yield
// CHECK: }
// CHECK-NEXT: %[[SUM:.+]] = hopper.finish_rows add
// CHECK-NEXT: hopper.store_global %[[SUM]]
!tile = !hopper.fragment<64x64xf32>
!column = !hopper.vector<64xf32, column>
hopper.kernel @total(%L: !tk.global<?xf32> {tk.name = "L"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %alpha = hopper.fill %zero : f32, !column
    %total0 = hopper.fill %zero : f32, !column
    %sum0 = hopper.reduce_rows add %s : !tile -> !column
    %total1 = hopper.map (%t = %total0 : !column, %f = %alpha : !column, %x = %sum0 : !column) -> !column {
      %0 = arith.mulf %t, %f : f32
      %1 = arith.addf %0, %x : f32
      tk.yield %1 : f32
    }
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%total = %total1) -> (!column) : i32 {
      %sum = hopper.reduce_rows add %s : !tile -> !column
      %next = hopper.map (%t = %total : !column, %f = %alpha : !column, %x = %sum : !column) -> !column {
        %0 = arith.mulf %t, %f : f32
        %1 = arith.addf %0, %x : f32
        tk.yield %1 : f32
      }
      scf.yield %next : !column
    }
    hopper.store_global %r to %L[%c0] : !column, !tk.global<?xf32>
  }
}
