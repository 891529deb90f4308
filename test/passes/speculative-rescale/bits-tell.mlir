// Tests that where exponentials are not summed, but rounded to 16 bits, the vote is on whether a rounded one is 2 or more:
// a row has a limit if that is above 2, and no limit is carried.

// RUN: %tk-opt %s --tk-conditional-rescale --tk-speculative-rescale | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!narrow = !hopper.fragment<64x64xbf16>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @bits
// CHECK: arith.addf %{{.*}}, %arg1
// CHECK: arith.subf %{{.*}}, %{{.*}}
// CHECK: arith.mulf %{{.*}}, %arg2
// CHECK: %[[ALLOWED:.*]] = math.exp2
// CHECK: %[[EXACT:.*]] = arith.andi
// CHECK: %[[SEEN:.*]] = arith.cmpf oge, %[[ALLOWED]], %{{.*}}
// CHECK: %[[KNOWN:.*]] = arith.andi %{{.*}}, %[[SEEN]]
// CHECK: arith.select %[[KNOWN]], %[[ALLOWED]],
// CHECK: %[[ATTEMPTS_LEFT:.*]] = arith.select %{{.*}}, %c-2_i32{{.*}}, %c2_i32
// CHECK: scf.for {{.*}} %[[LEFT:[^ ]+]] = %[[ATTEMPTS_LEFT]]) -> (!hopper.fragment<64x64xf32>, !hopper.vector<64xf32, column>, !hopper.fragment<64x64xbf16>, !hopper.vector<64xf32, column>, i32)
// CHECK: %[[SPECULATIVE:.*]] = arith.cmpi sgt, %[[LEFT]], %
// CHECK: %[[TRY:.*]]:2 = scf.if %[[SPECULATIVE]] -> (!hopper.fragment<64x64xbf16>, i1) {
// CHECK: math.fma
// CHECK: %[[P:.*]] = hopper.map {{.*}} -> !hopper.fragment<64x64xbf16>
// CHECK: %[[LARGE:.*]] = hopper.any_large %[[P]] : !hopper.fragment<64x64xbf16>
// CHECK: scf.yield %[[P]], %[[LARGE]]
// CHECK: } else {
// CHECK: scf.yield %{{.*}}, %true
// CHECK: scf.if %[[TRY]]#1
// CHECK: hopper.reduce_rows max partial
hopper.kernel @bits(%n: i32, %slack: f32, %c: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %rounded = arith.constant 0.0 : bf16
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %none = hopper.fill %rounded : bf16, !narrow
    %first = hopper.fill %zero : f32, !column
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %s, %best = %first, %last = %none) -> (!tile, !column, !narrow) : i32 {
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
      %o1 = hopper.map (%x = %o : !tile, %f = %alpha : !column) -> !tile {
        %0 = arith.mulf %x, %f : f32
        tk.yield %0 : f32
      }
      %narrow = hopper.map (%x = %p : !tile) -> !narrow {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      }
      scf.yield %o1, %now, %narrow : !tile, !column, !narrow
    }
  }
}
