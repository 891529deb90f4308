// Tests that a condition which asks a third vector is not one that partial maxima can answer.

// RUN: %tk-opt %s --tk-conditional-rescale | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @third
// CHECK: scf.for
// CHECK-NOT: partial
// CHECK: hopper.any_row (%{{[^,]+}} : !hopper.vector<64xf32, column>) -> i1
hopper.kernel @third(%n: i32, %limit: !column) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %best0 = hopper.fill %zero : f32, !column
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %s, %best = %best0) -> (!tile, !column) : i32 {
      %top = hopper.reduce_rows max %s : !tile -> !column
      %now = hopper.map (%t = %top : !column, %b = %best : !column, %l = %limit : !column) -> !column {
        %0 = arith.addf %b, %l : f32
        %1 = arith.cmpf ogt, %t, %0 : f32
        %2 = arith.select %1, %t, %b : f32
        tk.yield %2 : f32
      }
      %alpha = hopper.map (%b = %best : !column, %a = %now : !column) -> !column {
        %0 = arith.subf %b, %a : f32
        %1 = math.exp2 %0 : f32
        tk.yield %1 : f32
      }
      %o1 = hopper.map (%x = %o : !tile, %f = %alpha : !column) -> !tile {
        %0 = arith.mulf %x, %f : f32
        tk.yield %0 : f32
      }
      scf.yield %o1, %now : !tile, !column
    }
  }
}
