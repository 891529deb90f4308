// Tests that a running maximum is copied where the loop ends, because the old one is read after the new one is there.
// Everything else is updated in place.

// RUN: %tk-opt %s --tk-assign-variables | FileCheck %s
// RUN: %tk-opt %s --tk-assign-variables --tk-assign-variables | FileCheck %s

// CHECK-LABEL: hopper.kernel @softmax
// CHECK: scf.for
// CHECK-NOT: hopper.copy
// CHECK: %[[NOW:.+]] = hopper.reduce_rows max
// CHECK-COUNT-3: hopper.map
// CHECK: %[[BEST:.+]] = hopper.copy %[[NOW]]
// CHECK-NEXT: scf.yield %{{.+}}, %[[BEST]], %{{.+}}
// CHECK-NOT: hopper.copy
hopper.kernel @softmax(%out: !tk.global<?xf32> {tk.name = "out"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    %o0 = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    %best0 = hopper.fill %zero : f32, !hopper.vector<64xf32, column>
    %total0 = hopper.fill %zero : f32, !hopper.vector<64xf32, column>
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %o0, %best = %best0, %total = %total0)
        -> (!hopper.fragment<64x64xf32>, !hopper.vector<64xf32, column>, !hopper.vector<64xf32, column>) : i32 {
      %now = hopper.reduce_rows max %s init %best : !hopper.fragment<64x64xf32> -> !hopper.vector<64xf32, column>
      %alpha = hopper.map (%b = %best : !hopper.vector<64xf32, column>, %a = %now : !hopper.vector<64xf32, column>)
          -> !hopper.vector<64xf32, column> {
        %0 = arith.subf %b, %a : f32
        tk.yield %0 : f32
      }
      %total1 = hopper.map (%b = %total : !hopper.vector<64xf32, column>, %a = %alpha : !hopper.vector<64xf32, column>)
          -> !hopper.vector<64xf32, column> {
        %0 = arith.mulf %b, %a : f32
        tk.yield %0 : f32
      }
      %o1 = hopper.map (%x = %o : !hopper.fragment<64x64xf32>, %a = %alpha : !hopper.vector<64xf32, column>)
          -> !hopper.fragment<64x64xf32> {
        %0 = arith.mulf %x, %a : f32
        tk.yield %0 : f32
      }
      scf.yield %o1, %now, %total1 : !hopper.fragment<64x64xf32>, !hopper.vector<64xf32, column>, !hopper.vector<64xf32, column>
    }
    hopper.store_global %r#1 to %out[%c0] : !hopper.vector<64xf32, column>, !tk.global<?xf32>
  }
}
