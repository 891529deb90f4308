// Tests scratch memory that a warpgroup writes and reads for itself: its own threads must have met.
// They must have fenced where the tensor cores read it, and what they have read may be overwritten once they have met
// again.

// RUN: %tk-opt %s --test-hazards --verify-diagnostics -o /dev/null

hopper.kernel @k(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  %p = hopper.alloc_ring "p" : !hopper.ring<1, 128x64xbf16>
  %q = hopper.alloc_ring "q" : !hopper.ring<1, 128x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x64xbf16>
  // expected-remark @below {{MMA in flight, pending 0}}
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %row = arith.muli %w, %c64 : i32
    %all = hopper.slot %p[%c0] : !hopper.ring<1, 128x64xbf16>
    %own = hopper.rows %all, %row : !hopper.shared<128x64xbf16> -> !hopper.shared<64x64xbf16>
    %other = hopper.slot %q[%c0] : !hopper.ring<1, 128x64xbf16>
    %ownq = hopper.rows %other, %row : !hopper.shared<128x64xbf16> -> !hopper.shared<64x64xbf16>
    %at = hopper.slot %b[%c0] : !hopper.ring<1, 64x64xbf16>
    %x = hopper.fill %zero : f32, !hopper.fragment<64x64xbf16>
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-remark @below {{MMA in flight, pending 0, from before}}
      hopper.store_fragment %x[%c0, %c0] to %own : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      %o0 = hopper.uninitialized : !hopper.fragment<64x64xf32>
      // expected-remark @below {{write unfenced}}
      // expected-remark @below {{registers touched}}
      %o = hopper.wgmma AB %o0, %own, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      // expected-remark @below {{freed unknown, pending 0}}
      hopper.store_fragment %x[%c0, %c0] to %ownq : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      // expected-remark @below {{write unsynced, pending 0}}
      %r = hopper.load_fragment %ownq : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
    }
  }
}
