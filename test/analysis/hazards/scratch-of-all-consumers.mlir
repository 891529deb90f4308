// Tests scratch memory that all consumers read: they must all have met, and meet again before it is overwritten.

// RUN: %tk-opt %s --test-hazards --verify-diagnostics -o /dev/null

hopper.kernel @k(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  %p = hopper.alloc_ring "p" : !hopper.ring<1, 128x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x128xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %row = arith.muli %w, %c64 : i32
    %all = hopper.slot %p[%c0] : !hopper.ring<1, 128x64xbf16>
    %own = hopper.rows %all, %row : !hopper.shared<128x64xbf16> -> !hopper.shared<64x64xbf16>
    %at = hopper.slot %b[%c0] : !hopper.ring<1, 64x128xbf16>
    %x = hopper.fill %zero : f32, !hopper.fragment<64x64xbf16>
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-remark @below {{freed unknown, pending 0, across warpgroups}}
      hopper.store_fragment %x[%c0, %c0] to %own : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      %o0 = hopper.uninitialized : !hopper.fragment<64x64xf32>
      hopper.fence_async_proxy because "a test"
      hopper.sync_warpgroup because "not enough"
      hopper.fence_registers because "a test"
      // expected-remark @below {{write unsynced, pending 0, across warpgroups}}
      %o = hopper.wgmma AB %o0, %at, %all accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x128xbf16>, !hopper.shared<128x64xbf16>
      hopper.commit_wgmma
      hopper.wait_wgmma 0 because "a test"
      hopper.sync_warpgroup because "not enough"
    }
  }
}
