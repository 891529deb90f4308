// Tests the gap beside an accumulator of 128 registers, and the polynomial of the error function.
// The gap is there where another tile is alive.

// RUN: %tk-opt %s --test-register-prediction --verify-diagnostics -o /dev/null

hopper.kernel @wide(%A: !tk.global<?x?xbf16>) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x256xbf16>
  %c = hopper.alloc_ring "c" : !hopper.ring<1, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xf32>
  // expected-remark @below {{expects 213, at least 178, has enough with 232}}
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %y = hopper.slot %b[%c0] : !hopper.ring<1, 64x256xbf16>
    %z = hopper.slot %c[%c0] : !hopper.ring<1, 64x64xbf16>
    %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xf32>
    %new = hopper.uninitialized : !hopper.fragment<64x256xf32>
    %wide = hopper.wgmma AB %new, %x, %y accumulate %true : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x256xbf16>
    %begun = hopper.uninitialized : !hopper.fragment<64x64xf32>
    %small = hopper.wgmma AB %begun, %x, %z accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    // expected-remark @below {{the most}}
    %smooth = hopper.map (%e = %small : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x64xf32> {
      %f = math.erf %e : f32
      tk.yield %f : f32
    }
    hopper.store_fragment %smooth[%c0, %c0] to %slot : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xf32>
    hopper.store_fragment %wide[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xf32>
  }
}
