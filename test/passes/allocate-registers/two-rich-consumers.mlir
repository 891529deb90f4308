// Tests that consumers get the last registers of the producer if their tiles need them.

// RUN: %tk-opt %s --tk-allocate-registers | FileCheck %s

// CHECK-LABEL: hopper.kernel @two_rich
// CHECK-SAME: threads = 384 : i64
// CHECK: role producer warpgroups 1 registers 24
// CHECK: role consumer warpgroups 2 registers 240
hopper.kernel @two_rich(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xbf16>
  %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xbf16>
  hopper.role producer warpgroups 1 {
  }
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x416xf32>
    hopper.store_fragment %f0[%c0, %c0] to %slot : !hopper.fragment<64x416xf32>, !hopper.shared<64x64xbf16>
  }
}
