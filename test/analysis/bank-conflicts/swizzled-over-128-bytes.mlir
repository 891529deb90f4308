// Tests that tiles whose rows are swizzled over 128 bytes are free of conflicts, for everybody.

// RUN: %tk-opt %s --test-bank-conflicts --verify-diagnostics

hopper.kernel @swizzled(%A: !tk.global<?x64xbf16>) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" {swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %t = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %acc = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    // expected-remark @below {{stmatrix: 1-way, 8 rows of 16 bytes a wavefront}}
    hopper.store_fragment %acc[%c0, %c0] to %t : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
    // expected-remark @below {{ldmatrix: 1-way, 8 rows of 16 bytes a wavefront}}
    %x = hopper.load_fragment %t : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
    // expected-remark @below {{wgmma: 1-way, 8 rows of 16 bytes a wavefront}}
    %r = hopper.wgmma ABt %acc, %t, %t accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    // expected-remark @below {{TMA: 1-way, whole rows of a swizzle atom}}
    hopper.tma_store %t to %A[%c0, %c0] : !hopper.shared<64x64xbf16>, !tk.global<?x64xbf16>
  }
}
