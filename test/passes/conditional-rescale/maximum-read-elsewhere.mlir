// Tests that a maximum which something else reads is computed in every iteration; the vote is on the factor then.

// RUN: %tk-opt %s --tk-conditional-rescale | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @read
// CHECK: scf.for
// CHECK-NOT: partial
// CHECK: math.exp2
// CHECK: %[[DIFFERS:.+]] = hopper.any_row (%[[F:.+]] = %{{.+}} : !hopper.vector<64xf32, column>) -> i1 {
// CHECK-NEXT: arith.cmpf une, %[[F]], %{{.+}} : f32
// CHECK: scf.if %[[DIFFERS]]
hopper.kernel @read(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %best0 = hopper.fill %zero : f32, !column
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %s, %best = %best0, %sum = %best0) -> (!tile, !column, !column) : i32 {
      %top = hopper.reduce_rows max %s : !tile -> !column
      %now = hopper.map (%t = %top : !column, %b = %best : !column) -> !column {
        %0 = arith.maxnumf %t, %b : f32
        tk.yield %0 : f32
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
      %next = hopper.map (%x = %sum : !column, %t = %top : !column) -> !column {
        %0 = arith.addf %x, %t : f32
        tk.yield %0 : f32
      }
      scf.yield %o1, %now, %next : !tile, !column, !column
    }
  }
}
