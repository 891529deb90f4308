// Tests that a sum which is stored in every iteration is whole in each.

// RUN: %tk-opt %s --tk-delay-reductions | FileCheck %s

// CHECK-LABEL: hopper.kernel @sum_read_in_loop
// CHECK-NOT: partial
// CHECK-NOT: hopper.finish_rows
!tile = !hopper.fragment<64x64xf32>
!column = !hopper.vector<64xf32, column>
hopper.kernel @sum_read_in_loop(%L: !tk.global<?xf32> {tk.name = "L"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %start = hopper.fill %zero : f32, !column
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %start) -> (!column) : i32 {
      %sum = hopper.reduce_rows add %s init %a : !tile -> !column
      hopper.store_global %sum to %L[%c0] : !column, !tk.global<?xf32>
      scf.yield %sum : !column
    }
    hopper.store_global %r to %L[%c0] : !column, !tk.global<?xf32>
  }
}
