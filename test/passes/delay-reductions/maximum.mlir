// Tests that a running maximum is left as it is: parts of it would have to be compared with all of it.

// RUN: %tk-opt %s --tk-delay-reductions | FileCheck %s

// CHECK-LABEL: hopper.kernel @maximum
// CHECK-NOT: partial
// CHECK-NOT: hopper.finish_rows
!tile = !hopper.fragment<64x64xf32>
!column = !hopper.vector<64xf32, column>
hopper.kernel @maximum(%L: !tk.global<?xf32> {tk.name = "L"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %start = hopper.fill %zero : f32, !column
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %start) -> (!column) : i32 {
      %top = hopper.reduce_rows max %s init %a : !tile -> !column
      scf.yield %top : !column
    }
    hopper.store_global %r to %L[%c0] : !column, !tk.global<?xf32>
  }
}
