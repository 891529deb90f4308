// Tests that one vote is for all exponentials that are measured from one reference, and one branch repairs them.

// RUN: %tk-opt %s -allow-unregistered-dialect --tk-guard-exponents --cse | FileCheck %s

!tile = !hopper.fragment<64x64xf32>
!narrow = !hopper.fragment<64x64xbf16>
!column = !hopper.vector<64xf32, column>

// CHECK-LABEL: hopper.kernel @scores
// CHECK: hopper.any_row
// CHECK: %[[X:.+]]:3 = scf.if
// CHECK-COUNT-2: arith.subf
// CHECK-NOT: scf.if
// CHECK-COUNT-2: math.fma
hopper.kernel @scores(%n: i32, %c: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = hopper.fill %zero : f32, !tile
      %u = hopper.fill %zero : f32, !tile
      %top = hopper.reduce_rows max %s : !tile -> !column
      %p = hopper.map (%x = %s : !tile, %t = %top : !column) -> !narrow {
        %0 = arith.subf %x, %t : f32
        %1 = arith.mulf %0, %c : f32
        %2 = math.exp2 %1 : f32
        %3 = arith.truncf %2 : f32 to bf16
        tk.yield %3 : bf16
      }
      %q = hopper.map (%x = %u : !tile, %t = %top : !column) -> !narrow {
        %0 = arith.subf %x, %t : f32
        %1 = arith.mulf %0, %c : f32
        %2 = math.exp2 %1 : f32
        %3 = arith.truncf %2 : f32 to bf16
        tk.yield %3 : bf16
      }
      "test.multiply"(%p, %q) : (!narrow, !narrow) -> ()
    }
  }
}
