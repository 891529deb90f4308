// Tests that a branch which passes a tile on needs no copy, and one that chooses a tile which is read later does.

// RUN: %tk-opt %s --tk-assign-variables | FileCheck %s
// RUN: %tk-opt %s --tk-assign-variables --tk-assign-variables | FileCheck %s

// CHECK-LABEL: hopper.kernel @branch
// CHECK: scf.if
// CHECK-NOT: hopper.copy
// CHECK: scf.if
// CHECK: else
// CHECK-NEXT: %[[COPY:.+]] = hopper.copy
// CHECK-NEXT: scf.yield %[[COPY]]
hopper.kernel @branch(%out: !tk.global<?xf32> {tk.name = "out"}, %p: i1) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %v = hopper.fill %zero : f32, !hopper.vector<64xf32, column>
    %r = scf.if %p -> (!hopper.vector<64xf32, column>) {
      %t = hopper.map (%b = %v : !hopper.vector<64xf32, column>) -> !hopper.vector<64xf32, column> {
        %0 = arith.addf %b, %b : f32
        tk.yield %0 : f32
      }
      scf.yield %t : !hopper.vector<64xf32, column>
    } else {
      scf.yield %v : !hopper.vector<64xf32, column>
    }
    %x = scf.if %p -> (!hopper.vector<64xf32, column>) {
      %t = hopper.map (%b = %r : !hopper.vector<64xf32, column>) -> !hopper.vector<64xf32, column> {
        %0 = arith.addf %b, %b : f32
        tk.yield %0 : f32
      }
      scf.yield %t : !hopper.vector<64xf32, column>
    } else {
      scf.yield %r : !hopper.vector<64xf32, column>
    }
    hopper.store_global %r to %out[%c0] : !hopper.vector<64xf32, column>, !tk.global<?xf32>
    hopper.store_global %x to %out[%c0] : !hopper.vector<64xf32, column>, !tk.global<?xf32>
  }
}
