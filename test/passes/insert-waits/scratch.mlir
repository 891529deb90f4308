// Tests scratch memory: within a warpgroup, and shared by all of them; both in a loop that writes it again.
// That the first is free is known since all consumers have met for the second.

// RUN: %tk-opt %s --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --test-hazards 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: remark

// CHECK-LABEL: hopper.kernel @scratch
// CHECK: scf.for
// CHECK-NEXT: hopper.store_fragment
// CHECK-NEXT: hopper.sync_warpgroup because "the warpgroup has written own"
// CHECK-NEXT: hopper.load_fragment
// CHECK: hopper.wait_wgmma 0 because "the MMA has read the old content of p"
// CHECK-NEXT: hopper.sync_consumers because "all consumers have read the old content of p"
// CHECK-NEXT: hopper.store_fragment
// CHECK: hopper.fence_async_proxy because "the tensor cores read through another proxy what these threads wrote"
// CHECK-NEXT: hopper.sync_consumers because "all consumers have written p"
// CHECK: hopper.wgmma
hopper.kernel @scratch(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %false = arith.constant false
  %zero = arith.constant 0.0 : f32
  %own = hopper.alloc_ring "own" : !hopper.ring<1, 128x64xbf16>
  %p = hopper.alloc_ring "p" : !hopper.ring<1, 128x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x128xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %row = arith.muli %w, %c64 : i32
    %0 = hopper.slot %own[%c0] : !hopper.ring<1, 128x64xbf16>
    %mine = hopper.rows %0, %row : !hopper.shared<128x64xbf16> -> !hopper.shared<64x64xbf16>
    %all = hopper.slot %p[%c0] : !hopper.ring<1, 128x64xbf16>
    %part = hopper.rows %all, %row : !hopper.shared<128x64xbf16> -> !hopper.shared<64x64xbf16>
    %at = hopper.slot %b[%c0] : !hopper.ring<1, 64x128xbf16>
    %x = hopper.fill %zero : f32, !hopper.fragment<64x64xbf16>
    scf.for %i = %c0 to %n step %c1 : i32 {
      hopper.store_fragment %x[%c0, %c0] to %mine : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      %y = hopper.load_fragment %mine : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
      hopper.store_fragment %y[%c0, %c0] to %part : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      %o0 = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %o = hopper.wgmma AB %o0, %at, %all accumulate %false : !hopper.fragment<64x64xf32>, !hopper.shared<64x128xbf16>, !hopper.shared<128x64xbf16>
      hopper.commit_wgmma
    }
  }
}
