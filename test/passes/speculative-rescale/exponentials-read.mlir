// Tests that the vote stays on maxima where exponentials are read otherwise than by sums and conversions: they would
// have to leave the branch, and 64 more registers be alive.

// RUN: %tk-opt %s --tk-conditional-rescale --tk-speculative-rescale | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!narrow = !hopper.fragment<64x64xbf16>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @exponentials_read
// CHECK: hopper.reduce_rows max partial
// CHECK-NOT: math.fma
// CHECK: scf.if
// CHECK-NOT: math.fma
hopper.kernel @exponentials_read(%n: i32, %slack: f32, %c: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %rounded = arith.constant 0.0 : bf16
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %none = hopper.fill %rounded : bf16, !narrow
    %first = hopper.fill %zero : f32, !column
    %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %s, %best = %first, %total = %first, %last = %none) -> (!tile, !column, !column, !narrow) : i32 {
      %top = hopper.reduce_rows max %s : !tile -> !column
      %now = hopper.map (%t = %top : !column, %b = %best : !column) -> !column {
        %0 = arith.addf %b, %slack : f32
        %1 = arith.cmpf ogt, %t, %0 : f32
        %2 = arith.select %1, %t, %b : f32
        tk.yield %2 : f32
      }
      %alpha = hopper.map (%b = %best : !column, %a = %now : !column) -> !column {
        %0 = arith.subf %b, %a : f32
        %1 = math.exp2 %0 : f32
        tk.yield %1 : f32
      }
      %p = hopper.map (%x = %s : !tile, %a = %now : !column) -> !tile {
        %0 = arith.mulf %x, %c : f32
        %1 = arith.mulf %a, %c : f32
        %2 = arith.subf %0, %1 : f32
        %3 = math.exp2 %2 : f32
        tk.yield %3 : f32
      }
      %sum = hopper.reduce_rows add partial %p : !tile -> !column
      %next = hopper.map (%x = %total : !column, %f = %alpha : !column, %y = %sum : !column) -> !column {
        %0 = arith.mulf %x, %f : f32
        %1 = arith.addf %0, %y : f32
        tk.yield %1 : f32
      }
      %o1 = hopper.map (%x = %o : !tile, %f = %alpha : !column) -> !tile {
        %0 = arith.mulf %x, %f : f32
        tk.yield %0 : f32
      }
      %narrow = hopper.map (%x = %p : !tile) -> !narrow {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      }
      %o2 = hopper.map (%x = %o1 : !tile, %y = %p : !tile) -> !tile {
        %0 = arith.addf %x, %y : f32
        tk.yield %0 : f32
      }
      scf.yield %o2, %now, %next, %narrow : !tile, !column, !column, !narrow
    }
  }
}
