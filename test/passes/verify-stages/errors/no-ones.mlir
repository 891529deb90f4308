// Tests that an MMA which sums rows has ones to read, written before the roles begin.

// RUN: %tk-opt %s --split-input-file --tk-verify-stages --verify-diagnostics

hopper.kernel @without() attributes {threads = 128 : i64, shared_bytes = 16384 : i64} {
  %v = hopper.alloc_ring "v" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.sync_block because "all begin"
  hopper.role consumer warpgroups 1 registers 240 {
  ^bb0(%w: i32):
    %c0 = arith.constant 0 : i32
    %true = arith.constant true
    %b = hopper.slot %v[%c0] : !hopper.ring<1, 64x64xbf16>
    %a = hopper.uninitialized : !hopper.fragment<64x64xbf16>
    %acc = hopper.uninitialized : !hopper.fragment<64x72xf32>
    hopper.fence_registers because "all"
    // expected-error @below {{an MMA sums rows, but nobody has written ones beside its B}}
    %r = hopper.wgmma AB %acc, %a, %b accumulate %true {sums} : !hopper.fragment<64x72xf32>, !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.commit_wgmma
    hopper.wait_wgmma 0 because "all"
  }
}

// -----

hopper.kernel @too_late() attributes {threads = 128 : i64, shared_bytes = 16384 : i64} {
  %v = hopper.alloc_ring "v" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16, with_ones>
  hopper.sync_block because "all begin"
  hopper.fill_ones %v : !hopper.ring<1, 64x64xbf16, with_ones>
  hopper.role consumer warpgroups 1 registers 240 {
  ^bb0(%w: i32):
    %c0 = arith.constant 0 : i32
    %true = arith.constant true
    %b = hopper.slot %v[%c0] : !hopper.ring<1, 64x64xbf16, with_ones>
    %a = hopper.uninitialized : !hopper.fragment<64x64xbf16>
    %acc = hopper.uninitialized : !hopper.fragment<64x72xf32>
    hopper.fence_registers because "all"
    // expected-error @below {{an MMA sums rows, but nobody has written ones beside its B}}
    %r = hopper.wgmma AB %acc, %a, %b accumulate %true {sums} : !hopper.fragment<64x72xf32>, !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.commit_wgmma
    hopper.wait_wgmma 0 because "all"
  }
}
