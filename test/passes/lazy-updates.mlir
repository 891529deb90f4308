// RUN: %tk-opt %s --tk-lazy-updates | FileCheck %s

// Tests that an accumulator which fades with a running maximum is scaled where a row's factor is not 1, and only there.

// CHECK-LABEL: hopper.kernel @softmax
// CHECK: scf.for {{.*}} iter_args(%[[O:.+]] = {{.*}}, %{{.+}} = {{.*}})
// CHECK: %[[FADE:.+]] = hopper.map
// CHECK: %[[ONE:.+]] = arith.constant 1.0
// CHECK-NEXT: %[[DIFFERS:.+]] = hopper.any_differs %[[FADE]], %[[ONE]]
// CHECK-NEXT: %[[NEXT:.+]] = scf.if %[[DIFFERS]]
// CHECK-NEXT: %[[SCALED:.+]] = hopper.map {{.*}} = %[[O]]
// CHECK: scf.yield %[[SCALED]]
// CHECK-NEXT: else
// CHECK-NEXT: scf.yield %[[O]]
// CHECK: scf.yield %[[NEXT]]

// A decay that does not follow from what the loop carries is no factor that is often 1.
// CHECK: scf.for
// CHECK-NOT: scf.if
!tile = !hopper.fragment<64x64xf32>
!column = !hopper.vector<64xf32, column>
hopper.kernel @softmax(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %o0 = hopper.fill %zero : f32, !tile
    %best0 = hopper.fill %zero : f32, !column
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %o0, %best = %best0) -> (!tile, !column) : i32 {
      %now = hopper.reduce_rows max %s init %best : !tile -> !column
      %fade = hopper.map (%b = %best : !column, %a = %now : !column) -> !column {
        %0 = arith.subf %b, %a : f32
        %1 = math.exp2 %0 : f32
        tk.yield %1 : f32
      }
      %o1 = hopper.map (%x = %o : !tile, %f = %fade : !column) -> !tile {
        %0 = arith.mulf %x, %f : f32
        tk.yield %0 : f32
      }
      scf.yield %o1, %now : !tile, !column
    }
    %decayed = scf.for %i = %c0 to %n step %c1 iter_args(%o = %r#0) -> (!tile) : i32 {
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
