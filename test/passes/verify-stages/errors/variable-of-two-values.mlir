// Tests that a variable which would have to hold two values is refused.

// RUN: %tk-opt %s --tk-verify-stages --verify-diagnostics

hopper.kernel @k(%n: i32) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %f = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    %at = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    // expected-error @below {{a tile overwrites a value that is still read after tk-assign-variables}}
    %r = hopper.wgmma ABt %f, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.store_fragment %f[%c0, %c0] to %at : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
  }
}
