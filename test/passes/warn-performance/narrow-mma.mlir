// Tests that an MMA of fewer than 64 columns is warned of if it reads both operands from shared memory.
// It is warned of once for each place.

// RUN: %tk-opt %s --tk-warn-performance --verify-diagnostics -o /dev/null
// RUN: %tk-opt %s --tk-warn-performance=silenced=narrow-mma 2>&1 >/dev/null | count 0

hopper.kernel @narrow(%A: !tk.global<?x?xbf16>) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" {swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" {swizzle = 128 : i64} : !hopper.ring<1, 32x64xbf16>
  %c = hopper.alloc_ring "c" {swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %y = hopper.slot %b[%c0] : !hopper.ring<1, 32x64xbf16>
    %z = hopper.slot %c[%c0] : !hopper.ring<1, 64x64xbf16>
    %acc = hopper.uninitialized : !hopper.fragment<64x32xf32>
    // expected-warning @below {{an MMA of 32 columns multiplies for 16 cycles and reads shared memory for 24; give the tile 64 columns or more, or keep the left operand in registers [-Wtk-perf-narrow-mma]}}
    %r = hopper.wgmma ABt %acc, %x, %y accumulate %true : !hopper.fragment<64x32xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<32x64xbf16>
    %wide = hopper.uninitialized : !hopper.fragment<64x64xf32>
    %s = hopper.wgmma ABt %wide, %x, %z accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    %left = hopper.load_fragment %x : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
    %t = hopper.wgmma ABt %r, %left, %y accumulate %true : !hopper.fragment<64x32xf32>, !hopper.fragment<64x64xbf16>, !hopper.shared<32x64xbf16>
  }
}
