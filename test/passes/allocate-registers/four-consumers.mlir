// Tests the split for four consumers.

// RUN: %tk-opt %s --tk-allocate-registers | FileCheck %s

// CHECK-LABEL: hopper.kernel @four
// CHECK-SAME: threads = 640 : i64
// CHECK: role producer warpgroups 1 registers 32
// CHECK: role consumer warpgroups 4 registers 112
hopper.kernel @four(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xbf16>
  %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xbf16>
  hopper.role producer warpgroups 1 {
  }
  hopper.role consumer warpgroups 4 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x128xf32>
    hopper.store_fragment %f0[%c0, %c0] to %slot : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>
  }
}
