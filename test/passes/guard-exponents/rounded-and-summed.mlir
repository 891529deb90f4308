// Tests that exponentials that are rounded to bf16, and summed beside that, are computed by multiply-adds where no row of the
// warp has a reference of 4096 or more, and as they are written elsewhere, also where that is not a number.

// RUN: %tk-opt %s -allow-unregistered-dialect --tk-guard-exponents --cse | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!narrow = !hopper.fragment<64x64xbf16>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @scores
// CHECK: %[[TOP:.+]] = hopper.reduce_rows max
// CHECK: %[[COARSE:.+]] = hopper.any_row (%[[T:.+]] = %[[TOP]] :
// CHECK: %[[SCALED:.+]] = arith.mulf %[[T]], %arg1
// CHECK: %[[SIZE:.+]] = math.absf %[[SCALED]]
// CHECK: %[[NEAR:.+]] = arith.cmpf olt, %[[SIZE]], %{{cst.*}} : f32
// CHECK: arith.xori %[[NEAR]]
// CHECK: %[[P:.+]] = scf.if %[[COARSE]]
// CHECK: %[[D:.+]] = arith.subf
// CHECK-NEXT: %[[A:.+]] = arith.mulf %[[D]], %arg1
// CHECK-NEXT: math.exp2 %[[A]]
// CHECK: else
// CHECK: (%[[X:.+]] = %{{.+}} : {{.+}}, %[[V:.+]] = %[[TOP]] :
// CHECK-NEXT: %[[N:.+]] = arith.negf %[[V]]
// CHECK-NEXT: %[[B:.+]] = arith.mulf %[[N]], %arg1
// CHECK-NEXT: %[[F:.+]] = math.fma %[[X]], %arg1, %[[B]]
// CHECK-NEXT: math.exp2 %[[F]]
// CHECK: hopper.reduce_rows add partial %[[P]]
hopper.kernel @scores(%n: i32, %c: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %none = hopper.fill %zero : f32, !column
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%total = %none) -> (!column) : i32 {
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
