// Tests that a reference which may fall is no maximum that parts of a row could answer for.

// RUN: %tk-opt %s --tk-conditional-rescale | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @falling
// CHECK: scf.for
// CHECK-NOT: partial
// CHECK: hopper.any_row (%{{[^,]+}} : !hopper.vector<64xf32, column>) -> i1
hopper.kernel @falling(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %best0 = hopper.fill %zero : f32, !column
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %s, %best = %best0) -> (!tile, !column) : i32 {
      %top = hopper.reduce_rows max %s : !tile -> !column
      %now = hopper.map (%t = %top : !column, %b = %best : !column) -> !column {
        %0 = arith.cmpf olt, %t, %b : f32
        %1 = arith.select %0, %t, %b : f32
        tk.yield %1 : f32
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
