// Tests that a reference which grows with a row's maximum moves in a branch, on a vote about partial maxima.
// Its accumulator is scaled there, too.

// RUN: %tk-opt %s --tk-conditional-rescale | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @maximum
// The factor of a reference that stays is carried.
// CHECK: %[[BEST0:.+]] = hopper.fill {{.*}}!hopper.vector
// CHECK: %[[CARRIED_ALPHA0:.+]] = hopper.map (%{{.+}} = %[[BEST0]] : {{.*}}, %{{.+}} = %[[BEST0]] :
// CHECK: scf.for {{.*}} iter_args(%[[O:.+]] = {{.*}}, %[[BEST:.+]] = {{.*}}, %[[CARRIED_ALPHA:.+]] = %[[CARRIED_ALPHA0]])
// CHECK: %[[PART:.+]] = hopper.reduce_rows max partial
// CHECK: %[[ONE:.+]] = arith.constant 1.0
// CHECK-NEXT: %[[ROW_MAX_GREW:.+]] = hopper.any_row (%[[P:.+]] = %[[PART]] : {{.*}}, %[[B:.+]] = %[[BEST]] : {{.*}}, %[[F:.+]] = %[[CARRIED_ALPHA]]
// CHECK-NEXT: %[[LARGER:.+]] = arith.maxnumf %[[P]], %[[B]]
// CHECK-NEXT: %[[MOVES:.+]] = arith.cmpf une, %[[LARGER]], %[[B]]
// CHECK-NEXT: %[[DIFFERS:.+]] = arith.cmpf une, %[[F]], %[[ONE]]
// CHECK-NEXT: arith.ori %[[MOVES]], %[[DIFFERS]]
// CHECK: %[[CHOSEN:.+]]:3 = scf.if %[[ROW_MAX_GREW]]
// CHECK-NEXT: %[[TOP:.+]] = hopper.finish_rows max %[[PART]]
// CHECK-NEXT: %[[NOW:.+]] = hopper.map (%{{.+}} = %[[TOP]] : {{.*}}, %{{.+}} = %[[BEST]] :
// CHECK: %[[ALPHA:.+]] = hopper.map (%{{.+}} = %[[BEST]] : {{.*}}, %{{.+}} = %[[NOW]] :
// CHECK: %[[NEXT:.+]] = hopper.map (%{{.+}} = %[[NOW]] : {{.*}}, %{{.+}} = %[[NOW]] :
// CHECK: scf.yield %[[NOW]], %[[ALPHA]], %[[NEXT]]
// CHECK-NEXT: else
// CHECK-NEXT: arith.constant 1.0
// CHECK-NEXT: %[[FILLED:.+]] = hopper.fill
// CHECK-NEXT: scf.yield %[[BEST]], %[[FILLED]], %[[CARRIED_ALPHA]]
// CHECK: %[[UPDATED:.+]] = scf.if %[[ROW_MAX_GREW]]
// CHECK-NEXT: %[[SCALED:.+]] = hopper.map (%{{.+}} = %[[O]] : {{.*}}, %{{.+}} = %[[CHOSEN]]#1
// CHECK: scf.yield %[[SCALED]]
// CHECK-NEXT: else
// CHECK-NEXT: scf.yield %[[O]]
// CHECK: scf.yield %[[UPDATED]], %[[CHOSEN]]#0, %[[CHOSEN]]#2
hopper.kernel @maximum(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %best0 = hopper.fill %zero : f32, !column
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %s, %best = %best0) -> (!tile, !column) : i32 {
      %now = hopper.reduce_rows max %s init %best : !tile -> !column
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
