// Tests that exponentials which something sees in all bits are computed as they are written: a sum and a difference, beside a
// conversion, and one that is subtracted from before it is rounded.

// RUN: %tk-opt %s -allow-unregistered-dialect --tk-guard-exponents --cse | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!narrow = !hopper.fragment<64x64xbf16>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @scores
// CHECK-NOT: hopper.any_row
// CHECK-NOT: math.fma
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
      %less = hopper.map (%x = %p : !tile) -> !tile {
        %one = arith.constant 1.0 : f32
        %0 = arith.subf %x, %one : f32
        tk.yield %0 : f32
      }
      "test.use"(%narrow, %less) : (!narrow, !tile) -> ()
      %u = hopper.fill %zero : f32, !tile
      %q = hopper.map (%x = %u : !tile, %t = %top : !column) -> !narrow {
        %one = arith.constant 1.0 : f32
        %0 = arith.subf %x, %t : f32
        %1 = arith.mulf %0, %c : f32
        %2 = math.exp2 %1 : f32
        %3 = arith.subf %2, %one : f32
        %4 = arith.truncf %3 : f32 to bf16
        tk.yield %4 : bf16
      }
      scf.yield %sum : !column
    }
    "test.use"(%r) : (!column) -> ()
  }
}
