// Tests that a vote on whether a reference moves asks for coarse levels as well, and that its branch repairs, so that other
// iterations have no branch for that.

// RUN: %tk-opt %s -allow-unregistered-dialect --tk-guard-exponents --cse | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!narrow = !hopper.fragment<64x64xbf16>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @scores
// CHECK: scf.for {{.*}} iter_args(%[[BEST:.+]] =
// CHECK: %[[LEVEL:.+]] = hopper.map (%{{.+}} = %[[BEST]] :
// CHECK: %[[GREW:.+]] = hopper.any_row ({{.+}}, %[[L:.+]] = %[[LEVEL]] :
// CHECK: math.absf %[[L]]
// CHECK: arith.ori
// CHECK: %[[MOVED:.+]]:3 = scf.if %[[GREW]]
// CHECK: hopper.finish_rows max
// CHECK: scf.if
// CHECK: arith.subf
// CHECK: else
// CHECK: scf.yield %[[BEST]], %{{.+}}, %[[LEVEL]]
// CHECK-NOT: scf.if
// CHECK: hopper.map (%{{.+}} = %[[MOVED]]#1 : {{.+}}, %{{.+}} = %[[MOVED]]#2 :
// CHECK: math.fma
// CHECK: scf.yield %[[MOVED]]#0
hopper.kernel @scores(%n: i32, %c: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %none = hopper.fill %zero : f32, !column
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%best = %none) -> (!column) : i32 {
      %s = hopper.fill %zero : f32, !tile
      %part = hopper.reduce_rows max partial %s : !tile -> !column
      %grew = hopper.any_row (%p = %part : !column, %b = %best : !column) -> i1 {
        %0 = arith.cmpf ogt, %p, %b : f32
        tk.yield %0 : i1
      }
      %now = scf.if %grew -> (!column) {
        %top = hopper.finish_rows max %part : !column
        scf.yield %top : !column
      } else {
        scf.yield %best : !column
      }
      %p = hopper.map (%x = %s : !tile, %t = %now : !column) -> !tile {
        %0 = arith.subf %x, %t : f32
        %1 = arith.mulf %0, %c : f32
        %2 = math.exp2 %1 : f32
        tk.yield %2 : f32
      }
      %narrow = hopper.map (%x = %p : !tile) -> !narrow {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      }
      "test.multiply"(%narrow) : (!narrow) -> ()
      scf.yield %now : !column
    }
    "test.use"(%r) : (!column) -> ()
  }
}
