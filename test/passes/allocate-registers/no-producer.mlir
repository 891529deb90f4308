// Tests that a kernel without a producer keeps the registers it starts with.

// RUN: %tk-opt %s --tk-allocate-registers | FileCheck %s

// CHECK-LABEL: hopper.kernel @alone
// CHECK-SAME: threads = 256 : i64
// CHECK: role consumer warpgroups 2 {
hopper.kernel @alone(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xbf16>
  %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    hopper.store_fragment %f0[%c0, %c0] to %slot : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
  }
}
