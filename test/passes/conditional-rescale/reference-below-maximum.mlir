// Tests that the new reference may be any that follows from the maximum alone, as one a little below it.

// RUN: %tk-opt %s --tk-conditional-rescale | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @below
// CHECK: scf.for {{.*}} iter_args(%{{.+}} = {{.*}}, %[[BEST:.+]] = {{.*}}, %[[FROM:.+]] = {{.*}}, %[[CARRIED_ALPHA:.+]] = {{.*}})
// CHECK: %[[PART:.+]] = hopper.reduce_rows max partial
// CHECK: %[[ROW_MAX_GREW:.+]] = hopper.any_row (%[[P:.+]] = %[[PART]] : {{.*}}, %[[B:.+]] = %[[BEST]] :
// CHECK-NEXT: %[[LIMIT:.+]] = arith.addf %[[B]]
// CHECK-NEXT: arith.cmpf ogt, %[[P]], %[[LIMIT]]
// CHECK: %[[CHOSEN:.+]]:4 = scf.if %[[ROW_MAX_GREW]]
// CHECK: hopper.finish_rows max %[[PART]]
// CHECK: arith.subf %{{.+}}, %{{.+}} : f32
// CHECK-NEXT: arith.select
// CHECK: else
// CHECK: scf.yield %[[BEST]], %[[FROM]], %{{.+}}, %[[CARRIED_ALPHA]]
// CHECK: scf.yield %{{.+}}, %[[CHOSEN]]#0, %[[CHOSEN]]#1, %[[CHOSEN]]#3
hopper.kernel @below(%n: i32, %slack: f32, %below: f32) {
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
        %0 = arith.addf %b, %slack : f32
        %1 = arith.cmpf ogt, %t, %0 : f32
        %2 = arith.subf %t, %below : f32
        %3 = arith.select %1, %2, %b : f32
        tk.yield %3 : f32
      }
      %from = hopper.map (%a = %now : !column) -> !column {
        %0 = arith.negf %a : f32
        tk.yield %0 : f32
      }
      %alpha = hopper.map (%b = %best : !column, %f = %from : !column) -> !column {
        %0 = arith.addf %b, %f : f32
        %1 = math.exp2 %0 : f32
        tk.yield %1 : f32
      }
      %p = hopper.map (%x = %s : !tile, %f = %from : !column) -> !tile {
        %0 = arith.addf %x, %f : f32
        tk.yield %0 : f32
      }
      %o1 = hopper.map (%x = %o : !tile, %f = %alpha : !column) -> !tile {
        %0 = arith.mulf %x, %f : f32
        tk.yield %0 : f32
      }
      %o2 = hopper.map (%x = %o1 : !tile, %y = %p : !tile) -> !tile {
        %0 = arith.addf %x, %y : f32
        tk.yield %0 : f32
      }
      scf.yield %o2, %now : !tile, !column
    }
  }
}
