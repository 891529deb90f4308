// Tests scratch that is written anew while the MMA before may still read it: the wait lets one group run. The loop
// is the only thing that repeats.

// RUN: %tk-opt %s --tk-check-protocol --verify-diagnostics

hopper.kernel @k(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  %scratch = hopper.alloc_ring "scratch" : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %mine = hopper.slot %scratch[%c0] : !hopper.ring<1, 64x64xbf16>
    %x = hopper.fill %zero : f32, !hopper.fragment<64x64xbf16>
    // expected-note @below {{in this run, this loop runs 2 times}}
    scf.for %k = %c0 to %n step %c1 : i32 {
      // expected-error @below {{consumer may overwrite 'scratch[0]' while it is still read}}
      // expected-note @below {{consumer: writes scratch[0]}}
      hopper.store_fragment %x[%c0, %c0] to %mine : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.fence_async_proxy because "a test"
      hopper.sync_warpgroup because "a test"
      %acc = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-note @below {{its own earlier operation reads it here}}
      // expected-note @below {{consumer: starts an MMA that reads scratch[0]}}
      %s = hopper.wgmma ABt %acc, %mine, %mine accumulate %false : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      hopper.wait_wgmma 1 because "a test"
    }
    hopper.wait_wgmma 0 because "a test"
  }
}
