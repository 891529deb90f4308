// RUN: %tk-opt %s --tk-lazy-updates | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!column = !hopper.vector<64xf32, column>

// Tests that a reference which grows with a row's maximum moves in a branch, on a vote about partial maxima, and that
// its accumulator is scaled there, too.

// CHECK-LABEL: hopper.kernel @maximum
// The factor of a reference that stays is carried.
// CHECK: %[[BEST0:.+]] = hopper.fill {{.*}}!hopper.vector
// CHECK: %[[SETTLED0:.+]] = hopper.map (%{{.+}} = %[[BEST0]] : {{.*}}, %{{.+}} = %[[BEST0]] :
// CHECK: scf.for {{.*}} iter_args(%[[O:.+]] = {{.*}}, %[[BEST:.+]] = {{.*}}, %[[SETTLED:.+]] = %[[SETTLED0]])
// CHECK: %[[PART:.+]] = hopper.reduce_rows max partial
// CHECK: %[[ONE:.+]] = arith.constant 1.0
// CHECK-NEXT: %[[RISES:.+]] = hopper.any_row (%[[P:.+]] = %[[PART]] : {{.*}}, %[[B:.+]] = %[[BEST]] : {{.*}}, %[[F:.+]] = %[[SETTLED]]
// CHECK-NEXT: %[[LARGER:.+]] = arith.maxnumf %[[P]], %[[B]]
// CHECK-NEXT: %[[MOVES:.+]] = arith.cmpf une, %[[LARGER]], %[[B]]
// CHECK-NEXT: %[[DIFFERS:.+]] = arith.cmpf une, %[[F]], %[[ONE]]
// CHECK-NEXT: arith.ori %[[MOVES]], %[[DIFFERS]]
// CHECK: %[[CHOSEN:.+]]:3 = scf.if %[[RISES]]
// CHECK-NEXT: %[[TOP:.+]] = hopper.finish_rows max %[[PART]]
// CHECK-NEXT: %[[NOW:.+]] = hopper.map (%{{.+}} = %[[TOP]] : {{.*}}, %{{.+}} = %[[BEST]] :
// CHECK: %[[FADE:.+]] = hopper.map (%{{.+}} = %[[BEST]] : {{.*}}, %{{.+}} = %[[NOW]] :
// CHECK: %[[NEXT:.+]] = hopper.map (%{{.+}} = %[[NOW]] : {{.*}}, %{{.+}} = %[[NOW]] :
// CHECK: scf.yield %[[NOW]], %[[FADE]], %[[NEXT]]
// CHECK-NEXT: else
// CHECK-NEXT: arith.constant 1.0
// CHECK-NEXT: %[[FILLED:.+]] = hopper.fill
// CHECK-NEXT: scf.yield %[[BEST]], %[[FILLED]], %[[SETTLED]]
// CHECK: %[[UPDATED:.+]] = scf.if %[[RISES]]
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
  }
}

// Tests that a reference with slack moves where its own condition holds, and that what follows from the reference alone
// is carried as it is.

// CHECK-LABEL: hopper.kernel @slack
// CHECK: scf.for {{.*}} iter_args(%{{.+}} = {{.*}}, %[[BEST:.+]] = {{.*}}, %[[FROM:.+]] = {{.*}}, %[[SETTLED:.+]] = {{.*}})
// CHECK: %[[PART:.+]] = hopper.reduce_rows max partial
// CHECK: %[[RISES:.+]] = hopper.any_row (%[[P:.+]] = %[[PART]] : {{.*}}, %[[B:.+]] = %[[BEST]] :
// CHECK-NEXT: %[[LIMIT:.+]] = arith.addf %[[B]]
// CHECK-NEXT: arith.cmpf ogt, %[[P]], %[[LIMIT]]
// CHECK: %[[CHOSEN:.+]]:4 = scf.if %[[RISES]]
// CHECK: else
// CHECK: scf.yield %[[BEST]], %[[FROM]], %{{.+}}, %[[SETTLED]]
// CHECK: scf.yield %{{.+}}, %[[CHOSEN]]#0, %[[CHOSEN]]#1, %[[CHOSEN]]#3
hopper.kernel @slack(%n: i32, %slack: f32) {
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
        %2 = arith.select %1, %t, %b : f32
        tk.yield %2 : f32
      }
      %from = hopper.map (%a = %now : !column) -> !column {
        %0 = arith.negf %a : f32
        tk.yield %0 : f32
      }
      %fade = hopper.map (%b = %best : !column, %f = %from : !column) -> !column {
        %0 = arith.addf %b, %f : f32
        %1 = math.exp2 %0 : f32
        tk.yield %1 : f32
      }
      %p = hopper.map (%x = %s : !tile, %f = %from : !column) -> !tile {
        %0 = arith.addf %x, %f : f32
        tk.yield %0 : f32
      }
      %o1 = hopper.map (%x = %o : !tile, %f = %fade : !column) -> !tile {
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

// Tests that a maximum which somebody else reads, or a choice that may take a smaller value, is left alone: the vote is
// on the factor then.

// CHECK-LABEL: hopper.kernel @factor
// CHECK: scf.for
// CHECK: math.exp2
// CHECK: %[[DIFFERS:.+]] = hopper.any_row (%[[F:.+]] = %{{.+}} : !hopper.vector<64xf32, column>) -> i1 {
// CHECK-NEXT: arith.cmpf une, %[[F]], %{{.+}} : f32
// CHECK: scf.if %[[DIFFERS]]
// CHECK: scf.for
// CHECK-NOT: partial
// CHECK: hopper.any_row
// CHECK: scf.for
// CHECK-NOT: partial
// CHECK: hopper.any_row

// A decay that does not follow from what the loop carries is no factor that is often 1.
// CHECK: scf.for
// CHECK-NOT: scf.if
hopper.kernel @factor(%n: i32, %slack: f32) {
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
      %fade = hopper.map (%b = %best : !column, %a = %now : !column) -> !column {
        %0 = arith.subf %b, %a : f32
        %1 = math.exp2 %0 : f32
        tk.yield %1 : f32
      }
      %o1 = hopper.map (%x = %o : !tile, %f = %fade : !column) -> !tile {
        %0 = arith.mulf %x, %f : f32
        tk.yield %0 : f32
      }
      %next = hopper.map (%x = %sum : !column, %t = %top : !column) -> !column {
        %0 = arith.addf %x, %t : f32
        tk.yield %0 : f32
      }
      scf.yield %o1, %now, %next : !tile, !column, !column
    }
    %falling:2 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %s, %best = %best0) -> (!tile, !column) : i32 {
      %top = hopper.reduce_rows max %s : !tile -> !column
      %now = hopper.map (%t = %top : !column, %b = %best : !column) -> !column {
        %0 = arith.cmpf olt, %t, %b : f32
        %1 = arith.select %0, %t, %b : f32
        tk.yield %1 : f32
      }
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
    // A condition that asks a third vector is not one that partial maxima can answer.
    %third:2 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %s, %best = %best0) -> (!tile, !column) : i32 {
      %top = hopper.reduce_rows max %s : !tile -> !column
      %now = hopper.map (%t = %top : !column, %b = %best : !column, %l = %r#2 : !column) -> !column {
        %0 = arith.addf %b, %l : f32
        %1 = arith.cmpf ogt, %t, %0 : f32
        %2 = arith.select %1, %t, %b : f32
        tk.yield %2 : f32
      }
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
