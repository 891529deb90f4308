// Tests the split with a reducer and no producer: four warpgroups start with 128 registers, the reducer has 48 beside its
// accumulator.

// RUN: %tk-opt %s --tk-allocate-registers | FileCheck %s

// CHECK-LABEL: hopper.kernel @three
// CHECK-SAME: threads = 512 : i64
// CHECK: role consumer warpgroups 3 registers 144
// CHECK: role reducer warpgroups 1 registers 80
hopper.kernel @three(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xbf16>
  %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 3 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x128xf32>
    hopper.store_fragment %f0[%c0, %c0] to %slot : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>
  }
  hopper.role reducer warpgroups 1 {
  ^bb0(%w: i32):
    %none = hopper.uninitialized : !hopper.fragment<64x64xf32>
    %d = hopper.wgmma ABt %none, %slot, %slot accumulate %false : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.commit_wgmma
  }
}
