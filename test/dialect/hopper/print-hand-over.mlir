// Tests that signals between warpgroups, and waits for them, are printed as they are read.

// RUN: %tk-opt %s | %tk-opt | FileCheck %s

// CHECK-LABEL: hopper.kernel @hand_over
hopper.kernel @hand_over() {
  %p = hopper.alloc_ring "p" : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    // CHECK: hopper.signal_warpgroup 10 from 0 to 1 "p is written" because "written"
    hopper.signal_warpgroup 10 from 0 to 1 "p is written" because "written"
    // CHECK: hopper.signal_warpgroup 11 from 1 to 0 "p is read" read %{{.+}} : !hopper.ring<1, 64x64xbf16> because "read"
    hopper.signal_warpgroup 11 from 1 to 0 "p is read" read %p : !hopper.ring<1, 64x64xbf16> because "read"
    // CHECK: hopper.await_warpgroup 10 from 0 to 1 because "wait"
    hopper.await_warpgroup 10 from 0 to 1 because "wait"
  }
}
