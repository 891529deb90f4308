// Tests that the user's registers stay.

// RUN: %tk-opt %s --tk-allocate-registers | FileCheck %s

// CHECK-LABEL: hopper.kernel @wish
// CHECK: role producer warpgroups 1 registers 56
// CHECK: role consumer warpgroups 2 registers 224
hopper.kernel @wish(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %zero = arith.constant 0.0 : f32
  hopper.role producer warpgroups 1 registers 56 {
  }
  hopper.role consumer warpgroups 2 registers 224 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
  }
}
