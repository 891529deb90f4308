// Tests that the vote is on sums of exponentials measured from the reference as it is, beside a limit that the loop
// carries; and that what stood there before stands in the branch, after which the next limit is computed.

// RUN: %tk-opt %s --tk-conditional-rescale --tk-speculative-rescale | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!narrow = !hopper.fragment<64x64xbf16>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @sums_tell
// The limit of the first iteration.
// CHECK: %[[START:.+]] = hopper.map (%[[B:.+]] = %{{.+}} : {{.*}}, %[[F:.+]] = %{{.+}} : {{.*}}, %[[FROM:.+]] = %{{.+}} : {{.*}}) {{.*}}->
// CHECK: %[[BOUND:.+]] = arith.addf %[[B]], %arg1
// CHECK: %[[GAP:.+]] = arith.subf %[[BOUND]], %[[FROM]]
// CHECK: %[[SCALED:.+]] = arith.mulf %[[GAP]], %arg2
// CHECK: %[[POWER:.+]] = arith.subf %[[SCALED]], %{{.+}}
// CHECK: %[[ALLOWED:.+]] = math.exp2 %[[POWER]]
// CHECK: arith.select %{{.+}}, %{{.+}}, %[[ALLOWED]]
// Exponentials may be in vain twice; no try is made while a row has no limit.
// CHECK: %[[HAS_NO_LIMIT:.+]] = hopper.any_row (%{{.+}} = %[[START]] :
// CHECK-NEXT: arith.constant 0.0
// CHECK-NEXT: arith.cmpf olt
// CHECK: %[[FIRST_ATTEMPTS:.+]] = arith.select %[[HAS_NO_LIMIT]], %c-2_i32, %c2_i32
// CHECK: scf.for {{.*}}, %[[LIMIT:[a-z0-9]+]] = %[[START]], %[[ATTEMPTS_LEFT:[a-z0-9]+]] = %[[FIRST_ATTEMPTS]])
// CHECK-NOT: hopper.reduce_rows max
// CHECK: %[[SPECULATIVE:.+]] = arith.cmpi sgt, %[[ATTEMPTS_LEFT]], %c0_i32
// CHECK: %[[FIRST:.+]]:2 = scf.if %[[SPECULATIVE]]
// CHECK: %[[P:.+]] = hopper.map
// CHECK: math.fma
// CHECK: math.exp2
// CHECK: %[[SUM:.+]] = hopper.reduce_rows add partial %[[P]]
// CHECK: %[[NARROW:.+]] = hopper.map (%{{.+}} = %[[P]] :
// CHECK: scf.yield %[[SUM]], %[[NARROW]]
// CHECK: else
// CHECK: %[[INFINITE:.+]] = hopper.fill
// CHECK: %[[EMPTY:.+]] = hopper.uninitialized
// CHECK: scf.yield %[[INFINITE]], %[[EMPTY]]
// CHECK: %[[EXCEEDS:.+]] = hopper.any_row (%[[S:.+]] = %[[FIRST]]#0 : {{.*}}, %[[L:.+]] = %[[LIMIT]] :
// CHECK: %[[IS_BELOW:.+]] = arith.cmpf ole, %[[S]], %[[L]]
// CHECK: arith.xori %[[IS_BELOW]]
// CHECK: scf.if %[[EXCEEDS]]
// CHECK: hopper.reduce_rows max partial
// CHECK: %[[ROW_MAX_GREW:.+]] = hopper.any_row
// CHECK: scf.if %[[ROW_MAX_GREW]]
// CHECK: math.exp2
// CHECK: hopper.reduce_rows add partial
// CHECK: scf.if %[[ROW_MAX_GREW]]
// CHECK: arith.truncf
// CHECK: arith.subf
// CHECK: math.exp2
// CHECK: %[[USED:.+]] = arith.subi %[[ATTEMPTS_LEFT]], %{{.+}}
// CHECK: %[[KEPT:.+]] = arith.subi %{{.+}}, %[[ATTEMPTS_LEFT]]
// CHECK: %[[LEFT:.+]] = arith.select %[[SPECULATIVE]], %[[USED]], %[[KEPT]]
// CHECK: %[[NONE:.+]] = arith.subi %{{.+}}, %[[LEFT]]
// CHECK: %[[STILL:.+]] = hopper.any_row
// CHECK: arith.select %[[STILL]], %[[NONE]], %[[LEFT]]
// CHECK: else
// CHECK: scf.yield {{.*}}%[[FIRST]]#0, %[[FIRST]]#1, {{.*}}%[[LIMIT]], %[[ATTEMPTS_LEFT]]
hopper.kernel @sums_tell(%n: i32, %slack: f32, %c: f32) {
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
      scf.yield %o1, %now, %next, %narrow : !tile, !column, !column, !narrow
    }
  }
}
