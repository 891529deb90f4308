// Tests that exponentials with 11 bits of precision show less than bf16 hides: their references are below 512.

// RUN: %tk-opt %s -allow-unregistered-dialect --tk-guard-exponents --cse | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!narrow = !hopper.fragment<64x64xf16>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @scores
// CHECK: hopper.any_row
// CHECK: arith.constant 5.120000e+02
// CHECK: scf.if
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
        %0 = arith.truncf %x : f32 to f16
        tk.yield %0 : f16
      }
      scf.yield %sum : !column
    }
    "test.use"(%r) : (!column) -> ()
  }
}
