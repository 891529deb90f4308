// Tests that a fence does not hand over registers for an MMA that stands after a wait for others: ptxas puts one
// of its own there (C7519).

// RUN: %tk-opt %s --test-hazards --verify-diagnostics -o /dev/null

!tile = !hopper.fragment<64x64xf32>
!shared = !hopper.shared<64x64xbf16>

hopper.kernel @k() {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  %ring = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %x = hopper.slot %ring[%c0] : !hopper.ring<1, 64x64xbf16>
    %first = hopper.fill %zero : f32, !tile
    %second = hopper.fill %zero : f32, !tile
    hopper.fence_registers because "both are handed over"
    %0 = hopper.wgmma ABt %first, %x, %x accumulate %true : !tile, !shared, !shared
    hopper.commit_wgmma
    hopper.wait_wgmma 0 because "a test"
    // expected-remark @below {{registers touched}}
    %1 = hopper.wgmma ABt %second, %x, %x accumulate %true : !tile, !shared, !shared
    hopper.commit_wgmma
    hopper.wait_wgmma 0 because "a test"
  }
}
