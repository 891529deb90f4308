// Tests that a loop which exchanges two vectors needs one copy more than it has variables.

// RUN: %tk-opt %s --tk-assign-variables | FileCheck %s
// RUN: %tk-opt %s --tk-assign-variables --tk-assign-variables | FileCheck %s

// CHECK-LABEL: hopper.kernel @exchange
// CHECK: scf.for {{.*}} iter_args(%[[P:.+]] = {{.*}}, %[[Q:.+]] = {{.*}})
// CHECK-COUNT-3: hopper.copy
// CHECK-NOT: hopper.copy
// CHECK: scf.yield
hopper.kernel @exchange(%out: !tk.global<?xf32> {tk.name = "out"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %f = hopper.fill %zero : f32, !hopper.vector<64xf32, column>
    %g = hopper.fill %one : f32, !hopper.vector<64xf32, column>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %f, %q = %g)
        -> (!hopper.vector<64xf32, column>, !hopper.vector<64xf32, column>) : i32 {
      scf.yield %q, %p : !hopper.vector<64xf32, column>, !hopper.vector<64xf32, column>
    }
    hopper.store_global %r#0 to %out[%c0] : !hopper.vector<64xf32, column>, !tk.global<?xf32>
    hopper.store_global %r#1 to %out[%c0] : !hopper.vector<64xf32, column>, !tk.global<?xf32>
  }
}
