// Tests that ordinary loads and stores of tensors wait for the kernel before.

// RUN: %tk-opt %s --test-hazards --verify-diagnostics -o /dev/null

hopper.kernel @k(%T: !tk.global<?x?xbf16> {tk.name = "T"}, %L: !tk.global<?xf32> {tk.name = "L"}) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %index = hopper.fill %one : i32, !hopper.vector<64xi32, column>
    // expected-remark @below {{grid unwaited}}
    %x = hopper.gather %T[%c0, %c0] by %index : !tk.global<?x?xbf16>, !hopper.vector<64xi32, column> -> !hopper.fragment<64x64xbf16>
    %v = hopper.fill %zero : f32, !hopper.vector<64xf32, column>
    // expected-remark @below {{grid unwaited}}
    hopper.store_global %v to %L[%c0] : !hopper.vector<64xf32, column>, !tk.global<?xf32>
  }
}
