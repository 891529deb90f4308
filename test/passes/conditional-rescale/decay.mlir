// Tests that a factor which does not follow from what the loop carries is multiplied in every iteration.
// Nothing says that it is often 1.

// RUN: %tk-opt %s --tk-conditional-rescale | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @decay
// CHECK: scf.for
// CHECK-NOT: scf.if
hopper.kernel @decay(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %best0 = hopper.fill %zero : f32, !column
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%o = %s) -> (!tile) : i32 {
      %decay = hopper.map (%b = %best0 : !column) -> !column {
        %0 = math.exp2 %b : f32
        tk.yield %0 : f32
      }
      %o1 = hopper.map (%x = %o : !tile, %f = %decay : !column) -> !tile {
        %0 = arith.mulf %x, %f : f32
        tk.yield %0 : f32
      }
      scf.yield %o1 : !tile
    }
  }
}
