// Tests that exponentials that are rounded to bf16, and summed beside that, are computed by multiply-adds, and that the
// difference is formed in place before them where a row of the warp has a level of 4096 or more, or one that is not a number.

// RUN: %tk-opt %s -allow-unregistered-dialect --tk-guard-exponents --cse | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!narrow = !hopper.fragment<64x64xbf16>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @scores
// CHECK: %[[TOP:.+]] = hopper.reduce_rows max
// CHECK: %[[LEVEL:.+]] = hopper.map (%[[V:.+]] = %[[TOP]] :
// CHECK-NEXT: arith.mulf %[[V]], %arg1
// CHECK: %[[COARSE:.+]] = hopper.any_row (%[[T:.+]] = %[[LEVEL]] :
// CHECK: %[[SIZE:.+]] = math.absf %[[T]]
// CHECK: %[[NEAR:.+]] = arith.cmpf olt, %[[SIZE]], %{{cst.*}} : f32
// CHECK: arith.xori %[[NEAR]]
// CHECK: %[[X:.+]]:2 = scf.if %[[COARSE]]
// CHECK: arith.subf
// CHECK: %[[ZERO:.+]] = hopper.fill
// CHECK: scf.yield %{{.+}}, %[[ZERO]]
// CHECK: scf.yield %{{.+}}, %[[LEVEL]]
// CHECK: %[[P:.+]] = hopper.map (%[[S:.+]] = %[[X]]#0 : {{.+}}, %[[L:.+]] = %[[X]]#1 :
// CHECK-NEXT: %[[N:.+]] = arith.negf %[[L]]
// CHECK-NEXT: %[[F:.+]] = math.fma %[[S]], %arg1, %[[N]]
// CHECK-NEXT: math.exp2 %[[F]]
// CHECK: hopper.reduce_rows add partial %[[P]]
hopper.kernel @scores(%n: i32, %c: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %none = hopper.fill %zero : f32, !column
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%total = %none) -> (!column) : i32 {
      %s = hopper.fill %zero : f32, !tile
      %top = hopper.reduce_rows max %s : !tile -> !column
      %p = hopper.map (%x = %s : !tile, %t = %top : !column) -> !tile {
        %0 = arith.subf %x, %t : f32
        %1 = arith.mulf %0, %c : f32
        %2 = math.exp2 %1 : f32
        tk.yield %2 : f32
      }
      %sum = hopper.reduce_rows add partial %p : !tile -> !column
      %narrow = hopper.map (%x = %p : !tile) -> !narrow {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      }
      scf.yield %sum : !column
    }
    "test.use"(%r) : (!column) -> ()
  }
}
