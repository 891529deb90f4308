// Tests that a factor is voted on where the reference moves from one that is read from shared memory, handed over by another
// warpgroup, if at all; and not where nothing chooses.

// RUN: %tk-opt %s --tk-conditional-rescale | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @may_stay
// CHECK: scf.for
// CHECK: %[[VOTE:.+]] = hopper.any_row
// CHECK: scf.if %[[VOTE]]
// CHECK: arith.mulf
hopper.kernel @may_stay(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %tops = hopper.alloc_ring "tops" : !hopper.ring<1, 1x64xf32>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%o = %s) -> (!tile) : i32 {
      %slot = hopper.slot %tops[%c0] : !hopper.ring<1, 1x64xf32>
      %best = hopper.load_fragment %slot : !hopper.shared<1x64xf32> -> !column
      %top = hopper.reduce_rows max %s : !tile -> !column
      %now = hopper.map (%t = %top : !column, %b = %best : !column) -> !column {
        %0 = arith.cmpf ogt, %t, %b : f32
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
      scf.yield %o1 : !tile
    }
  }
}

// The choice is between two vectors that the factor does not read.

// CHECK-LABEL: hopper.kernel @moves
// CHECK-NOT: hopper.any_row
// CHECK: arith.mulf
hopper.kernel @moves(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %tops = hopper.alloc_ring "tops" : !hopper.ring<1, 1x64xf32>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %limit = hopper.fill %zero : f32, !column
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%o = %s) -> (!tile) : i32 {
      %slot = hopper.slot %tops[%c0] : !hopper.ring<1, 1x64xf32>
      %best = hopper.load_fragment %slot : !hopper.shared<1x64xf32> -> !column
      %top = hopper.reduce_rows max %s : !tile -> !column
      %now = hopper.map (%t = %top : !column, %b = %limit : !column) -> !column {
        %0 = arith.cmpf ogt, %t, %b : f32
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
      scf.yield %o1 : !tile
    }
  }
}
