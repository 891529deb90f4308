// Tests that a role waits for its MMAs before it ends: they read shared memory, which ends with the block.

// RUN: %tk-opt %s --tk-insert-waits | FileCheck %s

// CHECK-LABEL: hopper.kernel @end
// CHECK: hopper.commit_wgmma
// CHECK-NEXT: hopper.wait_wgmma 0 because "shared memory must outlive the MMAs that read it"
// CHECK-NEXT: }
hopper.kernel @end() {
  %c0 = arith.constant 0 : i32
  %false = arith.constant false
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %at = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
    %sum = hopper.wgmma ABt %start, %at, %at accumulate %false : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.commit_wgmma
  }
}
