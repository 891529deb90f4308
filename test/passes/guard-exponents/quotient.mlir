// Tests that exponentials which are divided by the sum of their row are computed by multiply-adds without a vote, with a power of
// two for the scale where the largest element is large; and that they are not if a part of the result is not divided.

// RUN: %tk-opt %s -allow-unregistered-dialect --tk-guard-exponents --cse | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @shares
// CHECK-NOT: hopper.any_row
// CHECK: %[[TOP:.+]] = hopper.reduce_rows max
// CHECK: hopper.map (%[[X:.+]] = %{{.+}} : {{.+}}, %[[V:.+]] = %[[TOP]] :
// CHECK: %[[LEVEL:.+]] = arith.mulf %[[V]], %{{.+}} : f32
// CHECK: %[[SIZE:.+]] = math.absf %[[LEVEL]]
// CHECK: %[[NEAR:.+]] = arith.cmpf olt, %[[SIZE]]
// CHECK: %[[K:.+]] = arith.select %[[NEAR]], %{{.+}}, %{{.+}} : f32
// CHECK: %[[N:.+]] = arith.negf %[[V]]
// CHECK: %[[B:.+]] = arith.mulf %[[N]], %[[K]]
// CHECK: %[[F:.+]] = math.fma %[[X]], %[[K]], %[[B]]
// CHECK: math.exp2 %[[F]]
// CHECK-LABEL: hopper.kernel @parts
// CHECK-NOT: math.fma
module {
  hopper.kernel @shares(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %c = arith.constant 1.44269502 : f32
    hopper.role consumer warpgroups 1 {
    ^bb0(%w: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        %s = hopper.fill %zero : f32, !tile
        %top = hopper.reduce_rows max %s : !tile -> !column
        %p = hopper.map (%x = %s : !tile, %t = %top : !column) -> !tile {
          %0 = arith.subf %x, %t : f32
          %1 = arith.mulf %0, %c : f32
          %2 = math.exp2 %1 : f32
          tk.yield %2 : f32
        }
        %sum = hopper.reduce_rows add %p : !tile -> !column
        %share = hopper.map (%x = %p : !tile, %l = %sum : !column) -> !tile {
          %0 = arith.divf %x, %l : f32
          tk.yield %0 : f32
        }
        "test.use"(%share) : (!tile) -> ()
      }
    }
  }
  hopper.kernel @parts(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %c = arith.constant 1.44269502 : f32
    hopper.role consumer warpgroups 1 {
    ^bb0(%w: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        %s = hopper.fill %zero : f32, !tile
        %top = hopper.reduce_rows max %s : !tile -> !column
        %p = hopper.map (%x = %s : !tile, %t = %top : !column) -> !tile {
          %0 = arith.subf %x, %t : f32
          %1 = arith.mulf %0, %c : f32
          %2 = math.exp2 %1 : f32
          tk.yield %2 : f32
        }
        %sum = hopper.reduce_rows add %p : !tile -> !column
        %share = hopper.map (%x = %p : !tile, %l = %sum : !column) -> !tile {
          %0 = arith.addf %l, %one : f32
          %1 = arith.divf %x, %0 : f32
          tk.yield %1 : f32
        }
        "test.use"(%share) : (!tile) -> ()
      }
    }
  }
}
